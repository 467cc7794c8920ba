"""Uploaded files by content. The name on disk is the hash of the bytes, never the name a user gave the file.

Where several machines share them, the folder holds copies of those that were asked for here.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePath

from core.documents.reading.inspection import MAX_MEGABYTES
from core.platform.blobs.ports import Blobs
from core.platform.errors import InputError
from core.platform.files.atomic_file import move_into_place, temporary_file

_PIECE = 1 << 20
_NAME_LENGTH = 200


@dataclass(frozen=True, slots=True)
class StoredFile:
    sha256: str
    size: int
    path: Path


class FileStore:
    def __init__(self, root: Path, shared: Blobs | None = None, caches: Path | None = None) -> None:
        """shared: where the files of several machines are; None if the folder has them all.

        caches: folder of the folders with what was made of the files, under names that begin with their hashes.
        """
        self._root = root
        self._shared = shared
        self._caches = caches

    def path(self, digest: str) -> Path:
        """Where the file with this hash is, or would be. Raises ServiceError when shared files cannot be reached."""
        path = self._own_path(digest)
        if self._shared and not path.is_file():
            self._shared.fetch(_name(digest), path)
        return path

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
            path = self._own_path(digest.hexdigest())
            move_into_place(file, path)
        name = _name(digest.hexdigest())
        if self._shared and not self._shared.has(name):
            self._shared.put(name, path)
        return StoredFile(digest.hexdigest(), size, path)

    def has(self, digest: str) -> bool:
        return self._shared.has(_name(digest)) if self._shared else self._own_path(digest).is_file()

    def delete(self, digest: str) -> None:
        self._own_path(digest).unlink(missing_ok=True)
        for path in self._caches.glob(f"*/{digest[:2]}/{digest}*") if self._caches else ():
            path.unlink(missing_ok=True)
        if self._shared:
            self._shared.delete(_name(digest))

    def share(self) -> int:
        """Copies files that only this machine has to the others; returns their number."""
        own = sorted(path for path in self._root.glob("??/*") if len(path.name) == 64)
        missing = [path for path in own if self._shared and not self._shared.has(_name(path.name))]
        for path in missing:
            if self._shared:
                self._shared.put(_name(path.name), path)
        return len(missing)

    def _own_path(self, digest: str) -> Path:
        if len(digest) != 64 or not digest.isalnum():
            raise ValueError("not a SHA-256")
        return self._root / digest[:2] / digest


def _name(digest: str) -> str:
    return f"files/{digest[:2]}/{digest}"


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
