"""Services in memory for the pages: typed, hand-written, with real behaviour as far as a page can see it."""

from collections.abc import Sequence

from core.domain.memories import Memory, MemoryStatus
from core.errors import NotFoundError


class FakeMemoryStore:
    def __init__(self, memories: Sequence[Memory] = ()) -> None:
        self.kept = {memory.id: memory for memory in memories}

    def find(self, query: str = "", status: str = "") -> list[Memory]:
        words = query.lower().split()
        newest = sorted(self.kept.values(), key=lambda memory: memory.created_at, reverse=True)
        return [m for m in newest if status in ("", m.status) and all(word in m.text.lower() for word in words)]

    def get(self, memory_id: str) -> Memory:
        if memory_id not in self.kept:
            raise NotFoundError("error.run_missing")
        return self.kept[memory_id]

    def candidates(self, query: str, base_id: str, limit: int) -> list[tuple[Memory, float]]:
        return [(memory, 0.5) for memory in self.find(query, MemoryStatus.ACTIVE)[:limit]]

    def save(self, memory: Memory) -> None:
        self.kept[memory.id] = memory

    def touch(self, memory_ids: Sequence[str]) -> None:
        del memory_ids

    def delete(self, memory_id: str) -> None:
        self.kept.pop(memory_id, None)
