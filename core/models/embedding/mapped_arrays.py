"""Arrays of numpy in one file, which is mapped and not read: what nobody looks at takes neither time nor memory."""

import json
from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from core.platform.files.atomic_file import write_replaceable

_ALIGNED = 64
"""Bytes; each array begins at a multiple of it."""
_NUMBER = 8
"""Bytes of the two numbers at the beginning: the checksum of all that follows it, and how long the description is."""
_BEFORE = 2 * _NUMBER


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Raises OSError, or AppError where the disk refuses."""
    blocks = [_padded(np.ascontiguousarray(each).tobytes(), b"\0") for each in arrays.values()]
    starts = accumulate(map(len, blocks), initial=0)
    places = {
        name: (each.dtype.str, each.shape, start)
        for (name, each), start in zip(arrays.items(), starts, strict=False)  # the last start is the end
    }
    told = _padded(json.dumps(places).encode(), b" ", _BEFORE)
    rest = b"".join([len(told).to_bytes(_NUMBER, "little"), told, *blocks])
    write_replaceable(path, crc32(rest).to_bytes(_NUMBER, "little") + rest)


def mapped_arrays(path: Path) -> dict[str, Any]:
    """They cannot be written to. Raises OSError, or ValueError where the file is not as it was written."""
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
