"""Hands queued documents to the durable engine, recovers lost ones and sets aside those that kill the process."""

import logging
import shutil
from pathlib import Path

from core.domain.documents import ACTIVE, DocumentFilter
from core.errors import NotFoundError
from core.ports.bases import Bases
from core.ports.documents import Documents
from core.ports.ingestion import IngestEngine, IngestRecords, SubmittedDocuments

_LOG = logging.getLogger(__name__)
LOOKED_AT = 2
"""Documents in progress looked at each turn, beside those that the engine tells of."""
ATTEMPTS = 50
"""How often a document's run may be resumed in total; the pipeline counts the deaths within one stage."""


class Dispatcher:
    def __init__(
        self,
        bases: Bases,
        documents: Documents,
        records: IngestRecords,
        queue: SubmittedDocuments,
        engine: IngestEngine,
        work: Path,
    ) -> None:
        self._bases = bases
        self._documents = documents
        self._records = records
        self._queue = queue
        self._engine = engine
        self._work = work
        self._live: set[str] = set()
        self._ending: set[str] = set()
        """Documents whose run is over or about to be."""
        self._round: list[str] = []
        """Documents in progress that are still to be looked at, a few each turn."""

    def sweep(self) -> None:
        """Removes folders of deleted documents and killed parsers before any work."""
        folders = [path for path in self._work.iterdir() if path.is_dir()] if self._work.is_dir() else []
        known = self._documents.existing([folder.name for folder in folders])
        for folder in folders:
            if folder.name not in known:
                shutil.rmtree(folder, ignore_errors=True)

    def recover(self) -> None:
        """Enqueues unfinished documents that the engine does not know: at start-up, and after another process died."""
        for base in self._bases.all():
            self._live |= {document.id for document in self._documents.find(base.id, DocumentFilter(ACTIVE))}
        for document_id in sorted(self._live):
            self._settle(document_id)

    def turn(self) -> int:
        """Called periodically; returns the number of documents in progress."""
        for document_id in self._queue.waiting():
            self._engine.enqueue(document_id)
            self._queue.taken(document_id)
            self._live.add(document_id)
        self._ending |= {*self._engine.ended()} & self._live
        for document_id in sorted(self._ending | self._next_few()):
            self._settle(document_id)
        self._ending &= self._live
        return len(self._live)

    def _next_few(self) -> set[str]:
        """Looking takes as long as reading a small document, so not every one is looked at each time."""
        self._round = self._round or sorted(self._live)
        few, self._round = self._round[:LOOKED_AT], self._round[LOOKED_AT:]
        return self._live & {*few}

    def _settle(self, document_id: str) -> None:
        """A document whose run has ended is finished, broken, or was submitted again while its old run ended."""
        try:
            document = self._documents.get(document_id)
        except NotFoundError:
            self._live.discard(document_id)
            return
        if document.status not in ACTIVE:
            self._live.discard(document_id)
            return
        standing = self._engine.standing(document_id)
        if standing == "active":
            return
        if standing == "broken":
            _LOG.error("%s brought the process down %d times and is set aside", document_id, ATTEMPTS)
            self._records.fail(document_id, "ingest.error.poison", {"name": document.name, "attempts": str(ATTEMPTS)})
            self._live.discard(document_id)
        else:
            self._ending.discard(document_id)
            self._engine.enqueue(document_id)
