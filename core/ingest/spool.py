"""IngestQueue as a folder: one empty file a document, made in one step, taken by the ingestion process.

The page and the command line need neither the durable engine nor its database to submit; the worker keeps both.
"""

from pathlib import Path

from core.ports import Library


class SpoolQueue:
    def __init__(self, folder: Path, library: Library) -> None:
        self._folder = folder
        self._library = library

    def submit(self, document_id: str) -> None:
        if not document_id.isalnum():
            raise ValueError("a document's id is letters and digits")
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / document_id).touch()

    def cancel(self, document_id: str) -> None:
        """The running stage hears of it from the library within a second."""
        self._library.cancel(document_id)

    def retry(self, document_id: str) -> None:
        self._library.restart(document_id)
        self.submit(document_id)

    def resume(self, document_id: str) -> None:
        self._library.resume(document_id)
        self.submit(document_id)

    def waiting(self) -> list[str]:
        """Documents submitted and not yet taken, first come first."""
        if not self._folder.is_dir():
            return []
        files = [(path.stat().st_mtime_ns, path.name) for path in self._folder.iterdir() if path.name.isalnum()]
        return [name for _, name in sorted(files)]

    def taken(self, document_id: str) -> None:
        (self._folder / document_id).unlink(missing_ok=True)
