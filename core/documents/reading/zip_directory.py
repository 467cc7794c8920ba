"""Checks the size of a zip's directory before opening the zip, which reads an entry for every member."""

import struct
from pathlib import Path

from core.platform.errors import InputError

MAX_DIRECTORY_BYTES = 12_000_000
"""20,000 members with names of 500 bytes."""
_TAIL = 65_535 + 22 + 20 + 56
_END, _LOCATOR, _END64 = b"PK\x05\x06", b"PK\x06\x07", b"PK\x06\x06"


def check_directory(path: Path, name: str) -> None:
    """Raises InputError when the directory is larger than that of any document."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL))
        tail = file.read(_TAIL)
    if _directory_bytes(tail) > MAX_DIRECTORY_BYTES:
        raise InputError("ingest.error.bomb", name=name)


def _directory_bytes(tail: bytes) -> int:
    """Size by the end record or the 64-bit one before it; 0 if there is none, which opening the zip reports."""
    end = tail.rfind(_END)
    if end < 0 or len(tail) < end + 22:
        return 0
    claimed: int = struct.unpack_from("<L", tail, end + 12)[0]
    record = end - 20 - 56
    if record >= 0 and tail[end - 20 : end - 16] == _LOCATOR and tail[record : record + 4] == _END64:
        claimed = struct.unpack_from("<Q", tail, record + 40)[0]
    return claimed
