"""Decides whether the answer solves the question: keep it, correct it, or end unconfirmed."""

from dataclasses import dataclass, replace
from enum import StrEnum

from pydantic import BaseModel, Field

from core.agents.intents import A_QUESTION, Understanding
from core.agents.nodes.answer.not_found import not_found
from core.agents.nodes.check.check_answer import CheckRequest, judged_by_words, rules_instead
from core.agents.nodes.evidence import SHORT, evidence_of, surely_answers
from core.agents.nodes.plan.route_query import SearchRoute
from core.agents.nodes.runtime import ask_model, noted
from core.agents.nodes.understood import understood_in
from core.agents.state import Deps, Draft, NodeRuntime, Note, Route, State, Update
from core.models.ports import Embedder
from core.models.tasks import Task
from core.platform.texts import text
from core.rulebook.verification import unsupported_sentences
from core.runs.events import AnswerReset
from core.runs.model import AnswerOutcome
from core.search.model import Passage


class RelevanceOutcome(StrEnum):
    RELEVANT = "relevant"
    RETRY = "retry"
    WEB = "web"
    """No corrections are left and nothing was written; the web is the last resort."""
    LIMIT = "limit"
    """The limit is reached; the answer is not confirmed."""


@dataclass(frozen=True, slots=True)
class SolvesRequest:
    question: str
    answer: str
    passages: tuple[Passage, ...] = ()
    route: str = ""


class Relevant(BaseModel):
    """Whether an answer solves the question."""

    is_relevant: bool = Field(description="the answer answers what was asked and, where passages are given, from them")
    reason: str = Field(default="", description="what is wrong, in one short sentence; empty when nothing is")


def _by_words(
    request: SolvesRequest, understood: Understanding = A_QUESTION, encoder: Embedder | None = None
) -> Relevant:
    if request.route == SearchRoute.DIRECT:
        direct = not understood.is_question
        reason = "run.reason.direct" if direct else "run.reason.answer_beside"
        return Relevant(is_relevant=direct and bool(request.answer), reason=reason)
    verdict = judged_by_words(CheckRequest(request.question, request.answer, request.passages), encoder=encoder)
    return Relevant(is_relevant=verdict.supported and verdict.answers, reason=verdict.reason)


GRADE_RELEVANCE = Task("grade_relevance", Relevant, _by_words, max_tokens=500, for_small=False)


def grade_relevance(state: State, runtime: NodeRuntime) -> Update:
    deps = runtime.context
    if state.draft.outline:
        note = noted(RelevanceOutcome.RELEVANT, "run.reason.answer_fine")
        return _shown(state, state.draft, note)
    passages = evidence_of(state, deps)
    route = SearchRoute.of(state.search.route)
    request = SolvesRequest(state.standalone_question, state.draft.answer, passages, route)
    graded = _graded(state, deps, request)
    outcome = _outcome(state, deps, graded)
    if passages and (instead := _last_resort(state, deps, outcome)):
        note = noted(RelevanceOutcome.RELEVANT, "run.reason.by_rules")
        return _shown(state, instead, note)
    answer = state.draft.answer
    lacking = tuple(unsupported_sentences(answer, passages, None, deps.encoder, request.question)) if passages else ()
    note = noted(outcome, graded.reason, correction=state.search.corrections or "", unsupported=len(lacking), claims=1)
    if outcome in {RelevanceOutcome.RETRY, RelevanceOutcome.WEB}:
        draft = replace(state.draft, verdict_reason=graded.reason, citations=())
        return {"draft": draft, "shown": AnswerReset(graded.reason), "note": note}
    if outcome is RelevanceOutcome.LIMIT:
        if surely_answers(state, deps):
            return _limited(state, lacking, graded.reason)
        return {**not_found(state, runtime), "note": _limit_note(state)}
    if route is SearchRoute.DIRECT:
        return replace(state.draft, verdict_reason="").shown_with(note)
    settled = replace(state.draft, verdict_reason="", unsupported=lacking, outcome=AnswerOutcome.ANSWERED)
    return _shown(state, settled, note)


def _last_resort(state: State, deps: Deps, outcome: RelevanceOutcome) -> Draft | None:
    """The answer of the rules, if the model is not asked again."""
    is_last = outcome is RelevanceOutcome.LIMIT or (deps.small_model and outcome is not RelevanceOutcome.RELEVANT)
    return rules_instead(state, deps) if is_last else None


def _graded(state: State, deps: Deps, request: SolvesRequest) -> Relevant:
    if state.draft.choices:
        return Relevant(is_relevant=True)
    graded = _by_words(request, understood_in(state, deps), deps.encoder)
    if graded.is_relevant and not surely_answers(state, deps):
        graded = Relevant(is_relevant=False, reason=SHORT)
    is_uncited = request.route != SearchRoute.DIRECT and not state.draft.citations
    if graded.is_relevant or not state.draft.answer or state.draft.interrupted or is_uncited:
        return graded
    return ask_model(deps, replace(GRADE_RELEVANCE, rule=lambda _: graded), request)


def _outcome(state: State, deps: Deps, graded: Relevant) -> RelevanceOutcome:
    if state.draft.interrupted and state.draft.answer and state.search.route is not Route.DIRECT:
        return RelevanceOutcome.LIMIT
    if graded.is_relevant:
        return RelevanceOutcome.RELEVANT
    if deps.may_correct(state):
        return RelevanceOutcome.RETRY
    empty = not state.draft.answer and Route.WEB not in state.search.tried_routes
    return RelevanceOutcome.WEB if empty else RelevanceOutcome.LIMIT


def _limited(state: State, lacking: tuple[str, ...], reason: str) -> Update:
    warning = text("answer.interrupted" if state.draft.interrupted else "answer.limit_reached", state.language)
    answer = f"{state.draft.answer}\n\n{warning}".strip()
    limited = replace(
        state.draft, answer=answer, unsupported=lacking, verdict_reason=reason, outcome=AnswerOutcome.UNCONFIRMED
    )
    return _shown(state, limited, _limit_note(state))


def _limit_note(state: State) -> Note:
    return noted(RelevanceOutcome.LIMIT, "run.reason.limit_reached", corrections=state.search.corrections)


def _shown(state: State, draft: Draft, note: Note) -> Update:
    """Publishes the answer, with the reason why the web did not help, if there is one."""
    fault = f"\n\n{text(state.search.web_fault, state.language)}" if state.search.web_fault else ""
    return {"draft": draft, "shown": replace(draft.published(), text=f"{draft.answer}{fault}"), "note": note}
