"""Checks that the passages bear out the answer, sentence by sentence, and that it answers the question."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from core.domain.events import AnswerReady, AnswerReset
from core.domain.passages import Passage
from core.domain.runs import AnswerOutcome
from core.language.terms import content_terms
from core.nodes.deciding import decide, noted
from core.nodes.reading import evidence_of
from core.nodes.rules.citing import claims_of, without_markers
from core.nodes.rules.coverage import ENOUGH, ENOUGH_NAMES, passage_terms, same_script
from core.nodes.rules.needs import needs_of
from core.nodes.rules.questions import WHOLE, kind_of
from core.nodes.rules.support import claims, unsupported_sentences
from core.state import Deps, State, Update
from core.tasks import Task
from core.texts import text

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

MAX_UNSUPPORTED = 1 / 3
"""The share of an answer's claims that may lack support; they are marked for the reader."""


class Check(StrEnum):
    FINE = "fine"
    RETRY = "retry"
    NOTHING = "nothing"
    """Nothing in the documents answers: say so."""
    GIVE_UP = "give_up"
    """An answer that could not be confirmed: show it and say so."""


@dataclass(frozen=True, slots=True)
class CheckRequest:
    question: str
    answer: str
    passages: tuple[Passage, ...]


class Verdict(BaseModel):
    """Whether an answer stands."""

    supported: bool = Field(description="the passages bear out every claim of the answer")
    answers: bool = Field(description="the answer answers the question, and does not merely say that it cannot")
    unsupported: list[str] = Field(default_factory=list, description="sentences that no passage bears out, verbatim")
    reason: str = Field(default="", description="what is wrong, in one short sentence; empty when nothing is")


def judged_by_words(request: CheckRequest) -> Verdict:
    lacking = unsupported_sentences(request.answer, request.passages)
    said = claims(request.answer)
    if not said or not any(True for _ in claims_of(request.answer)):
        return Verdict(supported=False, answers=False, unsupported=lacking, reason="run.reason.answer_empty")
    if len(lacking) > MAX_UNSUPPORTED * len(said):
        return Verdict(supported=False, answers=True, unsupported=lacking, reason="run.reason.answer_unsupported")
    if not _speaks_of(request):
        return Verdict(supported=True, answers=False, unsupported=lacking, reason="run.reason.answer_beside")
    return Verdict(supported=True, answers=True, unsupported=lacking, reason="run.reason.answer_fine")


CHECK = Task("check_answer", Verdict, judged_by_words)


def check_answer(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    question = state.resolved_question or state.question
    request = CheckRequest(question, state.answer, evidence_of(state, deps))
    verdict = by_words = judged_by_words(request)
    if not ((verdict.supported and verdict.answers) or state.interrupted or _says_nothing(request, verdict)):
        verdict = decide(deps, CHECK, request)
    outcome = _outcome(state, deps, verdict)
    unwritten = state.interrupted or not state.answer
    reason = (state.verdict_reason if unwritten else "") or verdict.reason
    named = verdict.unsupported or ([] if verdict.supported else by_words.unsupported)
    lacking = tuple(sentence for sentence in named if sentence in without_markers(state.answer))
    update: Update = {
        "verdict_reason": "" if outcome is Check.FINE else reason,
        "note": noted(outcome, reason, unsupported=len(lacking) or "", claims=len(claims(state.answer))),
    }
    if outcome in {Check.RETRY, Check.NOTHING}:
        if state.answer:
            deps.emit(AnswerReset(reason))
        return {**update, "citations": ()}
    return {**update, **_settled(state, deps, outcome, lacking)}


def _settled(state: State, deps: Deps, outcome: Check, lacking: tuple[str, ...]) -> Update:
    """The answer stands; one that could not be confirmed says so."""
    answer = state.answer if outcome is Check.FINE else _with_warning(state)
    deps.emit(AnswerReady(answer, state.citations, lacking))
    settled = AnswerOutcome.ANSWERED if outcome is Check.FINE else AnswerOutcome.UNCONFIRMED
    return {"answer": answer, "unsupported": lacking, "outcome": settled.value}


def after_check(state: State) -> Check:
    return Check(state.note.outcome)


def _outcome(state: State, deps: Deps, verdict: Verdict) -> Check:
    if state.interrupted and state.answer:
        return Check.GIVE_UP
    if verdict.supported and verdict.answers:
        return Check.FINE
    if state.corrections < deps.max_corrections and deps.meter.remaining_seconds() > 0:
        return Check.RETRY
    return Check.GIVE_UP if verdict.answers and state.citations else Check.NOTHING


def _says_nothing(request: CheckRequest, by_words: Verdict) -> bool:
    """No passage is cited and none bears out a sentence: the answer says that it cannot answer."""
    cites = any(True for _ in claims_of(request.answer))
    return not cites and len(by_words.unsupported) == len(claims(request.answer))


def _speaks_of(request: CheckRequest) -> bool:
    """Answer and passages have enough of the question's words; where the scripts differ, words prove nothing."""
    if kind_of(request.question) in WHOLE or not same_script(request.question, request.answer):
        return True
    texts = [passage_terms(passage) for passage in request.passages]
    needs = needs_of(request.question, texts)
    around = {term for words in texts for term in words}
    own = content_terms(without_markers(request.answer))
    return needs.coverage(own, around) >= ENOUGH and needs.names_covered(own, around) >= ENOUGH_NAMES


def _with_warning(state: State) -> str:
    warning = "answer.interrupted" if state.interrupted else "answer.unconfirmed"
    return f"{state.answer}\n\n{text(warning, state.language)}"
