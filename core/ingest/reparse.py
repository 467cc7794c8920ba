"""Reading a document again with another parser: both readings are kept until a person decides between them.

The new reading is used as soon as it is ready, and the old one comes back without parsing.
"""

from dataclasses import dataclass

from core.domain.documents import Document, DocumentStatus, Stage
from core.errors import InputError, NotFoundError
from core.ingest.entries import index_entries
from core.ingest.intake import Intake
from core.ingest.trash import Deleted, Trash
from core.ports import ChunkIndex, LexicalIndex, Library, Publication


@dataclass(frozen=True, slots=True)
class Earlier:
    """The reading that a new one is compared with."""

    document: Document
    publication: Publication


class Reparse:
    def __init__(
        self, library: Library, indexes: tuple[ChunkIndex, LexicalIndex], intake: Intake, versions: Trash
    ) -> None:
        self._library = library
        self._indexes = indexes
        self._intake = intake
        self._versions = versions

    def begin(self, document_id: str, parser: str) -> None:
        """parser: that of the settings when empty. The first of several undecided readings is the one that is kept.

        Raises NotFoundError.
        """
        document = self._library.document(document_id)
        if document.status is DocumentStatus.READY and self.earlier(document_id) is None:
            kept = Deleted(document, tuple(self._library.stages(document_id)), self._versions.now())
            self._versions.put(kept, self._library.publication(document_id))
        self._intake.parse_again(document_id, parser)

    def earlier(self, document_id: str) -> Earlier | None:
        """None when there is nothing to decide."""
        try:
            kept, publication = self._versions.take(document_id)
        except NotFoundError:
            return None
        return Earlier(kept.document, publication) if publication else None

    def is_ready(self, document: Document) -> bool:
        """Whether the new reading is what the document consists of now."""
        stages = {progress.stage: progress.status for progress in self._library.stages(document.id)}
        return not document.error_key and stages.get(Stage.INDEX) == "done"

    def is_busy(self, document: Document) -> bool:
        """Whether the new reading is still under way, or waits for a person's word."""
        return not (document.cancelled or document.error_key or self.is_ready(document))

    def keep_new(self, document_id: str) -> None:
        """The old reading is forgotten; nothing happens when there is none."""
        self._versions.drop(document_id)

    def keep_old(self, document_id: str) -> None:
        """The old reading again, as it was, edits included.

        Raises NotFoundError when it is gone, InputError while the new one is under way.
        """
        kept, publication = self._versions.take(document_id)
        document = self._library.document(document_id)
        if publication is None:
            raise NotFoundError("documents.trash.missing")
        if self.is_busy(document):
            raise InputError("documents.again.busy")
        for index in self._indexes:
            index.delete_documents(document.base_id, [document_id])
            for level, entries in index_entries(publication).items():
                index.upsert(document.base_id, level, entries)
        self._library.choose_parser(document_id, kept.document.parser_choice)
        self._library.publish(publication)
        for progress in kept.stages:
            self._library.record_stage(document_id, progress)
        self._versions.drop(document_id)
