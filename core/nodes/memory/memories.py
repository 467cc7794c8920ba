"""The memories that a run recalled, as nodes read them."""

from contextlib import suppress

from core.domain.memories import Memory
from core.errors import NotFoundError
from core.state import Deps, State


def recalled(state: State, deps: Deps) -> tuple[Memory, ...]:
    """Those deleted since are left out."""
    found = []
    for memory_id in state.memory_ids:
        with suppress(NotFoundError):
            found.append(deps.memories.get(memory_id))
    return tuple(found)
