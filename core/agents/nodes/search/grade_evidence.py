"""Keeps the passages relevant to the question and gives a reason for rejecting each of the others."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import pairwise

from pydantic import BaseModel, Field

from core.agents.nodes.evidence import SHORT, passages_of, shown, view_of
from core.agents.nodes.plan.references import entities_named
from core.agents.nodes.runtime import ask_model, asked_once, noted
from core.agents.nodes.search.web_search import web_is_open
from core.agents.state import Deps, NodeRuntime, State, Update
from core.graph.model import Entity
from core.graph.questions import GraphQuestion
from core.models.ports import BUILT_IN
from core.models.tasks import Task
from core.platform.errors import NotFoundError
from core.platform.language.detect import same_script
from core.platform.language.sentences import sentences
from core.rulebook.evidence import (
    EvidenceAssessment,
    Readings,
    has_what_is_compared,
    is_opening_section,
    rest_of_tables,
)
from core.rulebook.messages import Question
from core.rulebook.model import AssessmentReason, QuestionKind
from core.runs.events import EvidenceAssessed, GraphTouched, PassagesGraded
from core.search.model import Hit, Passage, Rejected

MAX_KEPT, MAX_KEPT_BUILT_IN = 8, 10
"""Passages that a model and the built-in engine read; a model pays for each."""
RELEVANT = 0.3
"""Least share of the question's terms in a relevant passage."""
RELEVANT_IF_SURE = 0.15
SURE_HIT = 0.65
"""Retrieval score from which RELEVANT_IF_SURE suffices."""
RELEVANT_ACROSS = 0.06
"""As RELEVANT, for a passage in another script, whose sentences are compared by meaning."""
ALWAYS_READ = 2
"""First passages that are read even if they lack the question's words, which may be synonyms."""
ALIKE = 0.85
"""Share of common words from which two passages count as duplicates."""
SUPPORTED = 0.3
"""Likelihood that the first search must reach for an answer of a later query to count. Of 21 such answers to our own
questions 10 were wrong; the likelihood was lower for 5 of these, and for 1 of the right ones."""
MAX_TOUCHED = 80
IN_DOUBT = "run.reason.evidence_in_doubt"


class EvidenceOutcome(StrEnum):
    FOUND = "found"
    RETRY = "retry"
    WEB = "web"
    """The documents contain nothing, and the web has not been searched yet."""
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class GradeRequest:
    question: str
    passages: tuple[Passage, ...]


class Grades(BaseModel):
    """Which of the numbered passages help to answer the question."""

    relevant: list[int] = Field(description="numbers of the passages that help to answer the question; empty when none")
    reason: str = Field(default="", description="what they say or lack, in one short sentence")


Grade = Callable[[Sequence[Passage]], tuple[Grades, float | None]]
"""Grades of passages, and the likelihood of an answer in the results of the first search; None if unknown."""


def _all_of(passages: Sequence[Passage], reason: str) -> Grades:
    return Grades(relevant=list(range(1, len(passages) + 1)), reason=reason)


def _unsure(request: GradeRequest) -> Grades:
    """Rule: no passage; a model is asked only if the rules found no answer."""
    del request
    return Grades(relevant=[], reason=SHORT)


GRADE = Task("grade_evidence", Grades, _unsure, max_tokens=500, for_small=False)


def grade_evidence(state: State, runtime: NodeRuntime) -> Update:
    """Grades without a model call; in doubt the model's answer itself shows whether the passages suffice.

    A model gets all passages at first, because assessing their sentences takes longer than all steps before.
    """
    deps = runtime.context
    by_words = deps.llm.engine == BUILT_IN or state.search.in_doubt
    judge: Grade = (
        partial(_weighed, state, deps, partial(_judged, state, deps)) if by_words else partial(_unweighed, state)
    )
    update = _graded(state, deps, "grade_evidence", judge)
    if update["note"].outcome == EvidenceOutcome.RETRY and _is_decided(state, deps, update["search"].likelihood):
        update["note"] = replace(update["note"], outcome=EvidenceOutcome.NOTHING.value)
    if update["note"].outcome == EvidenceOutcome.NOTHING and web_is_open(state, deps):
        update["note"] = replace(update["note"], outcome=EvidenceOutcome.WEB.value)
    in_doubt = update["note"].reason == IN_DOUBT
    return {**update, "search": replace(update["search"], in_doubt=in_doubt)}


def _is_decided(state: State, deps: Deps, first: float | None) -> bool:
    """Whether the rules would reject the answer of any further query; see SUPPORTED.

    first: likelihood of an answer in the results of the first search.
    """
    kind = Question(state.standalone_question).kind
    whole = kind.is_about_whole_documents or kind is QuestionKind.RELATION
    return (deps.llm.engine == BUILT_IN or deps.small_model) and not whole and first is not None and first < SUPPORTED


def evaluate_relevance(state: State, runtime: NodeRuntime) -> Update:
    """Grades for workflows without the web; in doubt a model grades before anything is written."""
    return grade(state, runtime.context, "evaluate_relevance")


