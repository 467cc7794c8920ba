"""Locks between processes: the system frees one when the process that holds it ends, however it ends."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import BaseFileLock


def try_lock(path: Path, seconds: float = 0.0) -> "BaseFileLock | None":
    """The lock, ours until it is released; None if somebody else still holds it then. Makes file and folder.

    Raises OSError when the file cannot be made.
    """
    from filelock import FileLock, Timeout  # takes a tenth of a second

    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path, thread_local=False)
    try:
        lock.acquire(timeout=seconds)
    except Timeout:
        return None
    return lock
