"""Arrays of numpy in one file, which is mapped and not read: what nobody looks at takes neither time nor memory."""

import json
from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from core.atomic_file import write_replaceable

_ALIGNED = 64
"""Bytes; each array begins at a multiple of it."""
_LENGTH = 8
"""Bytes of a file's first number, which says how long the description behind it is."""


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Raises OSError, or AppError where the disk refuses."""
    blocks = [_padded(np.ascontiguousarray(each).tobytes()) for each in arrays.values()]
    body = b"".join(blocks)
    starts = accumulate(map(len, blocks), initial=0)
    places = {
        name: (each.dtype.str, each.shape, start)
        for (name, each), start in zip(arrays.items(), starts, strict=False)  # the last start is the end
    }
    told = _padded(json.dumps([crc32(body), places]).encode(), b" ", _LENGTH)
    write_replaceable(path, len(told).to_bytes(_LENGTH, "little") + told + body)


def mapped_arrays(path: Path) -> dict[str, Any]:
    """They cannot be written to. Raises OSError, or ValueError where the file is not as it was written."""
    file = np.memmap(path, mode="r")
    begins = _LENGTH + int.from_bytes(file[:_LENGTH].tobytes(), "little")
    checksum, places = json.loads(file[_LENGTH:begins].tobytes())
    if crc32(file[begins:]) != checksum:
        raise ValueError(path.name)
    return {
        name: np.ndarray(tuple(shape), np.dtype(kind), file, begins + start)
        for name, (kind, shape, start) in places.items()
    }


def _padded(data: bytes, filling: bytes = b"\0", before: int = 0) -> bytes:
    return data + filling * (-(before + len(data)) % _ALIGNED)
