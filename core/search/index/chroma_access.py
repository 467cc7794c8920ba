"""Access to a Chroma folder for one process at a time, or to a Chroma server."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any
from urllib.parse import urlsplit

import chromadb
import chromadb.api.rust  # which the client would import by its name
import httpx
from chromadb.api import ClientAPI
from chromadb.api.shared_system_client import SharedSystemClient
from chromadb.config import Settings
from chromadb.errors import ChromaError, NotFoundError

from core.platform.errors import RetryableServiceError, Translated
from core.platform.files.sqlite_file import flaw_of
from core.search.index.chroma_graph import DATABASE, FLAW, broken_collections
from core.search.index.errors import IndexMissingError, damaged
from core.search.index.lock import exclusive

WAIT_SECONDS = 120.0
"""Wait for another process; making the file of 100,000 vectors took 20."""
_NOTHING = (0, 0)
_COSINE: Any = {"hnsw": {"space": "cosine", "ef_search": 400}}
"""ef_search: candidates a search keeps; with Chroma's default of 100 it misses one in eight of the nearest ten."""


class ChromaReader:
    """A client, valid until another process changes the database."""

    def __init__(self, client: ClientAPI, broken: set[str]) -> None:
        self.client = client
        self.broken = broken
        """Names of collections that may not be used: their graphs end the process."""

    def collection(self, name: str) -> chromadb.Collection:
        """Raises IndexMissingError, and ServiceError if it is damaged."""
        self._check(name)
        try:
            return self.client.get_collection(name, embedding_function=None)
        except NotFoundError:
            raise IndexMissingError("retrieval.index_missing") from None

    def made(self, name: str) -> chromadb.Collection:
        """The collection, made if there is none. Raises ServiceError if it is damaged."""
        self._check(name)
        return self.client.get_or_create_collection(name, configuration=_COSINE, embedding_function=None)

    def _check(self, name: str) -> None:
        if name in self.broken:
            raise damaged(FLAW)


class ChromaAccess:
    """A folder is used by one process at a time, even for counting.

    Any client may write what it finds in Chroma's log into the files of the graph; two of them broke it.
    """

    def __init__(self, folder: Path, url: str) -> None:
        """`url` of a Chroma server; if empty, the folder is used."""
        self._folder = folder
        self._database = folder / DATABASE
        self._url = url
        self._opened: ChromaReader | None = None
        self._stamp = _NOTHING
        """Identity of the database file when it was used last."""
        self._using = RLock()
        self._used: ChromaReader | None = None
        """While Chroma is in use."""

    def exists(self) -> bool:
        """Whether something may have been written."""
        return bool(self._url) or self._database.exists()

    def check(self) -> None:
        """Raises ServiceError if the database of the folder is damaged, also where nothing was read of late."""
        if not self._url and (flaw := flaw_of(self._database)):
            raise damaged(flaw)

    def current(self) -> ChromaReader | None:
        """What is known of Chroma's database, as long as no process has changed it."""
        return self._opened if not self._url and self._now() == self._stamp else None

    @contextmanager
    def alone(self, *, write: bool = False) -> Iterator[ChromaReader]:
        """Chroma in its newest state, which no other process or thread uses meanwhile.

        Raises IndexMissingError if there is nothing to read.
        """
        if self._url:
            with self.translated():
                with self._using:
                    self._opened = self._opened or ChromaReader(self._open(), set())
                yield self._opened
            return
        if not write and self._now() == _NOTHING:
            raise IndexMissingError("retrieval.index_missing")
        with self.translated(), self._turn():
            if self._used:  # by this thread
                yield self._used
                return
            with exclusive(self._folder / "opening.lock", WAIT_SECONDS):
                self._used, is_done = self._newest(), False
                try:
                    yield self._used
                    is_done = True
                except IndexMissingError:
                    is_done = True
                    raise
                finally:
                    self._opened = self._used if is_done else None
                    self._stamp, self._used = self._now(), None

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Among the threads. Raises RetryableServiceError, so that they do not wait for one another's waiting."""
        if not self._using.acquire(timeout=WAIT_SECONDS):
            raise RetryableServiceError("retrieval.index_busy", seconds=round(WAIT_SECONDS))
        try:
            yield
        finally:
            self._using.release()

    def _newest(self) -> ChromaReader:
        """Opened anew after a change by another process, which a client does not see."""
        if self._opened is None or self._now() != self._stamp:
            self._opened = None
            broken = broken_collections(self._database)
            SharedSystemClient.clear_system_cache()  # or the client would reuse what this process opened before
            self._opened = ChromaReader(self._open(), broken)
        return self._opened

    def _now(self) -> tuple[int, int]:
        """inode and modification time of the database; zeros if there is none."""
        try:
            status = self._database.stat()
        except FileNotFoundError:
            return _NOTHING
        return status.st_ino, status.st_mtime_ns

    def _open(self) -> ClientAPI:
        settings = Settings(anonymized_telemetry=False)  # clients write to it: one each
        if not self._url:
            try:
                return chromadb.PersistentClient(path=str(self._folder), settings=settings)
            except AttributeError as error:  # its clean-up after a failed start breaks
                SharedSystemClient.clear_system_cache()
                raise damaged(error.__context__ or error) from error
        parts = urlsplit(self._url)
        is_https = parts.scheme == "https"
        port = parts.port or (443 if is_https else 8000)
        return chromadb.HttpClient(host=parts.hostname or "localhost", port=port, ssl=is_https, settings=settings)

    def discard(self) -> None:
        with self._using:
            SharedSystemClient.clear_system_cache()
            self._opened = None
            shutil.rmtree(self._folder, ignore_errors=True)

    @contextmanager
    def translated(self) -> Iterator[None]:
        kinds = (ChromaError, httpx.HTTPError, ValueError, OSError, RuntimeError)
        try:
            with Translated(damaged, *(() if self._url else kinds)):
                yield
        except kinds as error:
            raise RetryableServiceError("retrieval.chroma_unreachable", reason=str(error)[:200]) from error
