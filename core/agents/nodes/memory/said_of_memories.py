"""What is said of memories themselves, by rule even beside a model: it has to be true of what is kept and found."""

from core.agents.intents import Intent
from core.agents.nodes.memory.memories import own_memory, told_of_self
from core.agents.nodes.runtime import told_in_memory, understood_in
from core.agents.state import Deps, State
from core.memory.contradictions import labelled
from core.memory.keeping import compared
from core.memory.model import Memory, MemoryStatus, Scope
from core.memory.relevance import found_by_words, relevant
from core.platform.errors import ServiceError
from core.platform.language.terms import content_terms
from core.platform.texts import text
from core.rulebook.messages import PersonalMessage

NAMED = 10
"""Memories that are named before they are forgotten."""


def said_of_memories(state: State, deps: Deps) -> str:
    """The answer to a message about memories; empty where there is nothing particular to say."""
    if subject := PersonalMessage(state.question).subject_to_forget:
        return _to_forget(subject, state, deps)
    if memory := told_in_memory(state, deps):
        label, value = labelled(memory.text)
        key = "answer.direct.told_value" if label else "answer.direct.told"
        day = f"{memory.created_at:%Y-%m-%d}"
        return text(key, state.language, value=value, statement=memory.text, day=day)
    return _of_statement(state, deps) if state.use_memory else ""


def _of_statement(state: State, deps: Deps) -> str:
    """Of one that is known, offered or supersedes an older one: it is kept after the answer."""
    told = told_of_self(state, deps)
    if told is None or understood_in(state, deps).intent is not Intent.STATEMENT:
        return ""
    met = compared(deps.memories, own_memory(state, deps, told.text, told), deps.form_of)
    if met.twin and met.twin.status is MemoryStatus.ACTIVE:
        return text("answer.direct.known", state.language, statement=met.twin.text)
    if met.twin:
        return text("answer.direct.chat", state.language)  # it was offered once
    if not told.certain:
        return text("answer.direct.offered", state.language, statement=told.text)
    older = "; ".join(one.text for one in met.outdated if one.status is MemoryStatus.ACTIVE)
    replaced = text("answer.direct.superseded", state.language, older=older)
    return f"{text('answer.direct.statement', state.language, statement=told.text)}\n\n{replaced}" if older else ""


def _to_forget(subject: str, state: State, deps: Deps) -> str:
    """Names what would go; nothing is deleted by a message."""
    found = _about(subject, state, deps)
    if not found:
        return text("answer.direct.forget_none", state.language)
    listed = "".join(f"\n- {memory.text}" for memory in found)
    return text("answer.direct.forget", state.language, subject=subject) + listed


def _about(subject: str, state: State, deps: Deps) -> list[Memory]:
    """Those that have its words; where none has them all, those near it."""
    scope = Scope(state.base_id, state.thread_id)
    try:
        found = deps.memories.search(subject, scope)
    except ServiceError:
        found = found_by_words(subject, deps.memories.active(scope), deps.now())
    wanted = PersonalMessage(subject).terms
    near = relevant(found)
    return ([one for one in near if wanted <= set(content_terms(one.text))] or near)[:NAMED]
