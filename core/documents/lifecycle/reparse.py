"""Reading a document again with another parser: both readings are kept until a person decides between them.

The new reading is used as soon as it is ready, and the old one comes back without parsing.
"""

from contextlib import suppress
from datetime import datetime

from core.documents.lifecycle.intake import Intake
from core.documents.lifecycle.trash import Deleted, Trash
from core.documents.model import Document, DocumentStatus, Stage
from core.documents.ports.documents import Documents
from core.documents.ports.ingestion import IngestRecords
from core.documents.ports.publishing import Publication, Publications
from core.platform.errors import InputError, NotFoundError
from core.platform.identity import Role
from core.search.ports import ChunkIndex, LexicalIndex


class Reparse:
    def __init__(
        self,
        documents: Documents,
        publications: Publications,
        records: IngestRecords,
        indexes: tuple[ChunkIndex, LexicalIndex],
        intake: Intake,
        versions: Trash,
    ) -> None:
        self._documents = documents
        self._publications = publications
        self._records = records
        self._indexes = indexes
        self._lexical_index = indexes[1]
        self._intake = intake
        self._versions = versions

    def begin(self, document_id: str, parser: str) -> None:
        """parser: empty for that of the settings. Of several undecided readings, the first one is kept.

        Raises NotFoundError.
        """
        document = self._changeable(document_id)
        if document.status is DocumentStatus.READY and self.earlier(document_id) is None:
            kept = Deleted(document, tuple(self._records.stages(document_id)), self._versions.now())
            self._versions.put(kept, self._publications.get(document_id))
        self._intake.parse_again(document_id, parser)

    def earlier(self, document_id: str) -> Publication | None:
        """The earlier reading, for comparison with the new one; None if there is nothing to decide."""
        found = self._versions.published(document_id)
        return found[1] if found else None

    def is_ready(self, document: Document) -> bool:
        """Whether the document currently consists of the new reading."""
        stages = {progress.stage: progress.status for progress in self._records.stages(document.id)}
        return not document.error_key and stages.get(Stage.INDEX) == "done"

    def is_busy(self, document: Document) -> bool:
        """Whether the new reading is in progress or awaits approval."""
        return not (document.cancelled or document.error_key or self.is_ready(document))

    def keep_new(self, document_id: str) -> None:
        """Discards the old reading, if there is one. Raises NotFoundError."""
        self._changeable(document_id)
        self.forget(document_id)

    def forget(self, document_id: str) -> None:
        """As keep_new(), for a document that is gone."""
        self._versions.drop(document_id)

    def expire(self, at: datetime) -> None:
        """Removes old readings that were past their time limit then and whose documents are gone."""
        old = [kept.document.id for kept in self._versions.entries() if kept.gone_at <= at]
        for document_id in {*old} - self._documents.existing(old):
            self.forget(document_id)

    def keep_edits(self, document: Document) -> None:
        """Keeps the old reading as people have edited it by now, before the new one is published."""
        if document.status is not DocumentStatus.READY:
            return
        with suppress(NotFoundError):  # nobody has to decide, as where texts are repaired
            kept, _ = self._versions.take(document.id)
            if _is_in_use(kept, document):
                self._versions.put(kept, self._publications.get(document.id))

    def keep_old(self, document_id: str) -> None:
        """Restores the old reading, edits included, also those made while it was read again.

        Raises NotFoundError when it is gone, InputError while the new one is under way.
        """
        document = self._changeable(document_id)
        kept, publication = self._versions.take(document_id)
        if publication is None:
            raise NotFoundError("documents.trash.missing")
        if self.is_busy(document):
            raise InputError("documents.again.busy")
        if _is_in_use(kept, document):
            publication = self._publications.get(document_id)
        for index in self._indexes:
            index.delete_documents(document.base_id, [document_id])
        for level, entries in publication.index_entries().items():
            self._lexical_index.upsert(document.base_id, level, entries)
        self._documents.choose_parser(document_id, kept.document.parser_choice)
        self._publications.publish(publication)
        for progress in kept.stages:
            self._records.record_stage(document_id, progress)
        self._versions.drop(document_id)

    def _changeable(self, document_id: str) -> Document:
        document = self._documents.get(document_id)
        self._documents.require(document.base_id, Role.EDITOR)
        return document


def _is_in_use(kept: Deleted, document: Document) -> bool:
    """Whether nothing was published since: edits leave the time as it is."""
    return kept.document.ready_at == document.ready_at
