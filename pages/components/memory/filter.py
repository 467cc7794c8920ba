"""Filters and sorts the memories of the Memory page. Pure functions."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from core.memory.model import Memory, MemoryStatus

OVER = (MemoryStatus.EXPIRED, MemoryStatus.REJECTED, MemoryStatus.SUPERSEDED)
"""Statuses that are listed only on request."""
EVERY = "every"
"""The choice of every status."""


@dataclass(frozen=True, slots=True)
class Filter:
    query: str = ""
    kind: str = ""
    status: str = ""
    """Empty for every one that is not over."""
    scope: str = ""
    """`everywhere`, `base` or `thread`; empty for all."""

    @property
    def narrows(self) -> bool:
        return bool(self.query.strip() or self.kind or self.status or self.scope)


def of_base(memories: Sequence[Memory], other_bases: Collection[str]) -> list[Memory]:
    """Memories that apply everywhere, to the open knowledge base, or to a deleted one."""
    return [memory for memory in memories if memory.base_id not in other_bases]


def shown(memories: Sequence[Memory], wanted: Filter) -> list[Memory]:
    """Memories of the kind, status and scope; proposals first, then pinned ones, else in the given order."""
    fitting = [memory for memory in memories if _fits(memory, wanted)]
    return sorted(fitting, key=lambda m: (m.status is not MemoryStatus.PROPOSED, not m.pinned))


def scope_of(memory: Memory) -> str:
    return "thread" if memory.in_thread_only else "base" if memory.base_id else "everywhere"


def _fits(memory: Memory, wanted: Filter) -> bool:
    status = memory.status == wanted.status if wanted.status else memory.status not in OVER
    return (
        (status or wanted.status == EVERY)
        and wanted.kind in ("", memory.kind)
        and wanted.scope in ("", scope_of(memory))
    )
