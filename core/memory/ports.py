"""Long-term memories."""

from collections.abc import Sequence
from typing import Protocol

from core.memory.model import Memory, MemoryChange, MemoryUse


class MemoryStore(Protocol):
    def find(self, query: str = "", status: str = "") -> list[Memory]:
        """Newest first; a query matches by word."""

    def get(self, memory_id: str) -> Memory:
        """Raises NotFoundError."""

    def candidates(self, query: str, base_id: str, limit: int, thread_id: str = "") -> list[tuple[Memory, float]]:
        """Active memories with their distance to the query (0 is the same), nearest first; not yet ranked."""

    def near(self, query: str, limit: int) -> list[tuple[Memory, float]]:
        """Of any status and scope, nearest in meaning first; empty where meanings cannot be compared."""

    def alike(self, farthest: float, limit: int) -> list[tuple[Memory, Memory, float]]:
        """Pairs of active or proposed memories within the distance, the older one first in a pair, nearest first."""

    def changes(self, memory_id: str) -> list[MemoryChange]:
        """Oldest first."""

    def uses(self, memory_id: str) -> list[MemoryUse]:
        """The answers that used it, newest first."""

    def save(self, memory: Memory) -> None: ...

    def touch(self, memory_ids: Sequence[str], run_id: str = "") -> None:
        """Notes that they were used now, by the answer of the run."""

    def delete(self, memory_id: str) -> None: ...
