"""Actions on documents: upload, edit, read again, delete and restore."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from core.app.ingestion import Ingestion
from core.app.lazy import Area, lazy
from core.app.search import SearchParts
from core.app.storage import Storage
from core.documents.extraction.builtin_extractor import BuiltinExtractor
from core.documents.lifecycle.base_removal import BaseRemoval, BaseTrash, deleted_bases
from core.documents.lifecycle.editing import ChunkEditor
from core.documents.lifecycle.graph_import import GraphImport
from core.documents.lifecycle.intake import Intake
from core.documents.lifecycle.pending_uploads import PendingUploads
from core.documents.lifecycle.removal import Removal
from core.documents.lifecycle.reparse import Reparse
from core.documents.lifecycle.sample import load_sample
from core.documents.lifecycle.trash import Trash
from core.documents.lifecycle.unlocking import Unlocking
from core.documents.lifecycle.uploads import Uploads
from core.documents.parsing.pdf.child_tasks import measure_file, unlocked_pdf
from core.documents.parsing.pdf.page_images import PageImages
from core.documents.store.base_archive import SqlBaseArchive
from core.models.tagging.entity_tagger import OnnxEntityTagger

if TYPE_CHECKING:
    from core.documents.model import Document, KnowledgeBase


class Lifecycle(Area):
    def __init__(self, storage: Storage, search: SearchParts, ingestion: Ingestion) -> None:
        super().__init__(storage.configuration)
        self._storage = storage
        self._search = search
        self._ingestion = ingestion

    @lazy
    def intake(self) -> Intake:
        return Intake(self._storage.library.documents, self._storage.files, self._ingestion.queue)

    @lazy
    def unlocking(self) -> Unlocking:
        storage, ways = self._storage, (unlocked_pdf, measure_file)

        def drop_files(sha256s: Collection[str]) -> None:
            self.removal.drop_files(sha256s)  # made when it is needed, because it opens the indexes

        return Unlocking(storage.library.documents, storage.files, self.uploads, drop_files, ways)

    @lazy
    def uploads(self) -> Uploads:
        pending = PendingUploads(self.settings.data / "held")
        records, forecaster = self._storage.library.ingest_records, self._ingestion.engines.forecaster
        return Uploads(self.intake, pending, records, forecaster)

    @lazy
    def chunk_editor(self) -> ChunkEditor:
        library = self._storage.library
        extractor = BuiltinExtractor(OnnxEntityTagger())
        return ChunkEditor(library.documents, library.publications, extractor, self._search.lexical_index)

    @lazy
    def graph_import(self) -> GraphImport:
        library = self._storage.library
        stores = (library.documents, library.publications)
        return GraphImport(*stores, self._search.lexical_index, self._storage.graph)

    @lazy
    def reparse(self) -> Reparse:
        library, versions = self._storage.library, Trash(self.settings.data / "versions", shared=self._storage.blobs)
        return Reparse(
            library.documents,
            library.publications,
            library.ingest_records,
            self._search.indexes,
            self.intake,
            versions,
        )

    @lazy
    def removal(self) -> Removal:
        storage, kept = self._storage, (self._trash, self._base_trash.files)
        return Removal(storage.library, self._search.indexes, self._ingestion.queue, storage.files, *kept)

    @lazy
    def base_removal(self) -> BaseRemoval:
        library, edits, indexes = self._storage.library, self._storage.graphs.edits, self._search.indexes
        return BaseRemoval(library.bases, library.documents, indexes, self.removal, edits, self._base_trash)

    @lazy
    def _base_trash(self) -> BaseTrash:
        store = deleted_bases(self.settings.data / "trash", self._storage.blobs)
        return BaseTrash(store, SqlBaseArchive(self._storage.engine))

    @lazy
    def _trash(self) -> Trash:
        return Trash(self.settings.data / "trash", shared=self._storage.blobs)

    @lazy
    def page_images(self) -> PageImages:
        return PageImages(self._storage.library.documents, self._storage.files, self.settings.data / "cache")

    def load_sample(self) -> KnowledgeBase:
        return load_sample(self._storage.library.bases, self.intake)

    def remove_document(self, document_id: str) -> None:
        """Into the trash, with an earlier reading that waits for a decision. Raises NotFoundError."""
        self.removal.document(document_id)
        self.reparse.forget(document_id)

    @contextmanager
    def replacing(self, document: Document) -> Iterator[None]:
        """Context of publishing a document: what it takes the place of is kept."""
        self.reparse.keep_edits(document)
        with self.removal.replacing(document):
            yield

    def expire(self, at: datetime) -> None:
        """Forgets what had been deleted, or had waited for an answer, for too long then."""
        self.removal.expire(at)
        self.base_removal.expire(at)
        self.reparse.expire(at)
        self.uploads.expire(at)

    def close(self) -> None:
        if self.made("page_images"):
            self.page_images.close()
