"""IngestQueue as a folder: one empty file per document, created atomically, taken by the ingestion process.

The page and the command line need neither the durable engine nor its database to submit; the worker keeps both.
"""

from pathlib import Path

from core.ports.ingestion import IngestRecords


class SpoolQueue:
    def __init__(self, folder: Path, records: IngestRecords) -> None:
        self._folder = folder
        self._records = records

    def submit(self, document_id: str) -> None:
        if not document_id.isalnum():
            raise ValueError("a document's id is letters and digits")
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / document_id).touch()

    def cancel(self, document_id: str) -> None:
        """The running stage learns of it from its record within a second."""
        self._records.cancel(document_id)

    def retry(self, document_id: str) -> None:
        self._records.restart(document_id)
        self.submit(document_id)

    def resume(self, document_id: str) -> None:
        self._records.resume(document_id)
        self.submit(document_id)

    def waiting(self) -> list[str]:
        """Submitted documents not yet taken, oldest first."""
        if not self._folder.is_dir():
            return []
        files = [(path.stat().st_mtime_ns, path.name) for path in self._folder.iterdir() if path.name.isalnum()]
        return [name for _, name in sorted(files)]

    def taken(self, document_id: str) -> None:
        (self._folder / document_id).unlink(missing_ok=True)
