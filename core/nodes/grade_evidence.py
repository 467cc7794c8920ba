"""Keeps the passages that bear on the question and says of every other one why not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from core.domain.events import GraphTouched, PassagesGraded
from core.domain.passages import Hit, Passage, Rejected
from core.nodes.deciding import decide, noted
from core.nodes.reading import passages_of, shown
from core.nodes.rules.coverage import coverage_of, passage_terms, relevance
from core.nodes.rules.needs import needs_of
from core.nodes.rules.questions import WHOLE, Kind, kind_of
from core.nodes.rules.quoting import choose_quotes
from core.nodes.rules.units import units_of
from core.ports import BUILT_IN
from core.state import Deps, State, Update
from core.tasks import Task

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

MAX_KEPT = 6
MAX_KEPT_OVERVIEW = 8
RELEVANT = 0.3
"""The share of the question that a passage must speak of."""
RELEVANT_IF_SURE = 0.15
SURE = 0.65
"""A retriever's score from which on RELEVANT_IF_SURE is enough."""
ALIKE = 0.85
"""The share of common words from which on two passages say the same."""
MAX_TOUCHED = 80
IN_DOUBT = "run.reason.evidence_in_doubt"


class Relevance(StrEnum):
    FOUND = "found"
    RETRY = "retry"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class GradeRequest:
    question: str
    passages: tuple[Passage, ...]


class Grades(BaseModel):
    """Which of the numbered passages help to answer the question."""

    relevant: list[int] = Field(description="numbers of the passages that help to answer the question; empty when none")
    reason: str = Field(default="", description="what they say or lack, in one short sentence")


def _by_words(request: GradeRequest) -> Grades:
    """All of them when together they speak of enough of the question to quote an answer, else none."""
    quotes = choose_quotes(request.question, request.passages)
    if not coverage_of(request.question, request.passages, quotes).enough:
        return Grades(relevant=[], reason="run.reason.evidence_short")
    return Grades(relevant=list(range(1, len(request.passages) + 1)), reason="run.reason.evidence_enough")


GRADE = Task("grade_evidence", Grades, _by_words)


def grade_evidence(state: State, runtime: Runtime[Deps]) -> Update:
    """In doubt a model is not asked twice: its answer is begun at once, and says itself whether the passages do."""
    deps = runtime.context
    if deps.llm.engine == BUILT_IN:
        return _graded(state, deps, "grade_evidence", _by_words)
    update = _graded(state, deps, "grade_evidence", lambda request: _left_to_the_answer(request, state))
    return {**update, "in_doubt": update["note"].reason == IN_DOUBT}


def grade(state: State, deps: Deps, node: str) -> Update:
    """For the node of this name; in doubt a model grades before anything is written."""
    return _graded(state, deps, node, lambda request: decide(deps, GRADE, request))


def _graded(state: State, deps: Deps, node: str, judge: Callable[[GradeRequest], Grades]) -> Update:
    """For the node of this name; the judge is asked where words alone find no answer."""
    question = state.resolved_question or state.question
    candidates, refused = sift(question, passages_of(state.hits, deps))
    request = GradeRequest(question, tuple(candidates))
    grades = _by_words(request)
    if candidates and not grades.relevant:
        grades = judge(request)
    chosen = set(grades.relevant)
    kept = [passage for number, passage in enumerate(candidates, 1) if number in chosen]
    refused += [(passage, "run.rejected.no_answer") for passage in candidates if passage not in kept]
    _tell(node, deps, state, kept, refused)
    outcome = _outcome(state, deps, kept)
    rejected = tuple(Rejected(passage.chunk.id, passage.score, reason) for passage, reason in refused)
    return {
        "kept": tuple(Hit(passage.chunk.id, passage.score, passage.sources) for passage in kept),
        "rejected": (*state.rejected, *rejected),
        "verdict_reason": "" if kept else grades.reason or "run.reason.nothing_found",
        "note": noted(
            outcome,
            grades.reason if candidates else "run.reason.nothing_found",
            kept=len(kept),
            rejected=len(refused) or "",
        ),
    }


def _left_to_the_answer(request: GradeRequest, state: State) -> Grades:
    """All of them, unless the last answer was refused for want of better ones than these."""
    refused = {hit.chunk_id for hit in state.kept} if state.in_doubt else set()
    if refused.issuperset(passage.chunk.id for passage in request.passages):
        return Grades(relevant=[], reason=state.verdict_reason)
    return Grades(relevant=list(range(1, len(request.passages) + 1)), reason=IN_DOUBT)


def after_grade(state: State) -> Relevance:
    return Relevance(state.note.outcome)


def sift(question: str, passages: Sequence[Passage]) -> tuple[list[Passage], list[tuple[Passage, str]]]:
    """The passages worth a look, best first, and the others with the reason (a catalogue key)."""
    words = {passage.chunk.id: passage_terms(passage) for passage in passages}
    needs = needs_of(question, list(words.values()))
    limit = MAX_KEPT_OVERVIEW if kind_of(question) in WHOLE else MAX_KEPT
    kept: list[Passage] = []
    refused: list[tuple[Passage, str]] = []
    for passage in passages:
        speaks = relevance(question, passage, needs)
        if speaks < (RELEVANT_IF_SURE if passage.score >= SURE else RELEVANT):
            refused.append((passage, "run.rejected.off_topic"))
        elif not units_of([passage]) and kind_of(question) is not Kind.AUTHORS:
            refused.append((passage, "run.rejected.nothing_quotable"))
        elif any(_alike(words[passage.chunk.id], words[other.chunk.id]) for other in kept):
            refused.append((passage, "run.rejected.duplicate"))
        elif len(kept) >= limit:
            refused.append((passage, "run.rejected.over_limit"))
        else:
            kept.append(passage)
    return kept, refused


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= ALIKE * max(1, len(one | other))


def _outcome(state: State, deps: Deps, kept: Sequence[Passage]) -> Relevance:
    if kept:
        return Relevance.FOUND
    may_retry = state.corrections < deps.max_corrections and deps.meter.remaining_seconds() > 0
    return Relevance.RETRY if may_retry else Relevance.NOTHING


def _tell(node: str, deps: Deps, state: State, kept: Sequence[Passage], refused: Sequence[tuple[Passage, str]]) -> None:
    """What was kept and rejected, with what the retriever had already left below its threshold; and the entities."""
    below = {item.chunk_id: item for item in state.rejected}
    low = passages_of([Hit(item.chunk_id, item.score) for item in below.values()], deps)
    rejected = [shown(passage, reason) for passage, reason in refused]
    rejected += [shown(passage, below[passage.chunk.id].reason) for passage in low]
    deps.emit(PassagesGraded(node, tuple(map(shown, kept)), tuple(rejected)))
    question, chunks = state.resolved_question or state.question, [passage.chunk.id for passage in kept]
    if ids := deps.graph.touched(state.base_id, question, chunks, MAX_TOUCHED):
        deps.emit(GraphTouched(node, tuple(ids)))
