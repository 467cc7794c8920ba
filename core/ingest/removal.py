"""Taking documents and knowledge bases away: from the truth first, then from what is derived from it."""

from core.domain.documents import Document, DocumentStatus
from core.ingest.files import FileStore
from core.ports import ChunkIndex, IngestQueue, LexicalIndex, Library

_IN_PROGRESS = (DocumentStatus.QUEUED, DocumentStatus.RUNNING)


class Removal:
    """A failure between the steps leaves index entries and files that nothing refers to: harmless, and never shown."""

    def __init__(
        self, library: Library, indexes: tuple[ChunkIndex, LexicalIndex], queue: IngestQueue, files: FileStore
    ) -> None:
        self._library = library
        self._indexes = indexes
        self._queue = queue
        self._files = files

    def document(self, document_id: str) -> None:
        """Raises NotFoundError when it is gone already."""
        document = self._library.document(document_id)
        self._stop(document)
        self._library.delete_document(document_id)
        for index in self._indexes:
            index.delete_documents(document.base_id, [document_id])
        self._drop_file(document)

    def base(self, base_id: str) -> None:
        documents = self._library.documents(base_id)
        for document in documents:
            self._stop(document)
        self._library.delete_base(base_id)
        for index in self._indexes:
            index.delete_base(base_id)
        for document in documents:
            self._drop_file(document)

    def _stop(self, document: Document) -> None:
        if document.status in _IN_PROGRESS:
            self._queue.cancel(document.id)

    def _drop_file(self, document: Document) -> None:
        if not self._library.file_in_use(document.sha256):
            self._files.delete(document.sha256)
