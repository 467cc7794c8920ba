"""A byte table whose rows are read from a file on access, to save memory."""

import os
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

import numpy as np

from core.atomic_file import move_into_place, temporary_file

ROWS_COMPARED = 8_192
"""Rows compared at a time."""


class TableOnDisk:
    """Indexed by an array of rows, as a numpy array of bytes is."""

    def __init__(self, file: BinaryIO, shape: tuple[int, int]) -> None:
        self._file, self.shape = file, shape
        self._reading = Lock()

    def __getitem__(self, rows: Any) -> Any:
        width = self.shape[1]
        distinct, places = np.unique(rows, return_inverse=True)
        read = bytearray(len(distinct) * width)
        with self._reading:
            for at, row in enumerate(distinct.tolist()):
                self._file.seek(row * width)
                read[at * width : (at + 1) * width] = self._file.read(width)
        return np.frombuffer(read, dtype=np.uint8).reshape(len(distinct), width)[places]


def kept_on_disk(table: Any, path: Path) -> TableOnDisk:
    """The table backed by the file at this path, which is rewritten unless it already has the same content.

    Raises OSError, or AppError where the disk refuses.
    """
    if not _holds(path, table):
        with temporary_file(path.parent) as file:
            file.write(memoryview(table))
            move_into_place(file, path)
    return TableOnDisk(path.open("rb", buffering=0), table.shape)


def _holds(path: Path, table: Any) -> bool:
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size != table.nbytes:
                return False
            stretches = (table[at : at + ROWS_COMPARED] for at in range(0, len(table), ROWS_COMPARED))
            return all(file.read(stretch.nbytes) == stretch.tobytes() for stretch in stretches)
    except OSError:
        return False
