"""Hands queued documents to the durable engine, recovers lost ones and sets aside those that never come to an end."""

import logging
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from itertools import accumulate
from pathlib import Path

from core.documents.model import ACTIVE, Document, DocumentFilter
from core.documents.ports.bases import Bases
from core.documents.ports.documents import Documents
from core.documents.ports.ingestion import IngestEngine, IngestRecords, SubmittedDocuments
from core.documents.ports.parsing import READ
from core.platform.clock import utc_now

_LOG = logging.getLogger(__name__)
LOOKED_AT = 2
"""Documents in progress that are checked at intervals, besides those that the engine reports."""
_SECONDS_BETWEEN = 1.5
ATTEMPTS = 50
"""How often a document's run may be resumed in total, whatever interrupted it."""
TOGETHER = 64
"""Most short documents that are read together, if they fit into _TOGETHER_BYTES."""
_TOGETHER_BYTES = 100_000
_MOST_SHORT = 6 * TOGETHER
"""Most short documents under way: two rounds of a model's calls, and what is read meanwhile; others wait for the next
group.
"""
_TAKEN_AT_ONCE = 500
LOST_AFTER = timedelta(seconds=60)
"""Age at which a document is recovered that was stored and then not submitted, as when the database or the disk failed;
and the time between two looks for such documents.
"""


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
        self.goes_along: Callable[[Document], bool] | None = None
        """Whether a document is read together with others. None where several workers share a queue, so that none holds
        what another could read.
        """
        self._backlog: list[str] = []
        """Known documents that were submitted and not taken; read again when it is empty."""
        self._short: set[str] = set()
        """Documents enqueued in groups."""
        self._live: set[str] = set()
        self._ending: set[str] = set()
        """Documents whose run is over or about to be."""
        self._round: list[str] = []
        """Documents in progress still to be checked in this round."""
        self._looked = float("-inf")
        self._recovered = time.monotonic()

    def sweep(self) -> None:
        """Removes folders of deleted documents and killed parsers before any work."""
        folders = [path for path in self._work.iterdir() if path.is_dir()] if self._work.is_dir() else []
        known = self._documents.existing([folder.name for folder in folders])
        for folder in folders:
            if folder.name not in known and folder.name != READ:
                shutil.rmtree(folder, ignore_errors=True)

    def recover(self, least_age: timedelta = timedelta()) -> None:
        """Enqueues unfinished documents that the engine does not know: at start-up, and after another process died."""
        now = utc_now()
        for base in self._bases.all():
            active = self._documents.find(base.id, DocumentFilter(ACTIVE))
            self._live |= {each.id for each in active if abs(now - each.added_at) >= least_age}
        self._live -= {*self._queue.waiting(), *self._backlog}
        lost = self._settle_all({*self._live})
        self._live.difference_update(lost)
        for group in self._groups(lost):
            self._take(*group)
        self._recovered = time.monotonic()

    def turn(self) -> int:
        """Called periodically; returns the number of documents in progress."""
        if time.monotonic() - self._recovered > LOST_AFTER.total_seconds():
            self.recover(LOST_AFTER)
        self._backlog = self._backlog or self._queue.waiting()
        taken, self._backlog = self._backlog[:_TAKEN_AT_ONCE], self._backlog[_TAKEN_AT_ONCE:]
        for group in self._groups(taken):
            self._take(*group)
        self._ending |= {*self._engine.ended()} & self._live
        for document_id in self._settle_all(self._ending | self._next_few()):
            self._engine.enqueue(document_id)
        self._ending &= self._live
        self._short &= self._live
        return len(self._live)

    def _groups(self, document_ids: list[str]) -> Iterator[list[str]]:
        """Groups to be enqueued together. Short documents stay in the backlog while enough of them are under way."""
        fresh = [each for each in document_ids if each not in self._live]
        known = self._documents.several(fresh) if fresh and self.goes_along else []
        short = {each.id: each for each in known if self.goes_along and self.goes_along(each)}
        yield from ([each] for each in document_ids if each not in short)
        waiting = [short[each] for each in document_ids if each in short]
        while waiting and len(self._short) <= _MOST_SHORT - TOGETHER:
            group = _first_together(waiting)
            waiting = [each for each in waiting if each not in group]
            self._short |= {each.id for each in group}
            yield [each.id for each in group]
        self._backlog = [each.id for each in waiting] + self._backlog

    def _take(self, *document_ids: str) -> None:
        self._engine.enqueue(*document_ids)
        self._live.update(document_ids)
        for document_id in document_ids:
            self._queue.taken(document_id)

    def _next_few(self) -> set[str]:
        """Documents to check now: a few, because a check takes as long as reading a small document."""
        if len(self._live) > LOOKED_AT and time.monotonic() - self._looked < _SECONDS_BETWEEN:
            return set()
        self._looked = time.monotonic()
        self._round = self._round or sorted(self._live)
        few, self._round = self._round[:LOOKED_AT], self._round[LOOKED_AT:]
        return self._live & {*few}

    def _settle_all(self, document_ids: set[str]) -> list[str]:
        """Active documents that nobody works on.

        A document whose run has ended is finished, broken, or was submitted again while its old run ended.
        """
        active = {each.id: each for each in self._documents.several(document_ids) if each.status in ACTIVE}
        self._live -= document_ids - active.keys()
        return [each for each in sorted(active) if self._is_lost(each, active[each].name)]

    def _is_lost(self, document_id: str, name: str) -> bool:
        standing = self._engine.standing(document_id)
        if standing == "active":
            return False
        self._ending.discard(document_id)
        if standing == "broken":
            _LOG.error("%s was interrupted %d times and is set aside", document_id, ATTEMPTS)
            self._records.fail(document_id, "ingest.error.interrupted", {"name": name, "attempts": str(ATTEMPTS)})
            self._live.discard(document_id)
        return standing != "broken"


def _first_together(documents: Sequence[Document]) -> list[Document]:
    """The first document, and those of its base that fit into one group."""
    own = [each for each in documents if each.base_id == documents[0].base_id][:TOGETHER]
    sizes = accumulate(each.size for each in own)
    return [each for each, size in zip(own, sizes, strict=True) if size <= _TOGETHER_BYTES or each is own[0]]
