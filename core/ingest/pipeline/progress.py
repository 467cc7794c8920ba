"""Reports the counts of a running stage and checks for cancellation, without querying the database too often."""

import time
from dataclasses import dataclass, field

from core.domain.documents import Stage, StageProgress
from core.errors import CancelledError, NotFoundError
from core.ports.documents import Documents
from core.ports.ingestion import IngestRecords
from core.ports.metering import Cancel

_SECONDS_BETWEEN = 0.5


class AwaitingApproval(Exception):  # no error: a person is asked
    """The document awaits approval; its run ends here."""


class DocumentCancel:
    """Cancel: whether the document has been cancelled or deleted, checked at most twice a second."""

    def __init__(self, documents: Documents, document_id: str) -> None:
        self._documents = documents
        self._document_id = document_id
        self._asked = 0.0
        self._answer = False

    def requested(self) -> bool:
        now = time.monotonic()
        if not self._answer and now - self._asked >= _SECONDS_BETWEEN:
            self._asked = now
            self._answer = self._gone_or_cancelled()
        return self._answer

    def _gone_or_cancelled(self) -> bool:
        try:
            return self._documents.get(self._document_id).cancelled
        except NotFoundError:
            return True


@dataclass(slots=True)
class StageReport:
    """Writes one stage's progress."""

    records: IngestRecords
    document_id: str
    stage: Stage
    cancel: Cancel
    unit: str = ""
    total: int = 0
    began: float = field(default_factory=time.monotonic)
    written: float = 0.0

    def start(self, unit: str, total: int = 0) -> None:
        self.unit, self.total = unit, total
        self._write("running", 0)

    def advance(self, done: int, total: int) -> None:
        """Raises CancelledError if the document was cancelled or deleted."""
        if self.cancel.requested():
            raise CancelledError("error.cancelled")
        self.total = total
        if time.monotonic() - self.written >= _SECONDS_BETWEEN:
            self._write("running", done)

    def finish(self, done: int) -> StageProgress:
        self.total = done
        return self._write("done", done)

    def fail(self, note: str) -> None:
        self._write("failed", 0, note)

    @property
    def seconds(self) -> float:
        """Since the stage began."""
        return time.monotonic() - self.began

    def _write(self, status: str, done: int, note: str = "") -> StageProgress:
        self.written = time.monotonic()
        progress = StageProgress(self.stage, status, done, self.total, self.unit, round(self.seconds, 2), note)
        self.records.record_stage(self.document_id, progress)
        return progress
