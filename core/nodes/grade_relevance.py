"""Whether the answer solves the question: keep it, correct it, or end and say that it was not confirmed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from core.domain.events import AnswerReady, AnswerReset
from core.domain.passages import Passage
from core.domain.runs import AnswerOutcome
from core.nodes.check_answer import CheckRequest, judged_by_words
from core.nodes.deciding import decide, noted
from core.nodes.reading import evidence_of
from core.nodes.route_query import SearchRoute
from core.nodes.rules.errands import is_errand
from core.nodes.rules.smalltalk import social_act
from core.nodes.rules.support import unsupported_sentences
from core.state import Deps, State, Update
from core.tasks import Task
from core.texts import text

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


class Solves(StrEnum):
    RELEVANT = "relevant"
    RETRY = "retry"
    WEB = "web"
    """The corrections are used up and nothing was written: the web is the last resort."""
    LIMIT = "limit"
    """The breaker: the limit is reached, the answer is not confirmed."""


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


def _by_words(request: SolvesRequest) -> Relevant:
    if request.route == SearchRoute.DIRECT:
        direct = social_act(request.question) is not None or is_errand(request.question)
        reason = "run.reason.direct" if direct else "run.reason.answer_beside"
        return Relevant(is_relevant=direct and bool(request.answer), reason=reason)
    verdict = judged_by_words(CheckRequest(request.question, request.answer, request.passages))
    return Relevant(is_relevant=verdict.supported and verdict.answers, reason=verdict.reason)


GRADE_RELEVANCE = Task("grade_relevance", Relevant, _by_words)


def grade_relevance(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    passages = evidence_of(state, deps)
    request = SolvesRequest(state.resolved_question or state.question, state.answer, passages, state.route)
    graded = _by_words(request)
    if not graded.is_relevant and state.answer and not state.interrupted:
        graded = decide(deps, GRADE_RELEVANCE, request)
    outcome = _outcome(state, deps, graded)
    lacking = tuple(unsupported_sentences(state.answer, passages)) if passages else ()
    note = noted(outcome, graded.reason, correction=state.corrections or "", unsupported=len(lacking), claims=1)
    if outcome in {Solves.RETRY, Solves.WEB}:
        if state.answer:
            deps.emit(AnswerReset(graded.reason))
        return {"verdict_reason": graded.reason, "citations": (), "note": note}
    if outcome is Solves.LIMIT:
        return _limited(state, deps, lacking, graded.reason)
    if state.route == SearchRoute.DIRECT:
        return {"verdict_reason": "", "note": note}
    deps.emit(AnswerReady(_shown(state, state.answer), state.citations, lacking))
    settled = AnswerOutcome.ANSWERED.value
    return {"verdict_reason": "", "unsupported": lacking, "outcome": settled, "note": note}


def after_relevance(state: State) -> Solves:
    return Solves(state.note.outcome)


def _outcome(state: State, deps: Deps, graded: Relevant) -> Solves:
    if state.interrupted and state.answer:
        return Solves.LIMIT
    if graded.is_relevant:
        return Solves.RELEVANT
    if state.corrections < deps.max_corrections and deps.meter.remaining_seconds() > 0:
        return Solves.RETRY
    empty = not state.answer and SearchRoute.WEB_SEARCH not in state.tried_routes
    return Solves.WEB if empty else Solves.LIMIT


def _limited(state: State, deps: Deps, lacking: tuple[str, ...], reason: str) -> Update:
    warning = text("answer.interrupted" if state.interrupted else "answer.limit_reached", state.language)
    answer = f"{state.answer}\n\n{warning}".strip()
    deps.emit(AnswerReady(_shown(state, answer), state.citations, lacking))
    return {
        "answer": answer,
        "unsupported": lacking,
        "verdict_reason": reason,
        "outcome": AnswerOutcome.UNCONFIRMED.value,
        "note": noted(Solves.LIMIT, "run.reason.limit_reached", corrections=state.corrections),
    }


def _shown(state: State, answer: str) -> str:
    """The answer, and why the web did not help with it, if that is so."""
    return f"{answer}\n\n{text(state.web_fault, state.language)}" if state.web_fault else answer
