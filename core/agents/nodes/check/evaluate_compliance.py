"""Checks an answer for sensitive content, legality and, unless already checked, support by evidence."""

from dataclasses import dataclass, replace
from enum import StrEnum

from pydantic import BaseModel, Field

from core.agents.nodes.check.check_answer import rules_instead
from core.agents.nodes.check.compliance_rules import (
    DEFAULT_TERMS,
    baseless_sentences,
    is_clear,
    is_delicate,
    sensitive_sentences,
    unlawful_sentences,
)
from core.agents.nodes.evidence import evidence_of
from core.agents.nodes.runtime import ask_model, noted
from core.agents.state import Deps, Draft, NodeRuntime, State, Update
from core.models.ports import Embedder
from core.models.tasks import Task
from core.platform.texts import text
from core.rulebook.verification import unsupported_sentences
from core.runs.events import AnswerReset
from core.runs.model import AnswerOutcome
from core.search.model import Passage

MAX_FIXES = 2
MAX_VIOLATIONS = 12
UNSUPPORTED = "unsupported: "
"""Prefix of violations that an answer of the rules would not have."""
_CHECKED = {AnswerOutcome.ANSWERED, AnswerOutcome.UNCONFIRMED}
"""Outcomes that imply that the answer was already compared with its evidence."""


class ComplianceOutcome(StrEnum):
    COMPLIANT = "compliant"
    FIX = "fix"
    SAFE_REPLY = "safe_reply"
    NOTHING = "nothing"
    """No answer to check."""


@dataclass(frozen=True, slots=True)
class ComplianceRequest:
    question: str
    answer: str
    passages: tuple[Passage, ...] = ()
    """Empty for an answer without evidence."""
    terms: tuple[str, ...] = DEFAULT_TERMS
    """Sensitive terms."""


class ComplianceVerdict(BaseModel):
    """Violations on each dimension; empty lists mean compliant."""

    sensitive: list[str] = Field(default_factory=list, description="sentences on violence or political incitement")
    unlawful: list[str] = Field(default_factory=list, description="sentences that advise something unlawful")
    contradicted: list[str] = Field(
        default_factory=list, description="sentences that contradict the passages or that no passage bears out"
    )


def _by_words(request: ComplianceRequest) -> ComplianceVerdict:
    return ComplianceVerdict(
        sensitive=sensitive_sentences(request.answer, request.terms),
        unlawful=unlawful_sentences(request.answer),
        contradicted=baseless_sentences(request.answer, request.passages) if request.passages else [],
    )


COMPLIANCE = Task("evaluate_compliance", ComplianceVerdict, _by_words, max_tokens=2_000, for_small=False)


def evaluate_compliance(state: State, runtime: NodeRuntime) -> Update:
    deps = runtime.context
    if _is_nothing(state) and (instead := rules_instead(state, deps)):
        state = replace(state, draft=instead)
    if not state.draft.answer.strip():
        return {"note": noted(ComplianceOutcome.NOTHING, "run.reason.answer_empty")}
    settled = state.draft.outcome in _CHECKED
    passages = () if settled and _is_harmless(state) else evidence_of(state, deps)
    request = ComplianceRequest(state.question, state.draft.answer, passages, _terms(deps))
    violations = (_violations_in_words if settled else _violations_in)(request, deps)
    if not violations:
        return _passed(state, passages, deps.encoder)
    if instead := None if settled else _last_resort(state, deps, violations):
        return _passed(replace(state, draft=replace(instead, fixes=0)), passages, deps.encoder)
    outcome = ComplianceOutcome.FIX if state.draft.fixes < MAX_FIXES else ComplianceOutcome.SAFE_REPLY
    note = noted(outcome, "run.reason.violations", violations=len(violations), fixes=state.draft.fixes or "")
    draft = replace(state.draft, violations=violations)
    return {"draft": draft, "shown": AnswerReset("run.reason.not_compliant"), "note": note}


def _is_harmless(state: State) -> bool:
    return not state.draft.fixes and not is_delicate(state.question, state.draft.answer)


