"""A memory store that hides some memories from one question."""

from collections.abc import Collection, Sequence

from core.memory.model import Found, Memory, MemoryChange, MemoryUse, Scope
from core.memory.ports import MemoryStore


class MemoriesLeftOut:
    """The MemoryStore of one question: what is left out is no candidate, everything else is as it is."""

    def __init__(self, store: MemoryStore, left_out: Collection[str]) -> None:
        self._store = store
        self._left_out = frozenset(left_out)

    def active(self, scope: Scope) -> list[Memory]:
        return [memory for memory in self._store.active(scope) if memory.id not in self._left_out]

    def search(self, query: str, scope: Scope | None = None) -> list[Found]:
        return [found for found in self._store.search(query, scope) if found.memory.id not in self._left_out]

    def find(self, status: str = "") -> list[Memory]:
        return self._store.find(status)

    def get(self, memory_id: str) -> Memory:
        return self._store.get(memory_id)

    def near(self, query: str, limit: int) -> list[tuple[Memory, float]]:
        return self._store.near(query, limit)

    def alike(self, farthest: float, limit: int) -> list[tuple[Memory, Memory, float]]:
        return self._store.alike(farthest, limit)

    def changes(self, memory_id: str) -> list[MemoryChange]:
        return self._store.changes(memory_id)

    def uses(self, memory_id: str) -> list[MemoryUse]:
        return self._store.uses(memory_id)

    def save(self, memory: Memory) -> None:
        self._store.save(memory)

    def touch(self, memory_ids: Sequence[str], run_id: str = "") -> None:
        self._store.touch(memory_ids, run_id)

    def delete(self, memory_id: str) -> None:
        self._store.delete(memory_id)

    def was_deleted(self, memory_id: str) -> bool:
        return self._store.was_deleted(memory_id)

    def superseded_by(self, memory_id: str) -> list[Memory]:
        return self._store.superseded_by(memory_id)

    def of_thread(self, thread_id: str) -> list[Memory]:
        return self._store.of_thread(thread_id)

    def of_documents(self, document_ids: Sequence[str]) -> list[Memory]:
        return self._store.of_documents(document_ids)
