"""A memory store that hides some memories from one question."""

from collections.abc import Collection
from typing import Any, cast

from core.memory.model import Found, Memory, Scope
from core.memory.ports import MemoryStore


def store_without(store: MemoryStore, left_out: Collection[str]) -> MemoryStore:
    """The store for one question: the memories with these ids are no candidates, everything else is unchanged."""
    return cast("MemoryStore", _FilteredStore(store, frozenset(left_out)))


class _FilteredStore:
    def __init__(self, store: MemoryStore, left_out: frozenset[str]) -> None:
        self._store = store
        self._left_out = left_out

    def active(self, scope: Scope) -> list[Memory]:
        return [memory for memory in self._store.active(scope) if memory.id not in self._left_out]

    def search(self, query: str, scope: Scope | None = None) -> list[Found]:
        return [found for found in self._store.search(query, scope) if found.memory.id not in self._left_out]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)
