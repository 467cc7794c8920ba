"""All that a knowledge base holds, in one file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from core.documents.model import Document, KnowledgeBase, StageProgress
from core.documents.ports.publishing import Publication
from core.search.ports import IndexEntry

ArchivedDocument = tuple[Document, tuple[StageProgress, ...], Publication | None]
"""With its stages; without a publication, it was not ready."""


class BaseArchive(Protocol):
    """Of a deleted base. Edits of the graph are kept elsewhere, and vectors are made again."""

    def write(self, base_id: str, file: Path) -> int:
        """Into a new file; how many documents there are."""

    def restore(self, base: KnowledgeBase, file: Path) -> None:
        """The base with everything in the file, or nothing of it.

        Raises InputError when its name is taken, NotFoundError when the file cannot be read.
        """

    def entries(self, base_id: str, level: str, file: Path) -> Iterator[list[IndexEntry]]:
        """What the word index says of it. Raises NotFoundError."""

    def documents(self, base_id: str, file: Path) -> Iterator[ArchivedDocument]:
        """One by one. Raises NotFoundError."""

    def files(self, file: Path) -> frozenset[str]:
        """SHA-256 of its documents' files; none when it cannot be read."""
