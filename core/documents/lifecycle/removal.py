"""Deletes and restores documents."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from core.documents.lifecycle.file_store import FileStore
from core.documents.lifecycle.trash import Deleted, Trash
from core.documents.model import ACTIVE, Document, DocumentStatus
from core.documents.ports.ingestion import IngestQueue
from core.documents.ports.library import Library
from core.documents.ports.publishing import Publication, WorkDone
from core.platform.errors import NotFoundError, RetryableServiceError
from core.platform.identity import Role
from core.search.ports import ChunkIndex, LexicalIndex

ATTEMPTS = 5
"""Times that something is archived that changes meanwhile."""


class Removal:
    """Deleted documents go from the truth first, then from what is derived from it, and are kept in the trash.

    A failure between the steps leaves index entries, files and archives that nothing refers to: harmless, never shown.
    Work on a document ends within a second when its row is gone; cancelling it first would leave it cancelled if the
    process died in between.
    """

    def __init__(
        self,
        library: Library,
        indexes: tuple[ChunkIndex, LexicalIndex],
        queue: IngestQueue,
        files: FileStore,
        trash: Trash,
        of_bases: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        """of_bases: SHA-256 of the files of deleted bases that can be restored."""
        self._library = library
        self._indexes = indexes
        self._lexical_index = indexes[1]
        self._queue = queue
        self._files = files
        self._trash = trash
        self._of_bases = of_bases

    def document(self, document_id: str) -> None:
        """Moves it to the trash. Raises NotFoundError if it is gone, ServiceError if its base changes all the time."""
        document = self._library.documents.get(document_id)
        self._library.documents.require(document.base_id, Role.EDITOR)
        for _ in range(ATTEMPTS):
            version = self._library.bases.graph_version(document.base_id)
            self.archive(self._library.documents.get(document_id))
            if self._library.documents.delete(document_id, version):
                break
        else:
            raise RetryableServiceError("storage.busy")
        self._unindex(document)

    def deleted(self, base_id: str) -> list[Deleted]:
        """Restorable documents of the base, newest first."""
        kept = [each for each in self._trash.entries() if each.document.base_id == base_id]
        there = self._library.documents.existing([each.document.id for each in kept])
        now = self._trash.now()
        return [each for each in kept if each.document.id not in there and each.gone_at > now]

    def restore(self, document_id: str) -> Document:
        """Publishes it again without parsing; an unfinished document resumes. Raises NotFoundError if it is gone."""
        if self.bring_back(*self._trash.take(document_id)):
            self._trash.drop(document_id)
        return self._library.documents.get(document_id)

    def bring_back(self, deleted: Deleted, publication: Publication | None) -> bool:
        """False if it exists, because its file was uploaded again; then it stays as it is."""
        document = deleted.document
        self._library.documents.require(document.base_id, Role.EDITOR)
        if self._library.documents.existing([document.id]):
            return False
        if publication:
            for level, entries in publication.index_entries().items():
                self._lexical_index.upsert(document.base_id, level, entries)
        self._library.publications.restore(document, publication, WorkDone(deleted.stages))
        self.resume(document)
        return True

    def resume(self, document: Document) -> None:
        """Submits the document again if it was active when it was deleted."""
        if document.status in ACTIVE:
            self._queue.submit(document.id)

    def forget(self, document_ids: Sequence[str]) -> None:
        """Deletes them permanently, with files nothing else uses."""
        known = {deleted.document.id: deleted.document for deleted in self._trash.entries()}
        for base_id in {known[id].base_id for id in document_ids if id in known}:
            self._library.documents.require(base_id, Role.EDITOR)
        self._drop(document_ids)

    def _drop(self, document_ids: Sequence[str]) -> None:
        """Delete as forget() does, without a check of roles."""
        if not document_ids:
            return
        known = {deleted.document.id: deleted.document for deleted in self._trash.entries()}
        for document_id in document_ids:
            self._trash.drop(document_id)
        self.drop_files({known[id].sha256 for id in document_ids if id in known})

    def expire(self, at: datetime) -> None:
        """Removes entries that were past their time limit then."""
        self._drop([deleted.document.id for deleted in self._trash.entries() if deleted.gone_at <= at])

    @contextmanager
    def replacing(self, document: Document) -> Iterator[None]:
        """Context of publishing a document: the one that it replaces moves to the trash and out of the indexes."""
        old = self._replaced(document)
        if old:
            self.archive(old, document.id)
        yield
        if old:
            self._unindex(old)

    def now(self) -> datetime:
        """Time by the clock of the trash."""
        return self._trash.now()

    def _replaced(self, document: Document) -> Document | None:
        """By its row, because that may say so only since the document was loaded."""
        documents = self._library.documents
        try:
            replaced = documents.get(document.id).replaces
            return documents.get(replaced) if replaced else None
        except NotFoundError:
            return None

    def archive(self, document: Document, replaced_by: str = "") -> None:
        """Copies it to the trash without deleting it."""
        ready = document.status is DocumentStatus.READY
        publication = self._library.publications.get(document.id) if ready else None
        stages = tuple(stage for stage in self._library.ingest_records.stages(document.id) if stage.status != "running")
        self._trash.put(Deleted(document, stages, self._trash.now(), replaced_by), publication)

    def _unindex(self, document: Document) -> None:
        for index in self._indexes:
            index.delete_documents(document.base_id, [document.id])

    def drop_files(self, sha256s: Collection[str]) -> None:
        """Deletes files that no document uses any more, deleted documents included."""
        if not sha256s:
            return
        left = frozenset(sha256s) - self._trash.files() - self._of_bases()
        for sha256 in sorted(left):
            if not self._library.documents.files_in_use([sha256]):  # asked just before: it may be added meanwhile
                self._files.delete(sha256)
