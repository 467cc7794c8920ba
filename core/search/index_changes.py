"""The order in which documents of a base were changed, for whoever keeps a copy of what is derived from them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.search.ports import IndexEntry


@dataclass(frozen=True, order=True, slots=True)
class Position:
    """How far a copy has come: up to and with this change."""

    version: int = 0
    document_id: str = ""


class IndexChanges(Protocol):
    def versions(self) -> dict[str, int]:
        """Of every base; it rises with each change, and only afterwards is the change seen."""

    def since(self, base_id: str, position: Position, limit: int) -> list[Position]:
        """The next changes, in order: documents that were published, changed or deleted, each at its last change."""

    def entries(self, base_id: str, level: str, document_ids: Sequence[str]) -> Iterator[list[IndexEntry]]:
        """Of those of the documents that are published, in batches."""
