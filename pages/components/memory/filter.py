"""Which memories the Memory page shows, and in which order. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from core.domain.memories import Memory, MemoryStatus


@dataclass(frozen=True, slots=True)
class Filter:
    query: str = ""
    kind: str = ""
    status: str = ""
    """Empty takes every kind or status."""

    @property
    def narrows(self) -> bool:
        return bool(self.query.strip() or self.kind or self.status)


def of_base(memories: Sequence[Memory], other_bases: Collection[str]) -> list[Memory]:
    """Those that hold everywhere, those of the open knowledge base, and those whose knowledge base is gone."""
    return [memory for memory in memories if memory.base_id not in other_bases]


def shown(memories: Sequence[Memory], wanted: Filter) -> list[Memory]:
    """Those of the kind and status; proposals first, then the pinned, else in the order given."""
    fitting = [m for m in memories if wanted.kind in ("", m.kind) and wanted.status in ("", m.status)]
    return sorted(fitting, key=lambda m: (m.status is not MemoryStatus.PROPOSED, not m.pinned))
