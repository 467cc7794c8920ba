"""Locks between processes: the system frees one when the process that holds it ends, however it ends."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import BaseFileLock


def try_lock(path: Path) -> "BaseFileLock | None":
    """The lock, ours until it is released; None while somebody else holds it. Makes file and folder; never waits.

    Raises OSError when the file cannot be made.
    """
    from filelock import FileLock, Timeout  # takes a tenth of a second

    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path, thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return None
    return lock
