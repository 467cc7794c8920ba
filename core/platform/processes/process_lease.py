"""Shows which processes are alive: each holds a locked file while it runs, and the system releases it when it dies."""

import os
import socket
from pathlib import Path
from uuid import uuid4

from core.platform.files.disk import told
from core.platform.files.file_lock import try_lock


class ProcessLease:
    """This process as the owner of runs. close() when done."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.id = f"{_host()}-{os.getpid()}-{uuid4().hex[:8]}"
        with told(folder):
            lock = try_lock(self._path(self.id))
        if lock is None:
            raise OSError(f"{self._path(self.id)} is locked by another process")
        self._lock = lock

    def is_alive(self, owner_id: str) -> bool:
        """Owners on other machines cannot be checked, so they count as alive."""
        if owner_id == self.id:
            return self._lock.is_locked
        if not owner_id.startswith(f"{_host()}-"):
            return bool(owner_id)
        path = self._path(owner_id)
        try:
            lock = try_lock(path) if path.is_file() else None
        except OSError:
            return False
        if lock:
            lock.release()
        return lock is None and path.is_file()

    def has_died(self, owner_id: str) -> bool:
        return not self.is_alive(owner_id)

    def leads(self) -> bool:
        """Every process may settle what dead ones left: which are dead is known at once."""
        return True

    def tidy(self) -> None:
        """Removes files of dead owners."""
        for path in self.folder.glob(f"{_host()}-*.lock"):
            if not self.is_alive(path.stem):
                path.unlink(missing_ok=True)

    def close(self) -> None:
        self._lock.release()
        self._path(self.id).unlink(missing_ok=True)

    def _path(self, owner_id: str) -> Path:
        return self.folder / f"{Path(owner_id).name or 'unknown'}.lock"


def _host() -> str:
    return "".join(character if character.isalnum() else "_" for character in socket.gethostname())[:40]
