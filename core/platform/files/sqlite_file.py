"""SQLite files: integrity checks, errors for their failures, and how a damaged one is set aside."""

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from core.platform.errors import AppError, DamagedError, RetryableServiceError, ServiceError
from core.platform.files.disk import out_of_space, read_only

_BESIDE = ("-wal", "-shm", "-journal")
_SOUND = "ok"
_QUICK_SECONDS = 3.0
_BEING_RECOVERED = (
    sqlite3.SQLITE_READONLY_RECOVERY,
    sqlite3.SQLITE_READONLY_CANTLOCK,
    sqlite3.SQLITE_READONLY_CANTINIT,
)
"""Codes for another process that is busy with the write-ahead log; the file itself can be written."""
_STEPS = 10_000
"""Instructions of SQLite's virtual machine between two checks of the time."""


def is_kept_from_writing(path: Path) -> bool:
    """Whether the file exists and cannot be written to, itself or its folder, where SQLite puts its journal."""
    return path.is_file() and not all(os.access(place, os.W_OK) for place in (path, path.parent))


def open_for_reading(path: Path, **options: Any) -> sqlite3.Connection:
    """A read-only connection. Raises sqlite3.Error.

    A write-ahead log that is there is read along, for which SQLite needs its index beside it. Without one the file is
    whole, and SQLite must be told that nobody changes it, or it wants to make a log.
    """
    log = path.with_name(f"{path.name}-wal")
    whole = not log.exists() or not log.stat().st_size
    address = f"file:{quote(str(path.resolve()))}?mode=ro{'&immutable=1' * whole}"
    opened: sqlite3.Connection = sqlite3.connect(address, uri=True, **options)
    return opened


def flaw_of(path: Path, thorough: bool = False) -> str:
    """What SQLite finds wrong with the file, in its words; empty for a sound or a missing one.

    A write-ahead log that a killed process left is recovered on the way, which a connection for reading cannot do.
    thorough: whether indexes are compared with their tables as well, however long that takes; otherwise the look
    ends after a few seconds. Raises AppError when the file cannot be read.
    """
    if not path.exists():
        return ""
    check = "integrity_check" if thorough else "quick_check"
    try:
        with closing(_opened(path)) as connection:
            if not thorough:
                deadline = time.monotonic() + _QUICK_SECONDS
                connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
            found = connection.execute(f"PRAGMA {check}(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        if _code(error) == sqlite3.SQLITE_INTERRUPT:
            return ""
        if is_damage(error):
            return str(error)
        raise failure(path, error) from error
    return "" if found == _SOUND else str(found).splitlines()[-1]


def _opened(path: Path) -> sqlite3.Connection:
    """A connection for writing if possible, because that recovers the log of a killed process."""
    if is_kept_from_writing(path):
        return open_for_reading(path, timeout=10)
    return sqlite3.connect(f"file:{quote(str(path))}?mode=rw", uri=True, timeout=10)


def is_damage(error: BaseException | None) -> bool:
    return _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def failure(path: Path, error: BaseException | None) -> AppError:
    """An error for the cause: a busy, full, read-only or damaged file."""
    if path.is_dir():
        return ServiceError("storage.is_folder", path=path)
    if getattr(error, "sqlite_errorcode", 0) in _BEING_RECOVERED:
        return RetryableServiceError("storage.busy")
    match _code(error):
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return RetryableServiceError("storage.busy")
        case sqlite3.SQLITE_FULL:
            return out_of_space(path.parent)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return read_only(path.parent)
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return damaged(path, first_line(error))
    return ServiceError("storage.unavailable", reason=first_line(error))


def damaged(path: Path, flaw: str) -> DamagedError:
    return DamagedError("storage.damaged", name=path.name, reason=flaw)


def set_aside(path: Path) -> Path:
    """Renames the damaged file, replacing an earlier one, so that it can be examined."""
    aside = path.with_name(f"{path.stem}.damaged{path.suffix}")
    for ending in _BESIDE:
        path.with_name(path.name + ending).unlink(missing_ok=True)
    return path.replace(aside)


def first_line(error: BaseException | None) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _code(error: BaseException | None) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
