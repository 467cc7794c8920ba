"""Checks an answer on three dimensions: sensitive content, legality and, where nothing did yet, support by evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from core.domain.events import AnswerReady, AnswerReset
from core.domain.passages import Passage
from core.domain.runs import AnswerOutcome
from core.nodes.deciding import decide, noted
from core.nodes.reading import evidence_of
from core.nodes.rules.compliance import (
    DEFAULT_TERMS,
    baseless_sentences,
    is_clear,
    is_delicate,
    sensitive_sentences,
    unlawful_sentences,
)
from core.nodes.rules.support import unsupported_sentences
from core.state import Deps, State, Update
from core.tasks import Task
from core.texts import text

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

MAX_FIXES = 2
MAX_VIOLATIONS = 12
_CHECKED = {AnswerOutcome.ANSWERED, AnswerOutcome.UNCONFIRMED}
"""Outcomes of a check that has compared the answer with its evidence."""


class Compliance(StrEnum):
    COMPLIANT = "compliant"
    FIX = "fix"
    SAFE_REPLY = "safe_reply"
    NOTHING = "nothing"
    """There is no answer to check."""


@dataclass(frozen=True, slots=True)
class ComplianceRequest:
    question: str
    answer: str
    passages: tuple[Passage, ...] = ()
    """Empty for an answer that needed none."""
    terms: tuple[str, ...] = DEFAULT_TERMS
    """Sensitive terms."""


class ComplianceVerdict(BaseModel):
    """What is wrong with an answer on each dimension; every list is empty when nothing is."""

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


COMPLIANCE = Task("evaluate_compliance", ComplianceVerdict, _by_words)


def evaluate_compliance(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    if not state.answer.strip():
        return {"note": noted(Compliance.NOTHING, "run.reason.answer_empty")}
    settled = state.outcome in _CHECKED
    clear = settled and not state.fixes and not is_delicate(state.question, state.answer)
    passages = () if clear else evidence_of(state, deps)
    terms = DEFAULT_TERMS if deps.sensitive_terms is None else deps.sensitive_terms
    request = ComplianceRequest(state.question, state.answer, passages, terms)
    violations = _violations_in_words(request, deps) if settled else _violations_in(request, deps)
    if not violations:
        return _passed(state, deps, passages)
    if not state.fixes:
        deps.emit(AnswerReset("run.reason.not_compliant"))
    outcome = Compliance.FIX if state.fixes < MAX_FIXES else Compliance.SAFE_REPLY
    note = noted(outcome, "run.reason.violations", violations=len(violations), fixes=state.fixes or "")
    return {"violations": violations, "note": note}


def after_compliance(state: State) -> Compliance:
    return Compliance(state.note.outcome)


def _violations_in(request: ComplianceRequest, deps: Deps) -> tuple[str, ...]:
    """On all three dimensions; a model is asked where the rules' verdict is not clear."""
    ruled = judged = _by_words(request)
    if not (ruled.sensitive or ruled.unlawful or is_clear(request.question, request.answer, request.passages)):
        judged = decide(deps, COMPLIANCE, request)
    return _violations(ruled, judged)


def _violations_in_words(request: ComplianceRequest, deps: Deps) -> tuple[str, ...]:
    """In what is said, not in what bears it out; a model is asked where something delicate is spoken of."""
    ruled = judged = _by_words(replace(request, passages=()))
    if not (ruled.sensitive or ruled.unlawful) and is_delicate(request.question, request.answer):
        judged = decide(deps, COMPLIANCE, request)
    return _violations(ruled, judged.model_copy(update={"contradicted": []}))


def _violations(ruled: ComplianceVerdict, judged: ComplianceVerdict) -> tuple[str, ...]:
    """Words that a rule finds sensitive or unlawful stay so; on support the judgement of a model counts."""
    found = [
        *(f"sensitive: {sentence}" for sentence in [*ruled.sensitive, *judged.sensitive]),
        *(f"unlawful: {sentence}" for sentence in [*ruled.unlawful, *judged.unlawful]),
        *(f"unsupported: {sentence}" for sentence in judged.contradicted),
    ]
    return tuple(dict.fromkeys(found))[:MAX_VIOLATIONS]


def _passed(state: State, deps: Deps, passages: tuple[Passage, ...]) -> Update:
    answer = state.answer
    if state.interrupted and (state.fixes or state.outcome not in _CHECKED):
        answer = f"{answer}\n\n{text('answer.interrupted', state.language)}"
    if state.web_fault:
        answer = f"{answer}\n\n{text(state.web_fault, state.language)}"
    lacking = tuple(unsupported_sentences(state.answer, passages)) if passages else ()
    if state.outcome in _CHECKED and not state.fixes:
        lacking = state.unsupported
    deps.emit(AnswerReady(answer, state.citations, lacking))
    return {
        "answer": answer,
        "violations": (),
        "unsupported": lacking,
        "outcome": _outcome(state, passages),
        "note": noted(Compliance.COMPLIANT, "run.reason.compliant", fixes=state.fixes or ""),
    }


def _outcome(state: State, passages: tuple[Passage, ...]) -> str:
    """As it was settled before, if it was and still stands."""
    if state.interrupted:
        return AnswerOutcome.UNCONFIRMED.value
    if not passages or state.outcome == AnswerOutcome.UNCONFIRMED or (state.outcome and not state.fixes):
        return state.outcome
    return (AnswerOutcome.ANSWERED if state.citations else AnswerOutcome.NOT_FOUND).value
