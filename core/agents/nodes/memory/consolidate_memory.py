"""Stores what a turn adds: the user's own statement, each fact by itself, or a conclusion that awaits approval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from core.agents.intents import Intent
from core.agents.nodes.memory.memories import (
    count_used,
    own_memories,
    statement_about_self,
)
from core.agents.nodes.memory.replying import brought_back, dropped, in_place_of, restored_by
from core.agents.nodes.runtime import ask_model, noted
from core.agents.nodes.understood import told_in, understood_in
from core.agents.state import Deps, Note, State, Update
from core.memory.conclusions import LONGEST, borne_out, whole_sentences
from core.memory.keeping import keep
from core.memory.model import Memory, MemoryKind, MemoryStatus, memory_id
from core.models.tasks import Task
from core.platform.language.terms import content_terms
from core.rulebook.messages import PersonalMessage, Question, Statement
from core.rulebook.model import QuestionKind
from core.runs.events import MemorySaved
from core.runs.model import AnswerOutcome

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

_THE_USER = " ".join(("user users 用户", *Statement.NAMES))
"""Words of the prompt and of facts for the person, who says "I"."""
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
        found = PersonalMessage(request.statement).statement or Statement(request.statement, MemoryKind.FACT, 7)
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
    if gone := dropped(state, deps):
        return {"note": _taken_back(gone, state, deps)}
    if back := brought_back(state, deps):
        return {"note": _brought_back(back, in_place_of(state, deps), state, deps)}
    statement = statement_about_self(state, deps) or told_in(state, deps)
    request = ConsolidateRequest(state.question, state.draft.answer, statement.text if statement else "", _said(state))
    made = _distilled(request, state, deps)
    if not made.keep or not made.text.strip():
        return {"note": noted("nothing", "run.reason.memory_nothing", used_memories=used)}
    return {"note": _kept(_memories(state, deps, made, statement), in_place_of(state, deps), deps, used)}


def _distilled(request: ConsolidateRequest, state: State, deps: Deps) -> Distilled:
    """The memory as worded by a model; a note the user asked for keeps the user's own words."""
    if not request.statement and not request.evidence:
        return Distilled(keep=False)
    made = ask_model(deps, CONSOLIDATE, request)
    promised = bool(request.statement) and understood_in(state, deps).perhaps is Intent.STATEMENT
    return _by_source(request) if promised and not (made.keep and _are_own_words(made.text, state.question)) else made


def _taken_back(gone: Sequence[Memory], state: State, deps: Deps) -> Note:
    for older in [older for memory in gone for older in restored_by(memory, state, deps)]:
        deps.memories.save(older)
    for memory in gone:
        deps.memories.save(replace(memory, status=MemoryStatus.REJECTED))
    return noted("nothing", "run.reason.memory_declined", memory="; ".join(memory.text for memory in gone))


def _brought_back(back: Sequence[Memory], instead: Sequence[Memory], state: State, deps: Deps) -> Note:
    """Puts them in force or lets them wait, as before, and takes out of force what then took their place."""
    for memory in (replace(one, run_id=state.run_id) for one in back):
        if memory.status is MemoryStatus.ACTIVE:
            keep(deps.memories, memory, deps.meanings, instead)
        else:
            deps.memories.save(memory)
            for other in instead:
                deps.memories.save(replace(other, status=MemoryStatus.SUPERSEDED, superseded_by=memory.id))
        deps.emit(MemorySaved(memory.id, memory.text, memory.status.value))
    status, words = back[0].status, "; ".join(memory.text for memory in back)
    return noted(status, f"run.reason.memory_{'active' if status is MemoryStatus.ACTIVE else 'offered'}", memory=words)


def _kept(memories: Sequence[Memory], instead: Sequence[Memory], deps: Deps, used: str) -> Note:
    met = [(memory, keep(deps.memories, memory, deps.meanings, instead)) for memory in memories]
    fresh = [memory for memory, (_, its) in met if its.twin is None]
    if not fresh:
        known = "; ".join(standing.text for _, (standing, _) in met)
        return noted("known", "run.reason.memory_known", memory=known, used_memories=used)
    for memory in fresh:
        deps.emit(MemorySaved(memory.id, memory.text, memory.status.value))
    older = "; ".join(one.text for _, (_, its) in met for one in its.outdated)
    status, words = fresh[0].status, "; ".join(memory.text for memory in fresh)
    is_offer = status is MemoryStatus.PROPOSED and fresh[0].kind is not MemoryKind.CONCLUSION
    reason = "run.reason.memory_supersedes" if older else f"run.reason.memory_{'offered' if is_offer else status}"
    return noted(status, reason, memory=words, superseded=older, used_memories=used)


def _said(state: State) -> tuple[str, ...]:
    """Sentences from several documents, for confirmed answers to questions worth keeping."""
    confirmed = state.draft.outcome == AnswerOutcome.ANSWERED and not state.draft.unsupported
    if not confirmed or Question(state.standalone_question).kind not in _LASTING:
        return ()
    return whole_sentences(state.draft.citations)


def _memories(state: State, deps: Deps, made: Distilled, told: Statement | None) -> list[Memory]:
    words = " ".join(made.text.split())
    words = words if told and words == told.text else _cut(words)  # of several facts each is short
    if told and (words == told.text or _are_own_words(words, state.question)):
        return own_memories(state, deps, replace(told, text=words, kind=made.kind, importance=made.importance))
    now = deps.now()
    conclusion = Memory(
        id=memory_id(state.base_id, words),
        text=words,
        kind=MemoryKind.CONCLUSION,
        importance=made.importance,
        confidence=max((citation.score for citation in state.draft.citations), default=0.5),
        status=MemoryStatus.PROPOSED,
        created_at=now,
        last_used_at=now,
        base_id=state.base_id,
        index_version=deps.bases.get(state.base_id).index_version,
        thread_id=state.thread_id,
        run_id=state.run_id,
        reason="memory.why.documents",
    )
    return [conclusion]


def _are_own_words(words: str, question: str) -> bool:
    """Whether the text is the user's own; only then may it become active without approval.

    Every word counts: a single one more may be what a document told the model to remember.
    """
    wanted = set(content_terms(words)) - set(content_terms(_THE_USER))
    return bool(wanted) and wanted <= set(content_terms(question))


def _cut(words: str) -> str:
    return words if len(words) <= LONGEST else words[:LONGEST].rsplit(" ", 1)[0] + " …"