def _last_resort(state: State, deps: Deps, violations: tuple[str, ...]) -> Draft | None:
    """The answer of the rules, if only support is lacking and the model is not asked again."""
    is_last = deps.small_model or state.draft.fixes >= MAX_FIXES
    is_unsupported = all(one.startswith(UNSUPPORTED) for one in violations)
    return rules_instead(state, deps) if is_last and is_unsupported else None


def _is_nothing(state: State) -> bool:
    """Whether passages were kept and no cited answer was written from them."""
    draft = state.draft
    return (
        draft.outcome is None and bool(state.search.kept or state.search.web) and not (draft.answer and draft.citations)
    )


def may_be_shown(question: str, answer: str, deps: Deps) -> bool:
    """Whether text of documents, which is not corrected, violates no rule."""
    ruled = _by_words(ComplianceRequest(question, answer, terms=_terms(deps)))
    return not (ruled.sensitive or ruled.unlawful)


def _terms(deps: Deps) -> tuple[str, ...]:
    return DEFAULT_TERMS if deps.sensitive_terms is None else deps.sensitive_terms


def _violations_in(request: ComplianceRequest, deps: Deps) -> tuple[str, ...]:
    """Violations on all three dimensions; a model is asked if the rules are undecided."""
    ruled = judged = _by_words(request)
    understood = deps.intents.of(request.question)
    clear = is_clear(request.question, request.answer, request.passages, understood)
    if not (ruled.sensitive or ruled.unlawful or clear):
        judged = ask_model(deps, COMPLIANCE, request)
    return _violations(ruled, judged)


def _violations_in_words(request: ComplianceRequest, deps: Deps) -> tuple[str, ...]:
    """Violations in the answer itself; a model is asked if it touches a delicate subject."""
    ruled = judged = _by_words(replace(request, passages=()))
    if not (ruled.sensitive or ruled.unlawful) and is_delicate(request.question, request.answer):
        judged = ask_model(deps, COMPLIANCE, request)
    return _violations(ruled, judged.model_copy(update={"contradicted": []}))


def _violations(ruled: ComplianceVerdict, judged: ComplianceVerdict) -> tuple[str, ...]:
    """Combines both verdicts: rules decide on sensitive and unlawful words, the model on support."""
    found = [
        *(f"sensitive: {sentence}" for sentence in [*ruled.sensitive, *judged.sensitive]),
        *(f"unlawful: {sentence}" for sentence in [*ruled.unlawful, *judged.unlawful]),
        *(f"{UNSUPPORTED}{sentence}" for sentence in judged.contradicted),
    ]
    return tuple(dict.fromkeys(found))[:MAX_VIOLATIONS]


def _passed(state: State, passages: tuple[Passage, ...], encoder: Embedder | None) -> Update:
    answer = state.draft.answer
    if state.draft.interrupted and (state.draft.fixes or state.draft.outcome not in _CHECKED):
        answer = f"{answer}\n\n{text('answer.interrupted', state.language)}"
    if state.search.web_fault:
        answer = f"{answer}\n\n{text(state.search.web_fault, state.language)}"
    lacking = state.draft.unsupported
    if state.draft.outcome not in _CHECKED or state.draft.fixes:
        lacking = tuple(unsupported_sentences(state.draft.answer, passages, encoder=encoder)) if passages else ()
    outcome = _outcome(state, passages)
    draft = replace(state.draft, answer=answer, violations=(), unsupported=lacking, outcome=outcome)
    return draft.shown_with(noted(ComplianceOutcome.COMPLIANT, "run.reason.compliant", fixes=state.draft.fixes or ""))


def _outcome(state: State, passages: tuple[Passage, ...]) -> AnswerOutcome | None:
    """The earlier outcome if there is one and the answer is unchanged."""
    if state.draft.interrupted:
        return AnswerOutcome.UNCONFIRMED
    if (
        not passages
        or state.draft.outcome == AnswerOutcome.UNCONFIRMED
        or (state.draft.outcome and not state.draft.fixes)
    ):
        return state.draft.outcome
    return AnswerOutcome.ANSWERED if state.draft.citations else AnswerOutcome.NOT_FOUND
