"""Files that are there whole or not at all, also after a kill in the middle of a write; only their owner reads them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from core.platform.files.disk import disk_errors, full_disk_errors

_PREFIX, _SUFFIX = "incoming-", ".tmp"


def write_atomically(path: Path, data: bytes) -> None:
    """Makes the folder; what was there before is replaced. Mode 0600. Raises AppError where the disk refuses."""
    with temporary_file(path.parent) as file:
        file.write(data)
        move_into_place(file, path)


def write_replaceable(path: Path, data: bytes | memoryview) -> None:
    """The same without waiting for the disk: after a power loss, though not after a kill, the file may be empty."""
    with temporary_file(path.parent) as file:
        file.write(data)
        file.close()
        Path(file.name).replace(path)


@contextmanager
def temporary_file(folder: Path) -> Iterator[IO[bytes]]:
    """A new file of mode 0600, to be filled and moved into place inside the block; otherwise it is deleted.

    folder: made if need be, on the same file system as the final place. Raises AppError where the disk refuses.
    """
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        opened = NamedTemporaryFile(dir=folder, prefix=_PREFIX, suffix=_SUFFIX, delete=False)  # noqa: SIM115
    with full_disk_errors(folder), opened as file:
        try:
            yield file
        finally:
            Path(file.name).unlink(missing_ok=True)


def move_into_place(file: IO[bytes], path: Path) -> None:
    """Closes the file; it replaces what is at path once its bytes are on the disk."""
    file.flush()
    os.fsync(file.fileno())
    file.close()
    path.parent.mkdir(parents=True, exist_ok=True)
    Path(file.name).replace(path)


def remove_unfinished(folder: Path, before: datetime) -> None:
    """Deletes temporary files in and below the folder that killed processes left before then."""
    with suppress(FileNotFoundError):  # others change the folder meanwhile; what is left goes another day
        for path in folder.rglob(f"{_PREFIX}*{_SUFFIX}"):
            if path.stat().st_mtime < before.timestamp():
                path.unlink()