def grade(state: State, deps: Deps, node: str) -> Update:
    """Grades for the named node; in doubt a model grades before anything is written."""
    return _graded(state, deps, node, partial(_weighed, state, deps, partial(ask_model, deps, GRADE)))


def is_in_doubt(state: State, deps: Deps) -> bool:
    """Whether the rules also reject the passages that were kept for a model to decide."""
    if not state.search.in_doubt or state.search.web:
        return False
    view = view_of(state.standalone_question, passages_of(state.search.kept, deps), deps)
    return bool(_reasons_against(state, deps, view, _first_likelihood(state, deps, view)))


def _reasons_against(state: State, deps: Deps, view: EvidenceAssessment, first: float) -> tuple[AssessmentReason, ...]:
    """Reasons why the evidence does not answer; empty if it does.

    first: likelihood of an answer in the results of the first search.
    """
    if view.assessment.reasons:
        return view.assessment.reasons
    if first < SUPPORTED and not view.is_found_by_rule:
        return (AssessmentReason.below("first_search", first, SUPPORTED),)
    return () if says_connection(state, deps, view.passages) else (AssessmentReason.named("no_connection"),)


def _first_likelihood(state: State, deps: Deps, view: EvidenceAssessment) -> float:
    """Likelihood of an answer in the results of the first search, which were not assessed if kept for a model."""
    if state.search.likelihood is not None:
        return state.search.likelihood
    if state.search.in_doubt and (kept := passages_of(state.search.kept, deps)):
        return view_of(state.standalone_question, kept, deps).probability
    return view.probability


def _weighed(
    state: State, deps: Deps, judge: Callable[[GradeRequest], Grades], passages: Sequence[Passage]
) -> tuple[Grades, float]:
    """`judge` is called if the rules find no answer."""
    question = state.standalone_question
    view = view_of(question, passages, deps)
    first = _first_likelihood(state, deps, view)
    against = _reasons_against(state, deps, view, first)
    deps.emit(EvidenceAssessed(replace(view.assessment, reasons=against)))
    if not against:
        return _all_of(passages, "run.reason.evidence_enough"), first
    request = GradeRequest(question, tuple(passages))
    return judge(request) if passages else _unsure(request), first


def _unweighed(state: State, passages: Sequence[Passage]) -> tuple[Grades, float | None]:
    if passages:
        return _all_of(passages, IN_DOUBT), state.search.likelihood
    return Grades(relevant=[], reason=SHORT), state.search.likelihood or 0.0


def _graded(state: State, deps: Deps, node: str, grade: Grade) -> Update:
    """Grades for the named node."""
    question = state.standalone_question
    insisted = state.options.insisted
    found = passages_of(state.search.hits, deps)
    most = MAX_KEPT_BUILT_IN if deps.llm.engine == BUILT_IN else MAX_KEPT
    candidates, refused = sift(question, found, deps.readings, insisted, all_found=deps.small_model, most=most)
    if deps.llm.engine == BUILT_IN:
        candidates += rest_of_tables(question, candidates, deps.passages.beside, deps.readings)
    grades, first = grade(candidates)
    kept = _chosen(candidates, grades, insisted)
    if deps.llm.engine == BUILT_IN and grades.relevant and insisted:
        kept = _without_unquoted(question, kept, insisted, deps)
    refused += [(passage, "run.rejected.no_answer") for passage in candidates if passage not in kept]
    _emit(node, deps, state, kept, refused)
    outcome = _outcome(state, deps, kept)
    rejected = tuple(Rejected(passage.chunk.id, passage.score, reason) for passage, reason in refused)
    hits = tuple(Hit(passage.chunk.id, passage.score, passage.sources) for passage in kept)
    reason = "" if kept else grades.reason or "run.reason.nothing_found"
    return {
        "search": replace(state.search, kept=hits, rejected=(*state.search.rejected, *rejected), likelihood=first),
        "draft": replace(state.draft, verdict_reason=reason),
        "note": noted(
            outcome,
            grades.reason if candidates else "run.reason.nothing_found",
            kept=len(kept),
            rejected=len(refused) or "",
        ),
    }


def _chosen(candidates: Sequence[Passage], grades: Grades, insisted: Collection[str]) -> list[Passage]:
    """Relevant passages, and those that the reader insists on."""
    numbered = enumerate(candidates, 1)
    return [passage for number, passage in numbered if number in grades.relevant or passage.chunk.id in insisted]


def _without_unquoted(question: str, kept: Sequence[Passage], insisted: Collection[str], deps: Deps) -> list[Passage]:
    """Passages of which a passage that the reader insists on is quoted: unquoted, its score would only make the
    quotes of others look more certain.
    """
    view = view_of(question, kept, deps)
    quoted = {kept[quote.passage].chunk.id for part in (view, *view.parts) for quote in part.quotes}
    return [passage for passage in kept if passage.chunk.id not in insisted or passage.chunk.id in quoted]


