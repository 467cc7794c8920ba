"""Blobs in a folder that every process reaches: one file each."""

from contextlib import suppress
from pathlib import Path

from core.platform.blobs.ports import checked
from core.platform.errors import ServiceError
from core.platform.files.atomic_file import move_into_place, temporary_file, write_atomically
from core.platform.files.disk import disk_errors

_PIECE = 1 << 20


class FolderBlobs:
    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def place(self) -> str:
        return str(self._root)

    def put(self, name: str, data: bytes | Path) -> None:
        path = self._path(name)
        if isinstance(data, bytes):
            write_atomically(path, data)
        else:
            _copy(data, path)

    def get(self, name: str) -> bytes | None:
        self._check()
        try:
            with disk_errors(self._root):
                return self._path(name).read_bytes()
        except FileNotFoundError:
            return None

    def fetch(self, name: str, into: Path) -> bool:
        self._check()
        path = self._path(name)
        if not path.is_file():
            return False
        _copy(path, into)
        return True

    def has(self, name: str) -> bool:
        self._check()
        return self._path(name).is_file()

    def names(self, prefix: str) -> list[str]:
        self._check()
        folder = self._path(prefix.rstrip("/"))
        files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".tmp")
        return sorted(path.relative_to(self._root).as_posix() for path in files)

    def delete(self, name: str) -> None:
        path = self._path(name)
        with disk_errors(self._root):
            path.unlink(missing_ok=True)
            with suppress(OSError):  # other blobs are in the folder
                path.parent.rmdir()

    def _check(self) -> None:
        """A folder that is not mounted must not look like an empty one."""
        if not self._root.is_dir():
            raise ServiceError("storage.files_unreachable", place=self.place, reason="no such folder")

    def _path(self, name: str) -> Path:
        return self._root / checked(name)


def _copy(source: Path, target: Path) -> None:
    with source.open("rb") as opened, temporary_file(target.parent) as file:
        while piece := opened.read(_PIECE):
            file.write(piece)
        move_into_place(file, target)
