"""Between the queue and the durable engine: what is submitted gets run, what was lost is found, poison is set aside."""

import logging
import shutil
from pathlib import Path

from core.domain.documents import DocumentStatus
from core.errors import NotFoundError
from core.ingest.spool import SpoolQueue
from core.ports import IngestEngine, Library

_LOG = logging.getLogger(__name__)
_UNFINISHED = (DocumentStatus.QUEUED, DocumentStatus.RUNNING)
ATTEMPTS = 50
"""How often a document's run may be taken up again in all; the pipeline counts the deaths within one stage."""


class Dispatcher:
    def __init__(self, library: Library, queue: SpoolQueue, engine: IngestEngine, work: Path) -> None:
        self._library = library
        self._queue = queue
        self._engine = engine
        self._work = work
        self._live: set[str] = set()

    def sweep(self) -> None:
        """Before any work: folders of documents that are gone, and of parsers that were killed, are removed."""
        known = {document.id for base in self._library.bases() for document in self._library.documents(base.id)}
        for folder in self._work.iterdir() if self._work.is_dir() else ():
            if folder.is_dir() and folder.name not in known:
                shutil.rmtree(folder, ignore_errors=True)

    def recover(self) -> None:
        """At the start: unfinished documents that the engine does not know of are enqueued."""
        for base in self._library.bases():
            self._live |= {doc.id for doc in self._library.documents(base.id) if doc.status in _UNFINISHED}
        for document_id in sorted(self._live):
            self._settle(document_id)

    def turn(self) -> int:
        """Once a moment; how many documents are under way."""
        for document_id in self._queue.waiting():
            self._engine.enqueue(document_id)
            self._queue.taken(document_id)
            self._live.add(document_id)
        for document_id in sorted(self._live):
            self._settle(document_id)
        return len(self._live)

    def _settle(self, document_id: str) -> None:
        """A document whose run has ended is finished, broken, or was submitted again while its old run went down."""
        standing = self._engine.standing(document_id)
        if standing == "active":
            return
        try:
            document = self._library.document(document_id)
        except NotFoundError:
            self._live.discard(document_id)
            return
        if document.status not in _UNFINISHED:
            self._live.discard(document_id)
        elif standing == "broken":
            _LOG.error("%s brought the process down %d times and is set aside", document_id, ATTEMPTS)
            self._library.fail(document_id, "ingest.error.poison", {"name": document.name, "attempts": str(ATTEMPTS)})
            self._live.discard(document_id)
        else:
            self._engine.enqueue(document_id)