def _judged(state: State, deps: Deps, request: GradeRequest) -> Grades:
    """No passage without a model; with one all passages, unless its last answer lacked evidence in these.

    A small model is slow and is asked once.
    """
    if deps.llm.engine == BUILT_IN or deps.small_model:
        return _unsure(request)
    refused = {hit.chunk_id for hit in state.search.kept} if is_in_doubt(state, deps) else set()
    if refused.issuperset(passage.chunk.id for passage in request.passages):
        return Grades(relevant=[], reason=state.draft.verdict_reason)
    return _all_of(request.passages, IN_DOUBT)


def sift(
    question: str,
    passages: Sequence[Passage],
    readings: Readings,
    insisted: Collection[str] = (),
    all_found: bool = False,
    most: int = MAX_KEPT,
) -> tuple[list[Passage], list[tuple[Passage, str]]]:
    """Relevant passages, best first, and the rejected ones with a reason (a catalogue key).

    For a two-part question, being relevant to one part suffices. insisted: ids of chunks that are kept in any case.
    all_found: whatever was found is relevant.
    """
    asked = (question, *Question(question).parts)
    view, *parts = (EvidenceAssessment(each, passages, None, readings) for each in asked)
    words = {passage.chunk.id: terms for passage, terms in zip(passages, view.texts, strict=True)}
    kept: list[Passage] = []
    refused: list[tuple[Passage, str]] = []
    for place, (passage, read) in enumerate(zip(passages, view.read, strict=True)):
        speaks = max(relevance(it, passage, read.terms) for it in (view, *parts))
        if has_what_is_compared(question, passage, readings):
            speaks = max(speaks, RELEVANT)
        if passage.chunk.id in insisted:
            kept.append(passage)
        elif not all_found and (place >= ALWAYS_READ or not speaks) and speaks < _enough(question, passage):
            refused.append((passage, "run.rejected.off_topic"))
        elif not read.units and view.kind is not QuestionKind.AUTHORS:
            refused.append((passage, "run.rejected.nothing_quotable"))
        elif any(_alike(words[passage.chunk.id], words[other.chunk.id]) for other in kept):
            refused.append((passage, "run.rejected.duplicate"))
        elif len(kept) >= most:
            refused.append((passage, "run.rejected.over_limit"))
        else:
            kept.append(passage)
    return kept, refused


def relevance(view: EvidenceAssessment, passage: Passage, terms: frozenset[str]) -> float:
    """0..1: share of the question's terms in the passage; its retrieval score if words cannot decide."""
    if view.kind.is_about_whole_documents and (passage.chunk.index == 0 or is_opening_section(passage.chunk.section)):
        return max(passage.score, view.needs.coverage(terms))
    if not same_script(view.question, passage.chunk.text):
        return passage.score
    return view.needs.coverage(terms)


def _enough(question: str, passage: Passage) -> float:
    if not same_script(question, passage.chunk.text):
        return RELEVANT_ACROSS
    return RELEVANT_IF_SURE if passage.score >= SURE_HIT else RELEVANT


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= ALIKE * max(1, len(one | other))


def _outcome(state: State, deps: Deps, kept: Sequence[Passage]) -> EvidenceOutcome:
    if kept:
        return EvidenceOutcome.FOUND
    return EvidenceOutcome.RETRY if deps.may_correct(state) else EvidenceOutcome.NOTHING


def _emit(node: str, deps: Deps, state: State, kept: Sequence[Passage], refused: Sequence[tuple[Passage, str]]) -> None:
    """Emits kept and rejected passages, including those below the retriever's threshold, and the entities."""
    below = {item.chunk_id: item for item in state.search.rejected}
    low = passages_of([Hit(item.chunk_id, item.score) for item in below.values()], deps)
    rejected = [shown(passage, reason) for passage, reason in refused]
    rejected += [shown(passage, below[passage.chunk.id].reason) for passage in low]
    deps.emit(PassagesGraded(node, tuple(map(shown, kept)), tuple(rejected)))
    if ids := _touched(state, deps, kept):
        deps.emit(GraphTouched(node, tuple(ids)))


def _touched(state: State, deps: Deps, kept: Sequence[Passage]) -> list[str]:
    """Entities of the question, then of the passages."""
    question = state.standalone_question
    if not kept:
        return [entity.id for entity in entities_named(question, state, deps)[:MAX_TOUCHED]]
    chunks = tuple(passage.chunk.id for passage in kept)
    return asked_once(deps, deps.graph.touched, state.base_id, question, chunks, MAX_TOUCHED)


def says_connection(state: State, deps: Deps, passages: Sequence[Passage]) -> bool:
    """Whether a sentence, or two in a row, name both things whose connection is asked for; True for other questions."""
    if state.search.asked.statement or state.search.asked.kind is not GraphQuestion.CONNECTION:
        return True
    try:
        one, *_, other = _ends(state, deps)
    except NotFoundError:
        return False
    said = (piece for passage in passages for piece in pairwise(["", *sentences(passage.chunk.text)]))
    return any(one.is_named_in(piece) and other.is_named_in(piece) for piece in map(" ".join, said))


def _ends(state: State, deps: Deps) -> list[Entity]:
    asked = state.search.asked
    if asked.names:
        return [Entity(f"name {name}", state.base_id, name, "") for name in asked.names]
    return [deps.graph.entity(entity_id) for entity_id in asked.entities]
