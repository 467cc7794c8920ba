"""Actions of the Memory page, and its session state: the edited memory and the deletions that can be undone."""

from dataclasses import dataclass, replace
from datetime import datetime

import streamlit as st

from core.memory.keeping import checked
from core.memory.model import Memory, MemoryKind, MemoryStatus
from core.memory.ports import MemoryStore
from core.platform.clock import utc_now

MAX_UNDO = 50
_EDITED = "memory-edited"
_DELETED = "memory-deleted"


@dataclass(frozen=True, slots=True)
class Fields:
    """What can be changed of a memory."""

    text: str
    kind: MemoryKind
    importance: int
    expires_at: datetime | None = None
    base_id: str = ""
    in_thread_only: bool = False


def edited_id() -> str:
    return str(st.session_state.get(_EDITED, ""))


def edit(memory_id: str) -> None:
    """An empty id ends the editing."""
    st.session_state[_EDITED] = memory_id


def save_edit(store: MemoryStore, memory: Memory, fields: Fields) -> None:
    """A memory that had expired is active again where its new time is to come."""
    status = memory.status
    if status is MemoryStatus.EXPIRED and (fields.expires_at is None or fields.expires_at > utc_now()):
        status = MemoryStatus.ACTIVE
    store.save(
        replace(
            memory,
            text=checked(fields.text),
            kind=fields.kind,
            importance=fields.importance,
            status=status,
            expires_at=fields.expires_at,
            base_id=fields.base_id,
            in_thread_only=fields.in_thread_only,
        )
    )
    edit("")


def toggle_pin(store: MemoryStore, memory: Memory) -> None:
    store.save(replace(memory, pinned=not memory.pinned))


def accept(store: MemoryStore, *memories: Memory) -> None:
    for memory in memories:
        store.save(replace(memory, status=MemoryStatus.ACTIVE))


def reject(store: MemoryStore, *memories: Memory, reason: str = "") -> None:
    """Kept, so that they are not proposed again; can be undone."""
    for memory in memories:
        store.save(replace(memory, status=MemoryStatus.REJECTED, reason=reason or memory.reason))
    _note_undo(*memories)


def supersede(store: MemoryStore, older: Memory, by: Memory) -> None:
    """The other one stands in its place; can be undone."""
    store.save(replace(older, status=MemoryStatus.SUPERSEDED, superseded_by=by.id))
    _note_undo(older)


def delete(store: MemoryStore, *memories: Memory) -> None:
    """With those that they superseded; all of them come back together."""
    older = [one for memory in memories for one in store.superseded_by(memory.id)]
    for memory in memories:
        store.delete(memory.id)
    _note_undo(*memories, *older)


def _note_undo(*memories: Memory) -> None:
    st.session_state[_DELETED] = [*deleted(), memories][-MAX_UNDO:]


def deleted() -> list[tuple[Memory, ...]]:
    """Those deleted in this session that can still come back, oldest first; each with what went with it."""
    return list(st.session_state.get(_DELETED, []))


def undo(store: MemoryStore) -> None:
    *rest, memories = deleted()
    for memory in memories:
        store.save(memory)
    st.session_state[_DELETED] = rest
