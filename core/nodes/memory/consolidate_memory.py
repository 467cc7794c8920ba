"""Keeps at most one memory of a turn: what the user said of themselves, or a conclusion that waits to be approved."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from core.builtin.intent.questions import Kind, kind_of
from core.builtin.intent.statements import Statement, statement_in
from core.builtin.quoting.sentence_ranking import subject_of
from core.domain.events import Degraded, MemorySaved
from core.domain.ids import content_id
from core.domain.memories import Memory, MemoryKind, MemoryStatus
from core.domain.runs import AnswerOutcome
from core.errors import NotFoundError, ServiceError
from core.language.terms import content_terms
from core.nodes.runtime import ask_model, noted
from core.state import Deps, State, Update
from core.tasks import Task

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

MAX_TEXT = 240
SAME = 0.08
"""Cosine distance below which two memories say the same."""
OWN_WORDS = 0.6
"""The share of a memory's words that must be the user's for it to be active by itself."""
_LASTING = {Kind.OVERVIEW, Kind.DEFINITION}
"""Questions whose answers are worth keeping; facts are looked up again."""


@dataclass(frozen=True, slots=True)
class ConsolidateRequest:
    question: str
    answer: str
    statement: str = ""
    """What the user said of themselves, as far as a rule can tell."""
    evidence: str = ""
    """The words of the documents that the answer rests on most."""


class Distilled(BaseModel):
    """At most one thing worth remembering of a turn of conversation."""

    keep: bool = Field(description="false for most turns: only what will matter in later conversations is kept")
    text: str = Field(default="", description="one sentence that stands alone")
    kind: MemoryKind = Field(default=MemoryKind.FACT, description="fact or preference of the user, else conclusion")
    importance: int = Field(default=5, ge=1, le=10)


def _by_source(request: ConsolidateRequest) -> Distilled:
    if request.statement:
        found = statement_in(request.statement) or Statement(request.statement, MemoryKind.FACT, 7)
        return Distilled(keep=True, text=request.statement, kind=found.kind, importance=found.importance)
    if request.evidence:
        subject = subject_of(request.question)
        opens = request.evidence.casefold().startswith(subject.casefold())
        words = request.evidence if opens or not subject else f"{subject}: {request.evidence}"
        return Distilled(keep=True, text=_cut(words), kind=MemoryKind.CONCLUSION, importance=4)
    return Distilled(keep=False)


CONSOLIDATE = Task("consolidate_memory", Distilled, _by_source)


def consolidate_memory(state: State, runtime: Runtime[Deps]) -> Update:
    """A model is asked only where the user said something; a conclusion is quoted, which needs none."""
    deps = runtime.context
    if not state.use_memory:
        return {"note": noted("off", "run.reason.memory_off")}
    statement = statement_in(state.question)
    request = ConsolidateRequest(
        state.question, state.draft.answer, statement.text if statement else "", _evidence(state)
    )
    if not request.statement and not request.evidence:
        return {"note": noted("nothing", "run.reason.memory_nothing")}
    made = ask_model(deps, CONSOLIDATE, request) if request.statement else _by_source(request)
    if not made.keep or not made.text.strip():
        return {"note": noted("nothing", "run.reason.memory_nothing")}
    memory = _memory(state, deps, made, request)
    if _is_known(memory, state, deps):
        return {"note": noted("known", "run.reason.memory_known", memory=memory.text)}
    deps.memories.save(memory)
    deps.emit(MemorySaved(memory.id, memory.text, memory.status.value))
    return {"note": noted(memory.status, f"run.reason.memory_{memory.status}", memory=memory.text)}


def _evidence(state: State) -> str:
    """What the best citation quotes, for answers that are confirmed and worth keeping."""
    question = state.standalone_question
    confirmed = state.draft.outcome == AnswerOutcome.ANSWERED and not state.draft.unsupported and state.draft.citations
    if not confirmed or kind_of(question) not in _LASTING:
        return ""
    return max(state.draft.citations, key=lambda citation: (citation.score, -citation.number)).text


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
    )


def _are_own_words(words: str, question: str) -> bool:
    """Nothing but what the user wrote may become active by itself, whatever a model or a document says."""
    wanted = set(content_terms(words))
    return len(wanted & set(content_terms(question))) >= OWN_WORDS * len(wanted)


def _is_known(memory: Memory, state: State, deps: Deps) -> bool:
    """The same words were kept, or declined, before; or an active memory says the same."""
    with suppress(NotFoundError):
        deps.memories.get(memory.id)
        return True
    try:
        near = deps.memories.candidates(memory.text, state.base_id, 1)
    except ServiceError as error:
        deps.emit(Degraded("consolidate_memory", error.key))
        return False
    return bool(near) and near[0][1] < SAME


def _cut(words: str) -> str:
    return words if len(words) <= MAX_TEXT else words[:MAX_TEXT].rsplit(" ", 1)[0] + " …"
