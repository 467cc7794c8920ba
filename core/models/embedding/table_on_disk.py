"""A byte table whose rows are read from a file on access, to save memory and the time of unpacking it."""

from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO
from zlib import crc32

import numpy as np

from core.platform.files.atomic_file import write_replaceable


class DamagedTableError(Exception):
    """The file does not hold the rows that were written."""


class TableOnDisk:
    """Indexed by an array of rows, as a numpy array of bytes is; raises DamagedTableError for rows that changed."""

    def __init__(self, path: Path, shape: tuple[int, int], checksums: Any) -> None:
        """Raises OSError where there is no such file."""
        self._file: BinaryIO = path.open("rb", buffering=0)
        self._reading = Lock()
        self.shape, self.checksums = shape, checksums

    def __getitem__(self, rows: Any) -> Any:
        width = self.shape[1]
        distinct, places = np.unique(rows, return_inverse=True)
        read = []
        with self._reading:
            for row in distinct.tolist():
                self._file.seek(row * width)
                read.append(self._file.read(width))
        if [*map(crc32, read)] != self.checksums[distinct].tolist():
            raise DamagedTableError(self._file.name)
        return np.frombuffer(b"".join(read), dtype=np.uint8).reshape(len(distinct), width)[places]


def kept_on_disk(table: Any, path: Path) -> TableOnDisk:
    """The table backed by the file at this path from now on. Raises OSError, or AppError where the disk refuses."""
    write_replaceable(path, memoryview(table).cast("B"))
    return TableOnDisk(path, table.shape, np.fromiter(map(crc32, table), dtype=np.uint32, count=len(table)))
