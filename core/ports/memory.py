"""Long-term memories."""

from collections.abc import Sequence
from typing import Protocol

from core.domain.memories import Memory


class MemoryStore(Protocol):
    def find(self, query: str = "", status: str = "") -> list[Memory]:
        """Newest first; a query matches by word."""

    def get(self, memory_id: str) -> Memory:
        """Raises NotFoundError."""

    def candidates(self, query: str, base_id: str, limit: int) -> list[tuple[Memory, float]]:
        """Active memories with their distance to the query (0 is the same), nearest first; not yet ranked."""

    def save(self, memory: Memory) -> None: ...

    def touch(self, memory_ids: Sequence[str]) -> None:
        """Notes that they were used now."""

    def delete(self, memory_id: str) -> None: ...
