"""Stores at most one memory per turn: the user's own statement, or a conclusion that awaits approval."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from core.agents.intents import Intent
from core.agents.nodes.memory.memories import count_used, told_of_self
from core.agents.nodes.runtime import ask_model, noted, understood_in
from core.agents.state import Deps, Note, State, Update
from core.memory.conclusions import LONGEST, borne_out, whole_sentences
from core.memory.contradictions import NEAR, contradicts
from core.memory.model import Memory, MemoryKind, MemoryStatus
from core.models.tasks import Task
from core.platform.errors import NotFoundError, ServiceError
from core.platform.ids import content_id
from core.platform.language.terms import content_terms
from core.rulebook.understanding.questions import QuestionKind, kind_of
from core.rulebook.understanding.statements import Statement, statement_in
from core.runs.events import Degraded, MemorySaved
from core.runs.model import AnswerOutcome

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

MOST_OUTDATED = 8
SAME = 0.08
"""Memories closer than this cosine distance count as equal."""
_THE_USER = "user users 用户"
"""How the prompt calls the person, who says "I"."""
_LASTING = {QuestionKind.OVERVIEW, QuestionKind.DEFINITION, QuestionKind.COMPARISON, QuestionKind.RELATION}
"""Kinds of questions whose answers are worth keeping; facts can be looked up again."""


@dataclass(frozen=True, slots=True)
class ConsolidateRequest:
    question: str
    answer: str
    statement: str = ""
    """What the user said about themselves, detected by rule."""
    evidence: tuple[str, ...] = ()
    """Sentences of several documents that support the answer, best first."""


class Distilled(BaseModel):
    """At most one memory from a turn."""

    keep: bool = Field(description="false for most turns: only what will matter in later conversations is kept")
    text: str = Field(default="", description="one sentence that stands alone")
    kind: MemoryKind = Field(default=MemoryKind.FACT, description="fact or preference of the user, else conclusion")
    importance: int = Field(default=5, ge=1, le=10)


def _by_source(request: ConsolidateRequest) -> Distilled:
    """Rule: the user's own words, else a sentence that a second document supports."""
    if request.statement:
        found = statement_in(request.statement) or Statement(request.statement, MemoryKind.FACT, 7)
        return Distilled(keep=True, text=request.statement, kind=found.kind, importance=found.importance)
    if words := borne_out(request.evidence):
        return Distilled(keep=True, text=words, kind=MemoryKind.CONCLUSION, importance=4)
    return Distilled(keep=False)


CONSOLIDATE = Task("consolidate_memory", Distilled, _by_source, max_tokens=500)


def consolidate_memory(state: State, runtime: Runtime[Deps]) -> Update:
    """Counts the use of recalled memories and stores what the turn adds."""
    deps = runtime.context
    if not state.use_memory:
        return {"note": noted("off", "run.reason.memory_off")}
    used = "; ".join(memory.text for memory in count_used(state, deps))
    statement = told_of_self(state, deps)
    request = ConsolidateRequest(state.question, state.draft.answer, statement.text if statement else "", _said(state))
    made = _distilled(request, state, deps)
    if not made.keep or not made.text.strip():
        return {"note": noted("nothing", "run.reason.memory_nothing", used_memories=used)}
    return {"note": _kept(_memory(state, deps, made, request), state, deps, used)}


def _distilled(request: ConsolidateRequest, state: State, deps: Deps) -> Distilled:
    """The memory as worded by a model; a note the user asked for keeps the user's own words."""
    if not request.statement and not request.evidence:
        return Distilled(keep=False)
    made = ask_model(deps, CONSOLIDATE, request)
    promised = bool(request.statement) and understood_in(state, deps).perhaps is Intent.STATEMENT
    return _by_source(request) if promised and not (made.keep and _are_own_words(made.text, state.question)) else made


def _kept(memory: Memory, state: State, deps: Deps, used: str) -> Note:
    outdated = _contradicted(memory, state, deps)
    if not outdated and _is_known(memory, state, deps):
        return noted("known", "run.reason.memory_known", memory=memory.text, used_memories=used)
    deps.memories.save(memory)
    for older in outdated:
        deps.memories.save(replace(older, status=MemoryStatus.SUPERSEDED, superseded_by=memory.id))
    deps.emit(MemorySaved(memory.id, memory.text, memory.status.value))
    return noted(memory.status, f"run.reason.memory_{memory.status}", memory=memory.text, used_memories=used)


def _said(state: State) -> tuple[str, ...]:
    """Sentences of several documents, for confirmed answers that are worth keeping."""
    confirmed = state.draft.outcome == AnswerOutcome.ANSWERED and not state.draft.unsupported
    if not confirmed or kind_of(state.standalone_question) not in _LASTING:
        return ()
    return whole_sentences(state.draft.citations)


def _memory(state: State, deps: Deps, made: Distilled, request: ConsolidateRequest) -> Memory:
    words = _cut(" ".join(made.text.split()))
    own = bool(request.statement) and _are_own_words(words, request.question)
    kind = made.kind if own else MemoryKind.CONCLUSION
    now = deps.now()
    base = "" if own else state.base_id
    return Memory(
        id=content_id("memory", base, words),
        text=words,
        kind=kind,
        importance=made.importance,
        confidence=1.0 if own else max((citation.score for citation in state.draft.citations), default=0.5),
        status=MemoryStatus.ACTIVE if own else MemoryStatus.PROPOSED,
        created_at=now,
        last_used_at=now,
        base_id=base,
        index_version=deps.bases.get(state.base_id).index_version if base else 0,
        thread_id=state.thread_id,
        run_id=state.run_id,
        reason="" if own else "memory.why.documents",
    )


def _are_own_words(words: str, question: str) -> bool:
    """Whether the text is the user's own; only then may it become active without approval.

    Every word counts: a single one more may be what a document told the model to remember.
    """
    wanted = set(content_terms(words)) - set(content_terms(_THE_USER))
    return bool(wanted) and wanted <= set(content_terms(question))


def _contradicted(memory: Memory, state: State, deps: Deps) -> list[Memory]:
    """Memories of which the user now says otherwise; what documents say supersedes nothing by itself."""
    if memory.status is not MemoryStatus.ACTIVE:
        return []
    try:
        near = deps.memories.candidates(memory.text, state.base_id, MOST_OUTDATED, state.thread_id)
    except ServiceError:
        return []  # told when it is asked whether the memory is known
    return [older for older, distance in near if distance <= NEAR and contradicts(memory, older)]


def _is_known(memory: Memory, state: State, deps: Deps) -> bool:
    """Whether an active memory, or a conclusion proposed or declined before, says the same."""
    with suppress(NotFoundError):
        known = deps.memories.get(memory.id)
        return known.status is MemoryStatus.ACTIVE or memory.status is not MemoryStatus.ACTIVE
    try:
        near = deps.memories.candidates(memory.text, state.base_id, 1, state.thread_id)
    except ServiceError as error:
        deps.emit(Degraded("consolidate_memory", error.key))
        return False
    return bool(near) and near[0][1] < SAME


def _cut(words: str) -> str:
    return words if len(words) <= LONGEST else words[:LONGEST].rsplit(" ", 1)[0] + " …"
