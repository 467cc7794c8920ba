"""Vectors of words and of sentences in files, so that a text is not encoded repeatedly or by every process.

A question compares a hundred words and forty sentences of its passages with its own. Documents repeat their words, and
questions about a document meet the same sentences. The files contain only hashes of texts, so nothing of a deleted
document can be read in them.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b, shake_256
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

MAX_CHARACTERS = 24
MOST = 20_000
"""Texts of a file, 45 MB. Beyond that the older half is deleted."""
AT_ONCE = 100
"""Texts written in one transaction, which takes a millisecond; fewer are lost with the process."""
_STORED = np.dtype("<f4")
"""Half precision changes ties, which gave one of 377 questions another answer."""
_WAIT_SECONDS = 0.2
_NAME_BYTES = 12
_PAGE_BYTES = 16_384
"""Size of a page, which holds seven vectors; in pages of SQLite's default size half would be empty."""
_TABLE = "CREATE TABLE IF NOT EXISTS words (number INTEGER PRIMARY KEY, name TEXT UNIQUE, vector BLOB)"
_FOUND = "SELECT name, vector FROM words WHERE name IN (SELECT value FROM json_each(?))"


def is_word(text: str) -> bool:
    return len(text) <= MAX_CHARACTERS and not any(map(str.isspace, text))


class KeptWords:
    """Thread-safe. A file that cannot be used holds nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._opened: sqlite3.Connection | None = None
        self._lock = Lock()
        self._new: dict[str, bytes] = {}

    def find(self, words: Iterable[str]) -> dict[str, Any]:
        """The vectors of those that are known."""
        named = {_name(word): word for word in words}
        found: list[tuple[str, bytes]] = []
        with self._safely():
            found = self._file().execute(_FOUND, [json.dumps([*named])]).fetchall()
        return {named[name]: np.frombuffer(self._sealed(named[name], vector), _STORED) for name, vector in found}

    def keep(self, vectors: Mapping[str, Any]) -> None:
        """Adds vectors, which are written once there are AT_ONCE of them."""
        sealed = {
            _name(word): self._sealed(word, np.asarray(vector, _STORED).tobytes()) for word, vector in vectors.items()
        }
        with self._safely():
            self._new |= sealed
            if len(self._new) >= AT_ONCE:
                rows, self._new = [*self._new.items()], {}
                self._write(rows)

    def _sealed(self, text: str, vector: bytes) -> bytes:
        """Encrypts and decrypts a vector. Those of single words reveal nothing of a document and stay as they are."""
        del text
        return vector

    def _write(self, rows: Sequence[tuple[str, bytes]]) -> None:
        with self._file() as file:
            file.executemany("INSERT OR IGNORE INTO words (name, vector) VALUES (?, ?)", rows)
            first, last = file.execute("SELECT min(number), max(number) FROM words").fetchone()
            if last - first >= MOST:
                file.execute("DELETE FROM words WHERE number <= ?", (last - MOST // 2,))

    def _file(self) -> sqlite3.Connection:
        if self._opened is None:
            self._opened = _open(self._path)
        return self._opened

    @contextmanager
    def _safely(self) -> Iterator[None]:
        """One thread at a time. Failures inside are suppressed; a damaged file is deleted."""
        with self._lock, suppress(sqlite3.OperationalError, OSError):  # locked by another process, or not to be written
            try:
                yield
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:
                self._opened = None
                for ending in ("", "-wal", "-shm"):  # a log that stays would be read into the next file
                    self._path.with_name(self._path.name + ending).unlink(missing_ok=True)


class KeptSentences(KeptWords):
    """A sentence's vector reveals roughly what it says, so only who has the sentence can decrypt it."""

    def _sealed(self, text: str, vector: bytes) -> bytes:
        key = shake_256(_encoded(text)).digest(len(vector))
        return bytes(np.frombuffer(vector, np.uint8) ^ np.frombuffer(key, np.uint8))


def _open(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    file = sqlite3.connect(path, timeout=_WAIT_SECONDS, check_same_thread=False)
    file.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
    file.execute("PRAGMA journal_mode = WAL")
    file.execute("PRAGMA synchronous = NORMAL")
    file.execute(_TABLE)
    return file


def _name(text: str) -> str:
    return blake2b(_encoded(text), digest_size=_NAME_BYTES).hexdigest()


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
