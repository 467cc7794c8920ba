"""What the Memory page does to memories, and what it keeps in the session: the one being edited, the ones to undo."""

from dataclasses import replace

import streamlit as st

from core.domain.clock import Clock, utc_now
from core.domain.ids import content_id
from core.domain.memories import Memory, MemoryKind, MemoryStatus
from core.errors import InputError
from core.ports.memory import MemoryStore

MAX_TEXT = 600
MAX_UNDO = 10
_EDITED = "memory-edited"
_DELETED = "memory-deleted"


def new_memory(text: str, kind: MemoryKind, importance: int, now: Clock = utc_now) -> Memory:
    """A memory in the reader's own words: active, and as sure as can be. Raises InputError for empty or long text."""
    made = now()
    words = checked(text)
    return Memory(
        content_id("memory", words, made.isoformat()), words, kind, importance, 1.0, MemoryStatus.ACTIVE, made, made
    )


def checked(text: str) -> str:
    words = " ".join(text.split())
    if not words or len(words) > MAX_TEXT:
        raise InputError("memory.error.empty", limit=MAX_TEXT)
    return words


def edited_id() -> str:
    return str(st.session_state.get(_EDITED, ""))


def edit(memory_id: str) -> None:
    """An empty id ends the editing."""
    st.session_state[_EDITED] = memory_id


def save_edit(store: MemoryStore, memory: Memory, text: str, kind: MemoryKind, importance: int) -> None:
    store.save(replace(memory, text=checked(text), kind=kind, importance=importance))
    edit("")


def toggle_pin(store: MemoryStore, memory: Memory) -> None:
    store.save(replace(memory, pinned=not memory.pinned))


def accept(store: MemoryStore, memory: Memory) -> None:
    store.save(replace(memory, status=MemoryStatus.ACTIVE))


def delete(store: MemoryStore, memory: Memory) -> None:
    store.delete(memory.id)
    st.session_state[_DELETED] = [*deleted(), memory][-MAX_UNDO:]


def deleted() -> list[Memory]:
    """Those deleted in this session that can still come back, oldest first."""
    return list(st.session_state.get(_DELETED, []))


def undo(store: MemoryStore) -> None:
    *rest, memory = deleted()
    store.save(memory)
    st.session_state[_DELETED] = rest
