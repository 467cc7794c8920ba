"""Accepts uploads: stores the file, records the document, submits the work."""

from pathlib import Path

from core.documents.lifecycle.file_store import FileStore, display_name
from core.documents.model import Document, DocumentFilter, DocumentStatus
from core.documents.ports.documents import Documents
from core.documents.ports.ingestion import IngestQueue
from core.documents.reading.inspection import inspect_file
from core.platform.errors import InputError
from core.platform.identity import Role

_ENDED_BADLY = (DocumentStatus.FAILED, DocumentStatus.CANCELLED)


class Intake:
    def __init__(self, documents: Documents, files: FileStore, queue: IngestQueue) -> None:
        self._documents = documents
        self._files = files
        self._queue = queue

    def earlier(self, base_id: str, name: str, sha256: str) -> Document | None:
        """The ready document of this name, if the bytes differ and are new to the base; the newest of several."""
        shown = display_name(name)
        if self._documents.with_content(base_id, sha256):
            return None
        same = self._documents.find(base_id, DocumentFilter((DocumentStatus.READY,), name=shown))
        return same[-1] if same else None

    def known(self, base_id: str, sha256: str) -> Document | None:
        """The document of the base with these bytes, in whatever state."""
        return self._documents.with_content(base_id, sha256)

    def add(
        self, base_id: str, name: str, data: bytes | Path, replaces: str = "", parser: str = ""
    ) -> tuple[Document, bool]:
        """The document, and whether it is new to the base. The same bytes again retry a failed one, under the new name.

        replaces: id of the document that goes when this one is ready; parser: that of the settings when empty.
        Raises InputError for a file that is too large to be stored; every other flaw is found by the pipeline and
        stands with the document.
        """
        self.require(base_id)
        shown = display_name(name)
        stored = self._files.save(data, shown)
        media_type = _media_type(stored.path, shown)
        document, is_new = self._documents.add(base_id, shown, stored.sha256, stored.size, media_type, parser)
        if not self._files.has(stored.sha256):  # dropped with the last document that had it, before this one was there
            self._files.save(data, shown)
        if replaces and document.status is not DocumentStatus.READY:  # not new where a process died after add()
            self._documents.mark_replacement(document.id, replaces)
        if document.status in _ENDED_BADLY:
            if document.name != shown:  # a new try: the name may have been what was wrong
                self._documents.rename(document.id, shown, media_type)
            self.parse_again(document.id, parser or document.parser_choice)
        elif document.status not in (DocumentStatus.READY, DocumentStatus.PAUSED):
            self._queue.submit(document.id)
        return self._documents.get(document.id), is_new

    def require(self, base_id: str) -> None:
        """Checks that the acting person may change the base. Raises NotFoundError, ForbiddenError."""
        self._documents.require(base_id, Role.EDITOR)

    def cancel(self, document_id: str) -> None:
        """Raises NotFoundError."""
        self.require(self._documents.get(document_id).base_id)
        self._queue.cancel(document_id)

    def retry(self, document_id: str) -> None:
        """Raises NotFoundError."""
        self._queue.retry(document_id)

    def resume(self, document_id: str) -> None:
        """Resumes a paused document regardless of its estimate. Raises NotFoundError."""
        self._queue.resume(document_id)

    def parse_again(self, document_id: str, parser: str) -> None:
        """Reads it with another parser (empty: the configured one); the published version stays until then.

        With the same parser, finished stages keep their results. Raises NotFoundError.
        """
        self._documents.choose_parser(document_id, parser)
        self._queue.retry(document_id)


def _media_type(path: Path, name: str) -> str:
    """Detected from the content. Unreadable files are accepted here and refused, with a reason, by the pipeline."""
    try:
        return inspect_file(path, name).media_type
    except InputError:
        return "application/octet-stream"
