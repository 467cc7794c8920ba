"""Memories in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.memory.model import Memory, MemoryChange, MemoryStatus, MemoryUse
from core.platform.errors import NotFoundError
from core.platform.language.terms import content_terms


@dataclass
class FakeMemories:
    """Distance is one minus the share of common content terms."""

    kept: dict[str, Memory] = field(default_factory=dict)
    touched: list[str] = field(default_factory=list)
    failure: Exception | None = None
    nearest: dict[str, float] | None = None
    """Distances by id, where a test gives them; others are infinitely far then."""
    pairs: list[tuple[str, str]] = field(default_factory=list)
    """Ids of memories that are alike."""
    used_by: dict[str, list[MemoryUse]] = field(default_factory=dict)

    def find(self, query: str = "", status: str = "") -> list[Memory]:
        words = query.lower().split()
        newest = sorted(self.kept.values(), key=lambda memory: memory.created_at, reverse=True)
        return [m for m in newest if status in ("", m.status) and all(word in m.text.lower() for word in words)]

    def get(self, memory_id: str) -> Memory:
        if memory_id not in self.kept:
            raise NotFoundError("storage.memory_gone")
        return self.kept[memory_id]

    def candidates(self, query: str, base_id: str, limit: int, thread_id: str = "") -> list[tuple[Memory, float]]:
        if self.failure:
            raise self.failure
        if self.nearest is not None:
            return [(self.kept[name], distance) for name, distance in self.nearest.items()][:limit]
        asked = set(content_terms(query))
        found = []
        for memory in self.kept.values():
            said = set(content_terms(memory.text))
            shared = len(asked & said) / max(1, min(len(asked), len(said)))
            if memory.status is MemoryStatus.ACTIVE and memory.base_id in {"", base_id}:
                found.append((memory, 1 - shared))
        return sorted(found, key=lambda pair: (pair[1], pair[0].id))[:limit]

    def near(self, query: str, limit: int) -> list[tuple[Memory, float]]:
        if self.failure:
            raise self.failure
        return [(self.kept[name], distance) for name, distance in (self.nearest or {}).items()][:limit]

    def alike(self, farthest: float, limit: int) -> list[tuple[Memory, Memory, float]]:
        current = {name for name, it in self.kept.items() if it.status in (MemoryStatus.ACTIVE, MemoryStatus.PROPOSED)}
        pairs = [(self.kept[one], self.kept[other], 0.1) for one, other in self.pairs if {one, other} <= current]
        return pairs[:limit]

    def changes(self, memory_id: str) -> list[MemoryChange]:
        return []

    def uses(self, memory_id: str) -> list[MemoryUse]:
        return self.used_by.get(memory_id, [])

    def save(self, memory: Memory) -> None:
        self.kept[memory.id] = memory

    def touch(self, memory_ids: Sequence[str], run_id: str = "") -> None:
        self.touched += memory_ids

    def delete(self, memory_id: str) -> None:
        self.kept.pop(memory_id, None)
