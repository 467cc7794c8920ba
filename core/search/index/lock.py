"""Exclusive access to a part of an index, among processes and threads."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.platform.errors import RetryableServiceError
from core.platform.files.file_lock import try_lock


@contextmanager
def exclusive(lock_file: Path, seconds: float) -> Iterator[None]:
    """Raises RetryableServiceError if another process or thread holds it longer."""
    lock = try_lock(lock_file, seconds)
    if lock is None:
        raise RetryableServiceError("retrieval.index_busy", seconds=round(seconds))
    try:
        yield
    finally:
        lock.release()
