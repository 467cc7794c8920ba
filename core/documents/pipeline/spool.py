"""IngestQueue as a folder: one empty file per document, created atomically, taken by the ingestion process.

The page and the command line need neither the durable engine nor its database to submit; the worker keeps both.
"""

import time
from contextlib import suppress
from pathlib import Path

from core.documents.ports.ingestion import IngestRecords, SubmittedDocuments
from core.platform.files.disk import disk_errors

_CANCELLING = ".cancelling"
_CANCEL_SECONDS = 60.0
"""Longer than the database is waited for; an older mark is of a process that was killed while it cancelled."""


class SpoolQueue(SubmittedDocuments):
    def __init__(self, folder: Path, records: IngestRecords) -> None:
        self._folder = folder
        self.records = records

    def submit(self, document_id: str) -> None:
        if not document_id.isalnum():
            raise ValueError("a document's id is letters and digits")
        with disk_errors(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._mark(document_id).unlink(missing_ok=True)
            (self._folder / document_id).touch()

    def cancel(self, document_id: str) -> None:
        """The running stage learns of it within a second.

        Publishing holds SQLite's write lock, so the record may have to wait for what it is to stop: a mark comes first.
        """
        with disk_errors(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._mark(document_id).touch()
        try:
            self.records.cancel(document_id)
        finally:
            self._mark(document_id).unlink(missing_ok=True)

    def cancelling(self) -> frozenset[str]:
        """Documents that are being cancelled at this moment."""
        found = set()
        for path in self._folder.glob(f"*{_CANCELLING}"):
            with suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime < _CANCEL_SECONDS:
                    found.add(path.stem)
        return frozenset(found)

    def waiting(self) -> list[str]:
        """Submitted documents not yet taken, oldest first."""
        if not self._folder.is_dir():
            return []
        files = [(path.stat().st_mtime_ns, path.name) for path in self._folder.iterdir() if path.name.isalnum()]
        return [name for _, name in sorted(files)]

    def _mark(self, document_id: str) -> Path:
        return self._folder / f"{document_id}{_CANCELLING}"

    def taken(self, document_id: str) -> None:
        (self._folder / document_id).unlink(missing_ok=True)
