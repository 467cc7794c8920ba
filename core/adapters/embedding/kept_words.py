"""Vectors of words in a file of its own, so that no word is encoded again and again, or by every process.

A question compares a hundred words of its passages with its own, and documents repeat their words. The file names none
of them: nothing of a deleted document can be read in it.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

MAX_CHARACTERS = 24
MOST = 20_000
"""Words, 45 MB. Beyond that the older half is forgotten."""
ASKED = 500
"""At once: SQLite takes a limited number of parameters."""
_STORED = np.dtype("<f4")
"""Half of it would do for all but ties, and one of 377 questions then got another answer."""
_WAIT_SECONDS = 0.2
_NAME_BYTES = 12
_TABLE = "CREATE TABLE IF NOT EXISTS words (number INTEGER PRIMARY KEY, name BLOB UNIQUE, vector BLOB)"


def is_word(text: str) -> bool:
    return len(text) <= MAX_CHARACTERS and not any(map(str.isspace, text))


class KeptWords:
    """Thread-safe. A file that cannot be used holds nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._opened: sqlite3.Connection | None = None
        self._lock = Lock()

    def find(self, words: Iterable[str]) -> dict[str, Any]:
        """The vectors of those that are known."""
        named = {_name(word): word for word in words}
        names, found = iter(named), dict[bytes, bytes]()
        with self._safely():
            while asked := list(islice(names, ASKED)):
                marks = ",".join("?" * len(asked))
                found.update(self._file().execute(f"SELECT name, vector FROM words WHERE name IN ({marks})", asked))
        return {named[name]: np.frombuffer(vector, _STORED) for name, vector in found.items()}

    def keep(self, vectors: Mapping[str, Any]) -> None:
        rows = [(_name(word), np.asarray(vector, _STORED).tobytes()) for word, vector in vectors.items()]
        with self._safely(), self._file() as file:
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
        """One thread at a time. What fails inside ends it without an error; a damaged file is thrown away."""
        with self._lock:
            try:
                yield
            except (sqlite3.OperationalError, OSError):  # locked by another process, or not to be written
                pass
            except sqlite3.DatabaseError:
                self._opened = None
                self._path.unlink(missing_ok=True)


def _open(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    file = sqlite3.connect(path, timeout=_WAIT_SECONDS, check_same_thread=False)
    file.execute("PRAGMA journal_mode = WAL")
    file.execute("PRAGMA synchronous = NORMAL")
    file.execute(_TABLE)
    return file


def _name(word: str) -> bytes:
    return blake2b(word.encode("utf-8", "surrogatepass"), digest_size=_NAME_BYTES).digest()
