"""Numbers of the jobs that MinerU is at: noted until they are fetched, so that after a crash nothing is sent again."""

import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from core.ingest.whole_file import write_whole

DAYS = 7
"""No service keeps a job longer."""
_ENDING = ".job"


class JobNotes:
    """One file a job. Safe from several threads."""

    def __init__(self, folder: Path) -> None:
        """folder: may hold other things too."""
        self._folder = folder

    def known(self, key: str) -> str:
        """The number of the job; empty when there is none."""
        try:
            return self._path(key).read_text(encoding="utf-8")
        except (FileNotFoundError, UnicodeDecodeError):
            return ""

    def note(self, key: str, job: str) -> None:
        write_whole(self._path(key), job.encode())
        self._expire()

    def forget(self, key: str) -> None:
        self._path(key).unlink(missing_ok=True)

    def _expire(self) -> None:
        """Of documents that were deleted meanwhile."""
        oldest = time.time() - DAYS * 86_400
        for path in self._folder.glob(f"*{_ENDING}"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < oldest:
                    path.unlink()

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}{_ENDING}"


def job_key(path: Path, *asked: str) -> str:
    """For the same file, asked of the same service in the same way, the same letters and digits."""
    digest = sha256("\0".join(asked).encode())
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
