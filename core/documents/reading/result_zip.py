"""Reads a MinerU result from a zip without unpacking it: checks everything, then opens only the content list."""

import json
import re
import shutil
import stat
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from core.documents.reading.content_list import entries_in, entries_of
from core.platform.errors import InputError

MAX_MEMBERS = 20_000
MAX_UNPACKED_BYTES = 1_000_000_000
MAX_LIST_BYTES = 60_000_000
MAX_ORIGIN_BYTES = 200_000_000
MAX_RATIO = 200
"""Limit of the compression ratio; real results stay below 30."""
_RATIO_MATTERS_BYTES = 5_000_000
DAMAGES = (BadZipFile, OSError, RuntimeError, EOFError, ValueError, zlib.error, LZMAError)
"""What reading a damaged zip raises, or one that is packed or encrypted in an unknown way."""
_NAME_BYTES = 255
MAX_DIRECTORY_BYTES = 12_000_000
"""Limit of a zip's directory, of which opening the zip reads all: 20,000 members with names of 500 bytes."""
_TAIL = 65_535 + 22 + 20 + 56
_END, _LOCATOR, _END64 = b"PK\x05\x06", b"PK\x06\x07", b"PK\x06\x06"
_ORIGIN = "_origin.pdf"
_DRIVE = re.compile(r"[A-Za-z]:")


def is_content_list(member: str) -> bool:
    """Whether the name is that of a V1 list, not of the v2 form or of macOS metadata."""
    name = PurePosixPath(member).name
    return (name == "content_list.json" or name.endswith("_content_list.json")) and not name.startswith("._")


def is_result(members: Sequence[str]) -> bool:
    return any(is_content_list(member) or _is_structured(member) for member in members)


def read_list(path: Path, name: str) -> list[Any]:
    """The entries of a separate content list. Raises InputError."""
    if path.stat().st_size > MAX_LIST_BYTES:
        raise InputError("ingest.error.too_large", name=name, limit=MAX_LIST_BYTES // 1_000_000)
    return entries_in(path.read_bytes(), name)


def read_result(path: Path, name: str) -> list[Any]:
    """The entries of the list in a zip. Raises InputError for a hostile or damaged zip."""
    with _opened(path, name) as (package, members):
        chosen = _chosen(members, name)
        with package.open(chosen) as file:
            data = file.read(MAX_LIST_BYTES + 1)  # whatever size it claims
        if len(data) > MAX_LIST_BYTES:
            raise InputError("ingest.error.bomb", name=name)
    if not _is_structured(chosen.filename):
        return entries_in(data, name)
    try:
        return entries_of(json.loads(data), name)
    except (ValueError, RecursionError) as error:
        raise InputError("mineru.result.not_json", name=name) from error


def copy_origin(path: Path, name: str, target: Path) -> bool:
    """Atomically writes the PDF that the result was made from; False unless the zip holds exactly one.

    Raises InputError as read_result does.
    """
    temporary = target.with_suffix(".tmp")
    try:
        with _opened(path, name) as (package, members):
            origins = [member for member in members if member.filename.endswith(_ORIGIN)]
            if len(origins) != 1 or origins[0].file_size > MAX_ORIGIN_BYTES:
                return False
            target.parent.mkdir(parents=True, exist_ok=True)
            with package.open(origins[0]) as origin, temporary.open("wb") as file:
                shutil.copyfileobj(origin, file)  # zipfile reads no more than the member claims
    except InputError:
        temporary.unlink(missing_ok=True)
        raise
    temporary.replace(target)
    return True


@contextmanager
def _opened(path: Path, name: str) -> Iterator[tuple[ZipFile, list[ZipInfo]]]:
    """A zip whose members are checked. Raises InputError if it is hostile, or found to be damaged inside the block."""
    try:
        check_directory(path, name)
        with ZipFile(path) as package:
            _check_all(package.infolist(), name)
            yield package, package.infolist()
    except DAMAGES as error:
        raise InputError("ingest.error.damaged", name=name) from error


def _is_structured(member: str) -> bool:
    """Whether it is the structured content of MinerU 4.x servers."""
    return PurePosixPath(member).name == "structured_content.json"


def _check_all(members: Sequence[ZipInfo], name: str) -> None:
    unpacked = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    too_dense = unpacked > _RATIO_MATTERS_BYTES and unpacked > MAX_RATIO * max(1, packed)
    if len(members) > MAX_MEMBERS or unpacked > MAX_UNPACKED_BYTES or too_dense:
        raise InputError("ingest.error.bomb", name=name)
    if any(member.flag_bits & 1 for member in members):
        raise InputError("ingest.error.encrypted", name=name)
    if any(_is_unsafe(member) for member in members):
        raise InputError("mineru.result.unsafe", name=name)


def _is_unsafe(member: ZipInfo) -> bool:
    """Whether the name escapes the zip's folder or is too long for a file system, or the member is a link."""
    original = member.orig_filename
    parts = original.replace("\\", "/").split("/")
    return (
        original.startswith(("/", "\\"))
        or ".." in parts
        or "\0" in original
        or bool(_DRIVE.match(original))
        or any(len(part.encode("utf-8", "replace")) > _NAME_BYTES for part in parts)
        or stat.S_ISLNK(member.external_attr >> 16)
    )


def _chosen(members: Sequence[ZipInfo], name: str) -> ZipInfo:
    lists = [member for member in members if is_content_list(member.filename)]
    if not lists:
        lists = [member for member in members if _is_structured(member.filename)]
    if not lists:
        raise InputError("mineru.result.no_list", name=name)
    if len(lists) > 1:
        raise InputError("mineru.result.several", name=name)
    return lists[0]


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
