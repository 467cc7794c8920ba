"""Cache of parser results by content and parser, so that the same file in another base is not parsed again."""

import gzip
import os
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from core.documents.model import Document
from core.documents.ports.parsing import DocumentParser, Parsed, Progress
from core.documents.reading.formats import extension_of
from core.models.meter import Cancel, stop_if_requested
from core.platform.files.atomic_file import write_replaceable
from core.platform.ids import content_id
from core.platform.type_adapters import adapter

MOST_BYTES = 500_000_000
_WAIT_SECONDS = 0.2
_ENDING = ".json.gz"


class ParseCache:
    """Files below one folder that may be deleted at any time; the least recently used are evicted when it is full."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._guard = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._bytes: int | None = None
        """Size of all files, as far as this process knows; None before it has measured them."""

    def parse(
        self, parser: DocumentParser, document: Document, path: Path, cancel: Cancel, progress: Progress
    ) -> Parsed:
        """Returns the cached result or parses the file; a second document with the same content waits.

        Raises what the parser raises; failures are not kept.
        """
        key = content_id("parse", document.sha256, parser.identity, extension_of(document.name))
        place = self._folder / document.sha256[:2] / f"{document.sha256}-{key}{_ENDING}"  # FileStore.delete finds it
        with self._alone(key, cancel):
            kept = _kept(place)
            if kept is None:
                kept = parser.parse(path, document.name, document.media_type, cancel, progress).storable()
                self._keep(place, kept)
        return kept

    @contextmanager
    def _alone(self, key: str, cancel: Cancel) -> Iterator[None]:
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        while not lock.acquire(timeout=_WAIT_SECONDS):
            stop_if_requested(cancel)
        try:
            yield
        finally:
            lock.release()

    def _keep(self, place: Path, parsed: Parsed) -> None:
        """A file that a power loss damages is read as missing."""
        data = gzip.compress(adapter(Parsed).dump_json(parsed), 3, mtime=0)
        write_replaceable(place, data)
        with self._guard:
            self._bytes = None if self._bytes is None else self._bytes + len(data)
            if self._bytes is None or self._bytes > self._most_bytes:
                self._bytes = self._trimmed()

    def _trimmed(self) -> int:
        """The bytes that are left. Files left half written by a killed process count; others may vanish meanwhile."""
        files = sorted(self._files())
        left = sum(size for _, size, _ in files)
        for _, size, path in files:
            if left <= self._most_bytes:
                break
            path.unlink(missing_ok=True)
            left -= size
        return left

    def _files(self) -> Iterator[tuple[int, int, Path]]:
        """Time, bytes and path of each."""
        for path in self._folder.rglob("*.*"):
            with suppress(FileNotFoundError):
                status = path.stat()
                yield status.st_mtime_ns, status.st_size, path


def _kept(place: Path) -> Parsed | None:
    try:
        kept: Parsed = adapter(Parsed).validate_json(gzip.decompress(place.read_bytes()))
        os.utime(place)
    except (OSError, EOFError, zlib.error, ValidationError):  # not there, or damaged
        return None
    return kept
