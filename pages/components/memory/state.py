"""Actions of the Memory page, and its session state: the edited memory and the deletions that can be undone.

A click may be for what was deleted since in another window, which does not come back by it.
"""

from dataclasses import replace

import streamlit as st

from core.memory import keeping
from core.memory.keeping import checked, stored
from core.memory.model import Memory, MemoryStatus
from core.memory.ports import MemoryStore
from core.platform.clock import utc_now
from pages.components.shell.services import services

MAX_UNDO = 50
_EDITED = "memory-edited"
_DELETED = "memory-deleted"
_PAST = "memory-past"
_OUT_OF_FORCE = {MemoryStatus.REJECTED, MemoryStatus.SUPERSEDED}


def edited_id() -> str:
    return str(st.session_state.get(_EDITED, ""))


def edit(memory_id: str) -> None:
    """Edit a memory; an empty id ends the editing."""
    st.session_state[_EDITED] = memory_id


def save_edit(store: MemoryStore, edited: Memory) -> None:
    """Save a memory; an expired one becomes active again if its new date lies in the future. Raises InputError."""
    is_valid = edited.expires_at is None or edited.expires_at > utc_now()
    status = MemoryStatus.ACTIVE if edited.status is MemoryStatus.EXPIRED and is_valid else edited.status
    store.save(replace(edited, text=checked(edited.text), status=status))
    edit("")


def toggle_pin(store: MemoryStore, memory: Memory) -> None:
    for current in stored(store, [memory.id]):
        store.save(replace(current, pinned=not memory.pinned))


def accept(store: MemoryStore, *memories: Memory) -> None:
    """What they contradict is superseded, which can be undone; of two that say the same the older one stays.

    Accepted in the order in which they were said: of two that contradict each other the newer one stays.
    """
    current = stored(store, (memory.id for memory in memories))
    for memory in sorted(current, key=lambda one: one.created_at):
        met = keeping.accept(store, memory, services().models.meanings)
        if replaced := [one for one in met.outdated if one.id != memory.id]:
            _note_undo(*replaced)


def reject(store: MemoryStore, *memories: Memory, reason: str = "") -> None:
    """Reject memories, so that they are not proposed again, in favour of what they replaced; can be undone."""
    current = stored(store, (memory.id for memory in memories))
    for memory in current:
        restore_replaced(store, memory)
        store.save(replace(memory, status=MemoryStatus.REJECTED, reason=reason or memory.reason))
    _note_undo(*current)


def supersede(store: MemoryStore, older: Memory, by: Memory) -> None:
    """Replace a memory by the other one; can be undone."""
    current = stored(store, (older.id, by.id))
    if len(current) == 2:
        store.save(replace(current[0], status=MemoryStatus.SUPERSEDED, superseded_by=by.id))
        _note_undo(current[0])


def restore_replaced(store: MemoryStore, memory: Memory) -> None:
    """Put what the memory replaced back in force, beside it."""
    for older in replaced_by(store, memory):
        store.save(keeping.as_before(older))


def replaced_by(store: MemoryStore, memory: Memory) -> list[Memory]:
    """Memories that it superseded and that say something else."""
    return keeping.replaced_by(store, memory, services().models.meanings)


def delete(store: MemoryStore, *memories: Memory) -> None:
    """Delete memories with those that they superseded; they are restored together."""
    older = [one for memory in memories for one in store.superseded_by(memory.id)]
    past = {one.id: (store.changes(one.id), store.uses(one.id)) for one in (*memories, *older)}
    st.session_state[_PAST] = st.session_state.get(_PAST, {}) | past
    for memory in memories:
        store.delete(memory.id)
    _note_undo(*memories, *older)


def _note_undo(*memories: Memory) -> None:
    st.session_state[_DELETED] = [*st.session_state.get(_DELETED, []), memories][-MAX_UNDO:]


def undoable(store: MemoryStore) -> tuple[Memory, ...]:
    """What went last in this session and still is deleted, declined or replaced, as it was before."""
    gone: list[tuple[Memory, ...]] = st.session_state.get(_DELETED, [])
    while gone:
        if still := tuple(memory for memory in gone[-1] if _is_gone(store, memory)):
            return still
        gone.pop()  # came back in another way, as by a chat
    return ()


def _is_gone(store: MemoryStore, memory: Memory) -> bool:
    status = next((current.status for current in stored(store, [memory.id])), None)
    return status is None or (status is not memory.status and status in _OUT_OF_FORCE)


def undo(store: MemoryStore) -> None:
    """Restore what went last; a second click may come when there is nothing left."""
    past = st.session_state.get(_PAST, {})
    for memory in undoable(store):
        store.restore(memory, *past.pop(memory.id, ((), ())))
