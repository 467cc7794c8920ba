"""Knowledge bases, and the archive of a deleted one."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from core.documents.model import Document, KnowledgeBase, StageProgress
from core.documents.ports.publishing import Publication
from core.graph.edits import LoggedEdit
from core.search.ports import IndexEntry


class Bases(Protocol):
    def all(self) -> list[KnowledgeBase]: ...

    def get(self, base_id: str) -> KnowledgeBase:
        """Raises NotFoundError."""

    def named(self, name: str) -> KnowledgeBase | None: ...

    def create(self, name: str) -> KnowledgeBase:
        """Raises InputError when the name is empty, too long or taken."""

    def rename(self, base_id: str, name: str) -> None: ...

    def set_entity_types(self, base_id: str, types: Sequence[str]) -> None:
        """Sets classes requested from a model for later documents; none for the standard ones. Raises NotFoundError."""

    def graph_version(self, base_id: str) -> int:
        """Rises with every edit that people make of its graph or its passages; 0 if it is gone."""

    def delete(self, base_id: str, archived: tuple[int, int] | None = None) -> bool:
        """Whether it is gone.

        archived: number of documents, and graph version; it stays if it has others.
        """


ArchivedDocument = tuple[Document, tuple[StageProgress, ...], Publication | None]
"""A document, its stages, and its publication; None if it was not ready."""


class BaseArchive(Protocol):
    """All that a deleted base holds, in one file, except edits of its graph. Vectors are made again."""

    def write(self, base_id: str, file: Path) -> int:
        """Writes the base into a new file; the number of its documents."""

    def restore(self, base: KnowledgeBase, file: Path, edits: Sequence[LoggedEdit] = ()) -> None:
        """The base with everything in the file and the edits of its graph, or nothing of it.

        Raises InputError when its name is taken, NotFoundError when the file cannot be read.
        """

    def entries(self, base_id: str, level: str, file: Path) -> Iterator[list[IndexEntry]]:
        """Its entries of the word index, in batches. Raises NotFoundError."""

    def documents(self, base_id: str, file: Path) -> Iterator[ArchivedDocument]:
        """Its documents, one by one. Raises NotFoundError."""

    def files(self, file: Path) -> frozenset[str]:
        """SHA-256 of its documents' files; none when it cannot be read."""
