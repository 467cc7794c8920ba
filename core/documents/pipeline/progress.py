"""Reports the counts of a running stage and checks for cancellation, without querying the database too often."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Lock

from core.documents.model import Stage, StageProgress
from core.documents.ports.ingestion import IngestRecords
from core.models.meter import Cancel, CancelWhen, stop_if_requested

_SECONDS_BETWEEN = 0.5
_SECONDS_UNCHANGED = 5.0
"""Between two reports of the same counts: a hundred documents that wait for a model would write all the time."""
_QUICK = (Stage.ASSEMBLE, Stage.CHUNK, Stage.LINK)
"""Stages that are over in a moment unless the document is large."""


class AwaitingApproval(Exception):  # no error: a person is asked
    """The document awaits approval; its run ends here."""


class Cancels:
    """Documents under way that were cancelled or deleted: one query at most twice a second, for all of them.

    Thread-safe. cancelling: those whose record may still be waiting for the database.
    """

    def __init__(self, records: IngestRecords, cancelling: Callable[[], frozenset[str]]) -> None:
        self._records = records
        self._cancelling = cancelling
        self._under_way: set[str] = set()
        self._unwanted: frozenset[str] = frozenset()
        self._asked = time.monotonic()
        self._lock = Lock()

    @contextmanager
    def of(self, document_id: str) -> Iterator[Cancel]:
        """The Cancel of a document while it is under way; its row was read just before."""
        with self._lock:
            self._under_way.add(document_id)
            self._unwanted -= {document_id}
        try:
            yield CancelWhen(partial(self.requested, document_id))
        finally:
            with self._lock:
                self._under_way.discard(document_id)

    def requested(self, document_id: str) -> bool:
        with self._lock:
            if time.monotonic() - self._asked >= _SECONDS_BETWEEN:
                self._unwanted = self._records.unwanted(self._under_way) | self._cancelling()
                self._asked = time.monotonic()
            return document_id in self._unwanted


@dataclass(slots=True)
class StageReport:
    """Writes one stage's progress."""

    records: IngestRecords
    document_id: str
    stage: Stage
    cancel: Cancel
    earlier: list[StageProgress] = field(default_factory=list)
    """Finished stages that are written with the next report: a transaction costs more than a row."""
    unit: str = ""
    total: int = 0
    began: float = field(default_factory=time.monotonic)
    written: float = 0.0
    said: tuple[int, int] = (0, 0)
    """Done and total as last written."""
    recorded: StageProgress | None = None
    """The end of this stage, where it was recorded with its result."""
    is_brief: bool = False
    """Whether it is shown as running only once it takes longer than a moment, like the quick stages."""

    def start(self, unit: str, total: int = 0) -> None:
        self.unit, self.total = unit, total
        if self.is_brief or self.stage in _QUICK:
            self.written = time.monotonic()
        else:
            self._write("running", 0)

    def running(self, unit: str) -> StageProgress:
        """Progress that the caller records, with that of other documents."""
        self.unit, self.written = unit, time.monotonic()
        return self._progress("running", 0)

    def advance(self, done: int, total: int) -> None:
        """Raises CancelledError as check() does."""
        self.check()
        self.total = total
        pause = _SECONDS_UNCHANGED if self.said == (done, total) else _SECONDS_BETWEEN
        if time.monotonic() - self.written >= pause:
            self._write("running", done)

    def check(self) -> None:
        """Raises CancelledError if the document was cancelled or deleted."""
        stop_if_requested(self.cancel)

    def ending(self, done: int) -> tuple[StageProgress, ...]:
        """Finished stages, this one included, to be recorded with its result; see recorded_with()."""
        self.total = done
        return (*self.earlier, self._progress("done", done))

    def recorded_with(self, ended: Sequence[StageProgress]) -> None:
        self.earlier.clear()
        self.recorded = ended[-1]

    def finish(self, done: int) -> StageProgress:
        """Ends the stage; recorded with the next report, or by flush()."""
        if self.recorded:
            return self.recorded
        self.total = done
        progress = self._progress("done", done)
        self.earlier.append(progress)
        return progress

    def flush(self) -> None:
        if self.earlier:
            self.records.record_stage(self.document_id, *self.earlier)
            self.earlier.clear()

    def wait(self) -> None:
        """Records the stage as running, though it has to be tried again."""
        self._write("running", self.said[0])

    def fail(self, note: str) -> None:
        self._write("failed", 0, note)

    @property
    def seconds(self) -> float:
        """Since the stage began."""
        return time.monotonic() - self.began

    def _write(self, status: str, done: int, note: str = "") -> None:
        self.written, self.said = time.monotonic(), (done, self.total)
        self.earlier.append(self._progress(status, done, note))
        self.flush()

    def _progress(self, status: str, done: int, note: str = "") -> StageProgress:
        return StageProgress(self.stage, status, done, self.total, self.unit, round(self.seconds, 2), note)
