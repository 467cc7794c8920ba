"""Texts of documents: blocks as they were parsed, chunks as they are searched and quoted."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from core.documents.model import Block, Chunk
from core.search.model import Passage
from core.search.ports import IndexEntry


class Passages(Protocol):
    def blocks(self, document_id: str, page: int | None = None) -> list[Block]: ...

    def chunks(self, document_id: str) -> list[Chunk]: ...

    def beside(self, chunk: Chunk) -> list[Chunk]:
        """Those before and after it in its document."""

    def get(self, chunk_ids: Sequence[str]) -> list[Passage]:
        """In the order given; ids that are unknown, disabled or of documents that are not ready are left out."""

    def visible(self, chunk_ids: Sequence[str]) -> set[str]:
        """Those of them that get() would give."""

    def texts(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        """Of those that are known, also of disabled ones: much less to read than get() gives."""

    def index_entries(self, base_id: str, level: str) -> Iterator[list[IndexEntry]]:
        """All entries of ready documents in batches, for rebuilding an index."""
