"""NumPy arrays in files: mapped, so that unused ones take neither time nor memory, or a table read by rows."""

import json
from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO
from zlib import crc32

import numpy as np

from core.platform.files.atomic_file import write_replaceable

_ALIGNED = 64
"""Bytes; each array begins at a multiple of it."""
_NUMBER = 8
"""Bytes of each of the two numbers at the beginning: the checksum of the rest, and the length of the description."""
_BEFORE = 2 * _NUMBER


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Raises OSError, or AppError where the disk refuses."""
    blocks = [_padded(np.ascontiguousarray(each).tobytes(), b"\0") for each in arrays.values()]
    starts = accumulate(map(len, blocks), initial=0)
    places = {
        name: (each.dtype.str, each.shape, start)
        for (name, each), start in zip(arrays.items(), starts, strict=False)  # the last start is the end
    }
    description = _padded(json.dumps(places).encode(), b" ", _BEFORE)
    rest = b"".join([len(description).to_bytes(_NUMBER, "little"), description, *blocks])
    write_replaceable(path, crc32(rest).to_bytes(_NUMBER, "little") + rest)


def mapped_arrays(path: Path) -> dict[str, Any]:
    """Arrays by name, read-only. Raises OSError, or ValueError where the file is not as it was written."""
    mapped: Any = np.memmap(path, mode="r")
    file = memoryview(mapped)
    if int.from_bytes(file[:_NUMBER], "little") != crc32(file[_NUMBER:]):
        raise ValueError(path.name)
    begins = _BEFORE + int.from_bytes(file[_NUMBER:_BEFORE], "little")
    places = json.loads(bytes(file[_BEFORE:begins]))
    return {
        name: np.ndarray(tuple(shape), np.dtype(kind), file, begins + start)
        for name, (kind, shape, start) in places.items()
    }


def _padded(data: bytes, filling: bytes, before: int = 0) -> bytes:
    return data + filling * (-(before + len(data)) % _ALIGNED)


class DamagedTableError(Exception):
    """The file does not hold the rows that were written."""


class TableOnDisk:
    """A byte table whose rows are read from a file on access, to save memory and the time of unpacking it.

    Indexed by an array of rows, like a NumPy array; raises DamagedTableError for rows that changed.
    """

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
