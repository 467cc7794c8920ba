"""Publications: everything that makes a document visible."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.documents.model import Block, Chunk, Document, Effort, StageProgress, Summary
from core.graph.model import CooccurrenceGroup, Entity, Mention, Relation
from core.platform.ids import document_id
from core.search.ports import IndexEntry


@dataclass(frozen=True, slots=True)
class Publication:
    """Everything that makes a document visible, written in one transaction."""

    document_id: str
    title: str
    language: str
    parser: str
    pages: int
    notes: tuple[str, ...]
    blocks: tuple[Block, ...]
    chunks: tuple[Chunk, ...]
    summaries: tuple[Summary, ...]
    entities: tuple[Entity, ...]
    mentions: tuple[Mention, ...]
    relations: tuple[Relation, ...] = ()
    """Stated relations other than co-occurrence."""
    cooccurrence: tuple[CooccurrenceGroup, ...] | None = None
    """Co-occurrence as an imported graph states it; None where it is derived from the mentions."""

    def index_entries(self) -> dict[str, list[IndexEntry]]:
        """Entries of the indexes by level, as Passages.index_entries returns them for a rebuild."""
        levels: dict[str, Sequence[Chunk | Summary]] = {"chunks": self.chunks, "summaries": self.summaries}
        return {
            level: [
                IndexEntry(part.id, self.document_id, self.title, "\n".join(part.section), part.text) for part in parts
            ]
            for level, parts in levels.items()
        }


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A document as known before it is read."""

    base_id: str
    name: str
    sha256: str
    size: int
    media_type: str
    parser: str = ""

    @property
    def id(self) -> str:
        return document_id(self.base_id, self.sha256)


@dataclass(frozen=True, slots=True)
class WorkDone:
    """Stages and effort of a publication."""

    stages: tuple[StageProgress, ...] = ()
    spent: Effort | None = None


NOTHING_NOTED = WorkDone()


class Publications(Protocol):
    """Published documents: each is visible as a whole, or not at all."""

    def publish_new(self, found: Sequence[tuple[NewDocument, Publication]]) -> None:
        """Adds and publishes documents in one transaction, all or none; known ones are replaced."""

    def publish(
        self, publication: Publication, check: Callable[[], None] = lambda: None, done: WorkDone = NOTHING_NOTED
    ) -> None:
        """One transaction; publishing again replaces the document's parts. Raises NotFoundError when it was deleted.

        done: recorded in the same transaction.
        check: called repeatedly meanwhile; an exception from it rolls everything back.
        """

    def publish_together(
        self, found: Sequence[tuple[Publication, WorkDone]], check: Callable[[], None] = lambda: None
    ) -> None:
        """As publish(), several documents of one base in one transaction: all of them or none."""

    def get(self, document_id: str) -> Publication:
        """The publication, edits included. Raises NotFoundError when the document is not ready."""

    def restore(self, document: Document, publication: Publication | None, done: WorkDone = NOTHING_NOTED) -> None:
        """Restores a deleted document in one transaction; does nothing if it exists.

        Raises NotFoundError when its base is gone.
        """

    def replace_chunk(
        self,
        chunk: Chunk,
        entities: Sequence[Entity],
        mentions: Sequence[Mention],
        relations: Sequence[Relation] | None = None,
    ) -> None:
        """Text, spans and all mentions of one chunk of a ready document, in one transaction. Raises NotFoundError.

        relations: all that the document states now; as they are when None.
        """

    def enable_chunk(self, chunk_id: str, enabled: bool) -> None:
        """Raises NotFoundError."""
