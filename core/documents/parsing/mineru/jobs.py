"""Numbers of MinerU jobs in progress, recorded until their results arrive, so that a crash causes no second upload."""

import time
from contextlib import suppress
from hashlib import file_digest, sha256
from pathlib import Path

from core.models.meter import Cancel, stop_if_requested
from core.platform.files.atomic_file import write_atomically

DAYS = 7
"""No service keeps a job longer."""
_ENDING = ".job"
REVISION = 1
"""Part of a parser's identity. Increase it when the same results are converted into different blocks."""


class JobNotes:
    """One file per job. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        """`folder` may contain other things too."""
        self._folder = folder

    def known(self, key: str) -> str:
        """The number of the job; empty if there is none."""
        try:
            return self._path(key).read_text(encoding="utf-8")
        except (FileNotFoundError, UnicodeDecodeError):
            return ""

    def note(self, key: str, job: str) -> None:
        write_atomically(self._path(key), job.encode())
        self._expire()

    def forget(self, key: str) -> None:
        self._path(key).unlink(missing_ok=True)

    def _expire(self) -> None:
        """Jobs of documents that have since been deleted."""
        oldest = time.time() - DAYS * 86_400
        for path in self._folder.glob(f"*{_ENDING}"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < oldest:
                    path.unlink()

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}{_ENDING}"


def job_key(path: Path, *asked: str) -> str:
    """The same letters and digits for the same file, service and options."""
    digest = sha256("\0".join(asked).encode())
    with path.open("rb") as file:
        return file_digest(file, lambda: digest).hexdigest()


def wait(seconds: float, ends_at: float, cancel: Cancel) -> bool:
    """False when the time is over first. ends_at: by time.monotonic(). Raises CancelledError when stopped."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        stop_if_requested(cancel)
        if time.monotonic() > ends_at:
            return False
        time.sleep(min(left, 0.2))
    return True
