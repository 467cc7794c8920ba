"""Cache of parser results by content and parser, so that the same file in another base is not parsed again."""

import gzip
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from core.atomic_file import write_atomically
from core.domain.documents import Document
from core.domain.ids import content_id
from core.errors import CancelledError
from core.ingest.reading.formats import extension_of
from core.ports.metering import Cancel
from core.ports.parsing import DocumentParser, Parsed, Progress

MOST_BYTES = 500_000_000
_WAIT_SECONDS = 0.2
_ENDING = ".json.gz"


class ParseCache:
    """Files in one folder that may be deleted at any time; the least recently used are evicted when it is full."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._guard = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}

    def parse(
        self, parser: DocumentParser, document: Document, path: Path, cancel: Cancel, progress: Progress
    ) -> Parsed:
        """Returns the cached result or parses the file; a second document with the same content waits.

        Raises what the parser raises; failures are not kept.
        """
        key = content_id("parse", document.sha256, parser.identity, extension_of(document.name))
        with self._alone(key, cancel):
            kept = self._kept(key)
            if kept is None:
                kept = parser.parse(path, document.name, document.media_type, cancel, progress)
                self._keep(key, kept)
        return kept

    @contextmanager
    def _alone(self, key: str, cancel: Cancel) -> Iterator[None]:
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        while not lock.acquire(timeout=_WAIT_SECONDS):
            if cancel.requested():
                raise CancelledError("error.cancelled")
        try:
            yield
        finally:
            lock.release()

    def _kept(self, key: str) -> Parsed | None:
        path = self._path(key)
        try:
            kept: Parsed = _adapter().validate_json(gzip.decompress(path.read_bytes()))
            os.utime(path)
        except (OSError, EOFError, ValidationError):  # not there, or damaged
            return None
        return kept

    def _keep(self, key: str, parsed: Parsed) -> None:
        write_atomically(self._path(key), gzip.compress(_adapter().dump_json(parsed), 3, mtime=0))
        self._trim()

    def _trim(self) -> None:
        """Includes files left half written by a killed process."""
        with self._guard:
            files = sorted((path.stat().st_mtime_ns, path) for path in self._folder.iterdir())
            size = sum(path.stat().st_size for _, path in files)
            for _, path in files:
                if size <= self._most_bytes:
                    return
                size -= path.stat().st_size
                path.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}{_ENDING}"


@cache
def _adapter() -> TypeAdapter[Parsed]:
    return TypeAdapter(Parsed)
