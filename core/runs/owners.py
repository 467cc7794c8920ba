"""Which processes are alive: each holds a locked file for as long as it runs, which the system frees when it dies."""

import os
import socket
import sys
from pathlib import Path
from typing import IO
from uuid import uuid4

if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[str]) -> bool:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(file: IO[str]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


class Owner:
    """This process as the owner of runs. close() when done."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.id = f"{_host()}-{os.getpid()}-{uuid4().hex[:8]}"
        self._file = self._path(self.id).open("w")
        if not _lock(self._file):
            raise OSError(f"{self._file.name} is locked by another process")

    def is_alive(self, owner_id: str) -> bool:
        """Of an owner on another machine nothing is known, so it counts as alive."""
        if owner_id == self.id:
            return not self._file.closed
        if not owner_id.startswith(f"{_host()}-"):
            return bool(owner_id)
        try:
            with self._path(owner_id).open("r+") as file:
                return not _lock(file)
        except OSError:
            return False

    def tidy(self) -> None:
        """Remove what dead owners left."""
        for path in self.folder.glob(f"{_host()}-*.lock"):
            if not self.is_alive(path.stem):
                path.unlink(missing_ok=True)

    def close(self) -> None:
        self._file.close()
        self._path(self.id).unlink(missing_ok=True)

    def _path(self, owner_id: str) -> Path:
        return self.folder / f"{Path(owner_id).name or 'unknown'}.lock"


def _host() -> str:
    return "".join(character if character.isalnum() else "_" for character in socket.gethostname())[:40]
