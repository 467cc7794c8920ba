"""What is known of the vectors that were made: which entries have theirs, and those of single sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.search.ports import LEVELS, IndexEntry, VectorProgress


@dataclass(frozen=True, slots=True)
class MadeVectors:
    """An entry whose vector is in the index."""

    entry: IndexEntry
    sentences: bytes = b""
    """Vectors of its sentences, packed; empty where the embedder reads passages as a whole."""
    unspaced: bool = False
    """Whether its text is written without spaces between words."""


Sentences = tuple[bytes | memoryview, bool]
"""Of an entry: vectors of its sentences, packed, and whether it is written without spaces between words."""


class VectorStore(Protocol):
    """Derived data beside the texts: an entry whose text changes or goes loses its vectors in the same transaction."""

    def pending(self, base_id: str, level: str, embedder: str, limit: int) -> list[IndexEntry]:
        """Entries of ready documents without vectors of this embedder, oldest documents first."""

    def progress(self, base_id: str, embedder: str, levels: Sequence[str] = LEVELS) -> VectorProgress: ...

    def keep(self, level: str, embedder: str, made: Sequence[MadeVectors]) -> None:
        """Of entries whose text is still the same; the others stay pending."""

    def sentences(self, embedder: str, ids: Sequence[str]) -> dict[str, Sentences]:
        """Of those entries that have vectors."""

    def digests(self, base_id: str, level: str, embedder: str, limit: int) -> dict[str, str]:
        """Of what the vectors of each entry were made of; of so many entries at most."""

    def forget_documents(self, document_ids: Sequence[str]) -> None: ...

    def forget_base(self, base_id: str) -> None: ...
