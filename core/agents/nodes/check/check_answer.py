"""Checks that the passages support every sentence of the answer and that it answers the question."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pydantic import BaseModel, Field

from core.agents.nodes.answer.generate import answer_by_rules
from core.agents.nodes.check.compliance_rules import MAX_UNSUPPORTED
from core.agents.nodes.evidence import SHORT, evidence_of, surely_answers, view_of
from core.agents.nodes.runtime import ask_model, noted
from core.agents.nodes.search.web_search import web_is_open
from core.agents.state import Deps, Draft, NodeRuntime, State, Update
from core.models.ports import Embedder
from core.models.tasks import Task
from core.platform.language.answer_marks import claims_of, without_markers
from core.platform.language.detect import same_script
from core.platform.language.terms import content_terms
from core.platform.texts import text
from core.rulebook.evidence import EvidenceAssessment
from core.rulebook.verification import claims, unsupported_sentences
from core.runs.events import AnswerReset
from core.runs.model import AnswerOutcome
from core.search.model import Passage

WEB_BESIDE = "run.reason.web_beside"
ENOUGH = 0.45
"""Least share of the question's terms in an answer and its passages."""
ENOUGH_NAMES = 0.34


class CheckOutcome(StrEnum):
    FINE = "fine"
    RETRY = "retry"
    WEB = "web"
    """The documents do not answer, and the web has not been searched yet."""
    NOTHING = "nothing"
    """The documents do not answer."""
    GIVE_UP = "give_up"
    """The answer could not be confirmed; it is shown with a note."""


@dataclass(frozen=True, slots=True)
class CheckRequest:
    question: str
    answer: str
    passages: tuple[Passage, ...]


class AnswerVerdict(BaseModel):
    """The result of checking an answer."""

    supported: bool = Field(description="the passages bear out every claim of the answer")
    answers: bool = Field(description="the answer answers the question, and does not merely say that it cannot")
    reason: str = Field(default="", description="what is wrong, in a few words; empty when nothing is")


def judged_by_words(request: CheckRequest, encoder: Embedder | None = None) -> AnswerVerdict:
    return _judged(request, None, encoder)[0]


def _judged(
    request: CheckRequest, view: EvidenceAssessment | None, encoder: Embedder | None
) -> tuple[AnswerVerdict, list[str]]:
    """The verdict, and the sentences without support.

    view: an existing assessment; encoder: compares other words and languages than those of the passages.
    """
    view = view or EvidenceAssessment(request.question, request.passages, None)
    lacking = unsupported_sentences(request.answer, request.passages, view.units, encoder, request.question)
    said = claims(request.answer)
    is_cited = any(True for _ in claims_of(request.answer))
    if said and len(lacking) > MAX_UNSUPPORTED * len(said):
        verdict = AnswerVerdict(supported=False, answers=is_cited, reason="run.reason.answer_unsupported")
    elif not said or not is_cited:
        verdict = AnswerVerdict(supported=False, answers=False, reason="run.reason.answer_empty")
    elif not _speaks_of(request.answer, view):
        verdict = AnswerVerdict(supported=True, answers=False, reason="run.reason.answer_beside")
    else:
        verdict = AnswerVerdict(supported=True, answers=True, reason="run.reason.answer_fine")
    return verdict, lacking


CHECK = Task("check_answer", AnswerVerdict, judged_by_words, max_tokens=2_000, for_small=False)


def check_answer(state: State, runtime: NodeRuntime) -> Update:
    """Passes a supported draft on to the following checks and withdraws any other."""
    deps = runtime.context
    update = checked(state, deps)
    outcome = update["note"].outcome
    if outcome not in {CheckOutcome.RETRY, CheckOutcome.NOTHING}:
        return update
    withdrawn: Update = {**update, "shown": AnswerReset(update["draft"].verdict_reason)}
    if state.search.web:
        return {**withdrawn, "search": replace(state.search, web=(), web_fault=WEB_BESIDE)}
    if outcome == CheckOutcome.NOTHING and web_is_open(state, deps):
        return {**withdrawn, "note": replace(update["note"], outcome=CheckOutcome.WEB.value)}
    return withdrawn


def checked(state: State, deps: Deps) -> Update:
    """The draft after the check, and the next step: another attempt or the end.

    An answer of the rules replaces a model's answer that is not supported.
    """
    if state.draft.outline:
        return {"note": noted(CheckOutcome.FINE, "run.reason.answer_fine")}
    verdict, lacking = _verdict(state, deps)
    outcome = _outcome(state, deps, verdict)
    if outcome is not CheckOutcome.FINE and (instead := rules_instead(state, deps)):
        withdrawn = AnswerReset(state.draft.verdict_reason or verdict.reason)
        return {"draft": instead, "shown": withdrawn, "note": noted(CheckOutcome.FINE, "run.reason.by_rules")}
    unwritten = state.draft.interrupted or not state.draft.answer
    reason = (state.draft.verdict_reason if unwritten else "") or verdict.reason
    answer = without_markers(state.draft.answer)
    marked = tuple(sentence for sentence in lacking if sentence in answer)
    note = noted(outcome, reason, unsupported=len(marked) or "", claims=len(claims(state.draft.answer)))
    draft = replace(state.draft, verdict_reason="" if outcome is CheckOutcome.FINE else reason)
    if outcome in {CheckOutcome.RETRY, CheckOutcome.NOTHING}:
        return {"draft": replace(draft, citations=()), "note": note}
    return {"draft": _settled(replace(state, draft=draft), outcome, marked), "note": note}


