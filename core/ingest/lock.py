"""One ingestion process a data folder: a lock that the system lets go when its process ends, however it ends."""

import os
import sys
from pathlib import Path
from typing import IO

OCCUPIED = 3
"""Exit status of an ingestion process that found another one at work on its data folder."""


class FolderLock:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] | None = None

    def acquire(self) -> bool:
        """Whether the lock is ours now; never waits."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = self._path.open("a+b")
        try:
            _lock(file)
        except OSError:
            file.close()
            return False
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()).encode())
        file.flush()
        self._file = file
        return True

    def release(self) -> None:
        if self._file:
            self._file.close()
            self._file = None


def _lock(file: IO[bytes]) -> None:
    """Raises OSError when another process holds it."""
    if sys.platform == "win32":
        import msvcrt

        file.seek(1 << 20)  # beyond the number that is written at the start
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
