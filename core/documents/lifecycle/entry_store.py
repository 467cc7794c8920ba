"""Stores entries as a small head and an optional body, so that listing reads only the heads.

Where several machines share them, the folder holds copies.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ValidationError

from core.platform.blobs.ports import Blobs
from core.platform.files.atomic_file import move_into_place, temporary_file, write_atomically
from core.platform.type_adapters import adapter

Head = TypeVar("Head")


class EntryStore(Generic[Head]):
    """Two files per entry. The head is written last and removed first, so every listed entry is complete."""

    def __init__(
        self, folder: Path, kind: type[Head], head_ending: str, body_ending: str = "", shared: Blobs | None = None
    ) -> None:
        """kind: dataclass stored as JSON. The folder may contain other files.

        Names of shared entries begin with the folder's.
        """
        self._folder = folder
        self._shared = shared
        self._kind = kind
        self._endings = (head_ending, body_ending) if body_ending else (head_ending,)

    def put_head(self, id: str, head: Head) -> None:
        """Replaces an existing head."""
        self._write(self._path(id, self._endings[0]), adapter(self._kind).dump_json(head))

    def put_body(self, id: str, body: bytes) -> None:
        self._write(self._path(id, self._endings[-1]), body)

    @contextmanager
    def new_body(self, id: str) -> Iterator[Path]:
        """An empty file to write the body to inside the block; it becomes the body when that ends well."""
        path = self._path(id, self._endings[-1])
        with temporary_file(self._folder) as file:
            yield Path(file.name)
            move_into_place(file, path)
        if self._shared:
            self._shared.put(self._name(path), path)

    def heads(self) -> list[Head]:
        """Unordered; unreadable heads are skipped."""
        self._follow()
        paths = self._folder.glob(f"*{self._endings[0]}")
        return [head for path in paths if (head := self._read(path)) is not None]

    def head(self, id: str) -> Head | None:
        """None when it is gone or cannot be read, or where no entry could have this id."""
        if not id.isalnum():
            return None
        path = self._path(id, self._endings[0])
        if self._shared and not self._shared.fetch(self._name(path), path):
            path.unlink(missing_ok=True)
        return self._read(path)

    def body_path(self, id: str) -> Path:
        path = self._path(id, self._endings[-1])
        if self._shared:
            self._shared.fetch(self._name(path), path)
        return path

    def drop(self, id: str) -> None:
        for path in (self._path(id, ending) for ending in self._endings):
            if self._shared:
                self._shared.delete(self._name(path))
            path.unlink(missing_ok=True)

    def share(self) -> int:
        """Copies entries that are only here to the other machines; returns their number."""
        own = [self._path(path.name.removesuffix(self._endings[0]), "") for path in self._own_heads()]
        found = 0
        for stem in own:
            for ending in reversed(self._endings):
                path = stem.with_name(stem.name + ending)
                if self._shared and path.is_file() and not self._shared.has(self._name(path)):
                    self._shared.put(self._name(path), path)
                    found += ending == self._endings[0]
        return found

    def _own_heads(self) -> list[Path]:
        return sorted(self._folder.glob(f"*{self._endings[0]}"))

    def _write(self, path: Path, data: bytes) -> None:
        write_atomically(path, data)
        if self._shared:
            self._shared.put(self._name(path), data)

    def _follow(self) -> None:
        """Makes the heads in the folder those that all machines share."""
        if self._shared is None:
            return
        names = self._shared.names(f"{self._folder.name}/")
        there = {name.rpartition("/")[2] for name in names if name.endswith(self._endings[0])}
        own = {path.name for path in self._own_heads()}
        for name in there - own:
            self._shared.fetch(f"{self._folder.name}/{name}", self._folder / name)
        for name in own - there:
            for ending in self._endings:
                (self._folder / f"{name.removesuffix(self._endings[0])}{ending}").unlink(missing_ok=True)

    def _name(self, path: Path) -> str:
        return f"{self._folder.name}/{path.name}"

    def _read(self, path: Path) -> Head | None:
        try:
            head: Head = adapter(self._kind).validate_json(path.read_bytes())
        except (FileNotFoundError, ValidationError):
            return None
        return head

    def _path(self, id: str, ending: str) -> Path:
        if not id.isalnum():
            raise ValueError("an entry's id is letters and digits")
        return self._folder / f"{id}{ending}"