def rules_instead(state: State, deps: Deps) -> Draft | None:
    """The answer of the rules with a note that it replaces a model's; None if they are unsure.

    The supported beginning of an answer that broke off is not replaced.
    """
    if state.draft.quoted or (state.draft.interrupted and state.draft.citations):
        return None
    draft = _shown_before(deps) if deps.without_model else _from_kept_passages(state, deps)
    if draft is None:
        return None
    answer = f"{draft.answer}\n\n{text('answer.by_rules', state.language)}"
    return replace(draft, answer=answer, unsupported=(), outcome=AnswerOutcome.ANSWERED)


def _shown_before(deps: Deps) -> Draft | None:
    """The answer of the rules that was shown while the model worked."""
    (draft,) = deps.without_model
    return draft if draft.outcome is AnswerOutcome.ANSWERED else None


def _from_kept_passages(state: State, deps: Deps) -> Draft | None:
    draft = answer_by_rules(state, deps)
    if draft is None:
        return None
    request = CheckRequest(state.standalone_question, draft.answer, evidence_of(state, deps))
    verdict, _ = _judged(request, view_of(request.question, request.passages, deps), deps.encoder)
    return draft if verdict.supported and verdict.answers else None


def _verdict(state: State, deps: Deps) -> tuple[AnswerVerdict, list[str]]:
    """Verdict by words, and the sentences without support; a model judges what words neither confirm nor deny."""
    question, draft = state.standalone_question, state.draft
    request = CheckRequest(question, draft.answer, evidence_of(state, deps))
    view = view_of(question, request.passages, deps)
    by_words, lacking = _judged(request, view, deps.encoder)
    if by_words.answers and not surely_answers(state, deps):
        by_words = by_words.model_copy(update={"answers": False, "reason": SHORT})
    if deps.small_model and by_words.supported and not draft.quoted:  # the model said that these passages answer
        by_words = by_words.model_copy(update={"answers": True, "reason": "run.reason.answer_fine"})
    if (by_words.supported and by_words.answers) or draft.interrupted or not draft.citations:
        return by_words, lacking
    verdict = ask_model(deps, replace(CHECK, rule=lambda _: by_words), request)
    return verdict, _in_other_languages(lacking, request.passages) if verdict.supported else lacking


def _in_other_languages(sentences: Sequence[str], passages: Sequence[Passage]) -> list[str]:
    """Return the sentences in another language than all of the passages."""
    return [it for it in sentences if not any(same_script(it, passage.chunk.text) for passage in passages)]


def _settled(state: State, outcome: CheckOutcome, lacking: tuple[str, ...]) -> Draft:
    """Final answer; with a note if it could not be confirmed."""
    answer = state.draft.answer if outcome is CheckOutcome.FINE else _with_warning(state)
    settled = AnswerOutcome.ANSWERED if outcome is CheckOutcome.FINE else AnswerOutcome.UNCONFIRMED
    return replace(state.draft, answer=answer, unsupported=lacking, outcome=settled)


def _outcome(state: State, deps: Deps, verdict: AnswerVerdict) -> CheckOutcome:
    if state.draft.interrupted and state.draft.citations:
        return CheckOutcome.GIVE_UP
    if verdict.supported and verdict.answers:
        return CheckOutcome.FINE
    if deps.may_correct(state):
        return CheckOutcome.RETRY
    return CheckOutcome.GIVE_UP if verdict.answers and state.draft.citations else CheckOutcome.NOTHING


def _speaks_of(answer: str, view: EvidenceAssessment) -> bool:
    """Whether answer and passages contain enough of the question's words; not decidable across scripts.

    A column of numbers says "cheapest" in other words.
    """
    if any(extreme.value in answer for extreme in view.extremes):
        return True
    if view.kind.is_about_whole_documents or not same_script(view.question, answer):
        return True
    around = frozenset(term for words in view.texts for term in words)
    said = view.needs.spoken(frozenset(content_terms(without_markers(answer))), around)
    return said.whole >= ENOUGH and said.names >= ENOUGH_NAMES


def _with_warning(state: State) -> str:
    warning = "answer.interrupted" if state.draft.interrupted else "answer.unconfirmed"
    return f"{state.draft.answer}\n\n{text(warning, state.language)}"
