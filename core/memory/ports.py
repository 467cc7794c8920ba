"""Long-term memories."""

from collections.abc import Sequence
from typing import Protocol

from core.memory.model import Found, Memory, MemoryChange, MemoryUse, Scope


class MemoryStore(Protocol):
    def find(self, status: str = "") -> list[Memory]:
        """Newest first."""

    def get(self, memory_id: str) -> Memory:
        """Raises NotFoundError."""

    def active(self, scope: Scope) -> list[Memory]:
        """Active memories of the scope, newest first."""

    def search(self, query: str, scope: Scope | None = None) -> list[Found]:
        """The active ones that hold there, else those of every status and scope; best first, also the irrelevant."""

    def near(self, query: str, limit: int) -> list[tuple[Memory, float]]:
        """Memories of any status and scope with their distance (0 is the same), nearest in meaning first.

        Empty where meanings cannot be compared.
        """

    def alike(self, farthest: float, limit: int) -> list[tuple[Memory, Memory, float]]:
        """Pairs of active or proposed memories within the distance, the older one first in a pair, nearest first."""

    def changes(self, memory_id: str) -> list[MemoryChange]:
        """Oldest first."""

    def uses(self, memory_id: str) -> list[MemoryUse]:
        """The answers that used it, newest first."""

    def save(self, memory: Memory) -> None: ...

    def restore(self, memory: Memory, changes: Sequence[MemoryChange], uses: Sequence[MemoryUse]) -> None:
        """Saves a deleted memory with what was known of it; without the answers that are gone by now."""

    def touch(self, memory_ids: Sequence[str], run_id: str = "") -> None:
        """Notes that they were used now, by the answer of the run."""

    def delete(self, memory_id: str) -> None:
        """Deletes it with those that it superseded, which say about the same."""

    def was_deleted(self, memory_id: str) -> bool:
        """Whether it is a conclusion that a person has deleted."""

    def superseded_by(self, memory_id: str) -> list[Memory]:
        """Memories that it superseded, and those that they superseded."""

    def of_documents(self, document_ids: Sequence[str]) -> list[Memory]:
        """The conclusions that are deleted with any of them, and come back with it."""
