"""Uploaded files by content. The name on disk is the hash of the bytes, never the name a user gave the file."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePath

from core.atomic_file import move_into_place, temporary_file
from core.errors import InputError
from core.ingest.reading.inspection import MAX_MEGABYTES

_PIECE = 1 << 20
_NAME_LENGTH = 200


@dataclass(frozen=True, slots=True)
class StoredFile:
    sha256: str
    size: int
    path: Path


class FileStore:
    def __init__(self, root: Path) -> None:
        self._root = root

    def path(self, digest: str) -> Path:
        """Where the file with this hash is, or would be."""
        if len(digest) != 64 or not digest.isalnum():
            raise ValueError("not a SHA-256")
        return self._root / digest[:2] / digest

    def save(self, data: bytes | Path, name: str) -> StoredFile:
        """Written whole or not at all; identical bytes are stored once. Raises InputError if the file is too large."""
        digest, size = sha256(), 0
        with temporary_file(self._root) as file:
            for piece in _pieces(data):
                size += len(piece)
                if size > MAX_MEGABYTES * 1_000_000:
                    raise InputError("ingest.error.too_large", name=name, limit=MAX_MEGABYTES)
                digest.update(piece)
                file.write(piece)
            path = self.path(digest.hexdigest())
            move_into_place(file, path)
        return StoredFile(digest.hexdigest(), size, path)

    def delete(self, digest: str) -> None:
        self.path(digest).unlink(missing_ok=True)


def display_name(raw: str) -> str:
    """A file name for display: no folders, no control or direction characters, at most 200 characters."""
    name = PurePath(raw.replace("\\", "/")).name
    visible = "".join(sign for sign in name if unicodedata.category(sign) not in ("Cc", "Cf", "Cs", "Co", "Cn"))
    clean = " ".join(unicodedata.normalize("NFC", visible).split())
    if len(clean) <= _NAME_LENGTH:
        return clean or "document"
    ending = PurePath(clean).suffix[:20]
    return clean[: _NAME_LENGTH - len(ending) - 1] + "…" + ending


def _pieces(data: bytes | Path) -> Iterator[bytes]:
    if isinstance(data, bytes):
        yield data
        return
    with data.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece
