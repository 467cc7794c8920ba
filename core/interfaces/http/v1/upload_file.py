"""An uploaded file on disk, for as long as it is being taken in."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fastapi import UploadFile

from core.platform.files.atomic_file import temporary_file

_PIECE = 1 << 20


@contextmanager
def copied(file: UploadFile, folder: Path) -> Iterator[Path]:
    """In the data folder, so that what does not fit is reported as a full disk."""
    with temporary_file(folder) as target:
        shutil.copyfileobj(file.file, target, _PIECE)
        target.flush()
        yield Path(target.name)
