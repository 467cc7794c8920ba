"""Memories in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.memory.model import Found, Memory, MemoryChange, MemoryKind, MemoryStatus, MemoryUse, Scope
from core.memory.relevance import found_by_words
from core.platform.clock import utc_now
from core.platform.errors import NotFoundError


@dataclass
class FakeMemories:
    """Found by words; distances are those that a test gives."""

    kept: dict[str, Memory] = field(default_factory=dict)
    touched: list[str] = field(default_factory=list)
    failure: Exception | None = None
    nearest: dict[str, float] | None = None
    """Distances by id: all that is found then."""
    pairs: list[tuple[str, str]] = field(default_factory=list)
    """Ids of memories that are alike."""
    forgotten: set[str] = field(default_factory=set)
    used_by: dict[str, list[MemoryUse]] = field(default_factory=dict)

    def find(self, status: str = "") -> list[Memory]:
        newest = sorted(self.kept.values(), key=lambda memory: memory.created_at, reverse=True)
        return [memory for memory in newest if status in ("", memory.status)]

    def get(self, memory_id: str) -> Memory:
        if memory_id not in self.kept:
            raise NotFoundError("storage.memory_gone")
        return self.kept[memory_id]

    def active(self, scope: Scope) -> list[Memory]:
        return [memory for memory in self.find(MemoryStatus.ACTIVE) if memory.base_id in {"", scope.base_id}]

    def search(self, query: str, scope: Scope | None = None) -> list[Found]:
        if self.failure:
            raise self.failure
        if self.nearest is not None:
            return [Found(self.kept[name], 1 - distance) for name, distance in self.nearest.items()]
        return found_by_words(query, self.active(scope) if scope else self.find(), utc_now())

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

    def restore(self, memory: Memory, changes: Sequence[MemoryChange], uses: Sequence[MemoryUse]) -> None:
        self.save(memory)
        self.used_by[memory.id] = [*uses]

    def touch(self, memory_ids: Sequence[str], run_id: str = "") -> None:
        self.touched += memory_ids

    def delete(self, memory_id: str) -> None:
        for gone in [memory_id, *(memory.id for memory in self.superseded_by(memory_id))]:
            self.used_by.pop(gone, None)
            if (memory := self.kept.pop(gone, None)) and memory.kind is MemoryKind.CONCLUSION:
                self.forgotten.add(gone)

    def was_deleted(self, memory_id: str) -> bool:
        return memory_id in self.forgotten

    def superseded_by(self, memory_id: str) -> list[Memory]:
        return [memory for memory in self.kept.values() if memory.superseded_by == memory_id]

    def of_documents(self, document_ids: Sequence[str]) -> list[Memory]:
        return []
