"""Stores entries as a small head and an optional body, so that listing reads only the heads."""

from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from core.atomic_file import write_atomically

Head = TypeVar("Head")


class EntryStore(Generic[Head]):
    """Two files per entry. The head is written last and removed first, so every listed entry is complete."""

    def __init__(self, folder: Path, kind: type[Head], head_ending: str, body_ending: str = "") -> None:
        """kind: dataclass stored as JSON. The folder may contain other files."""
        self._folder = folder
        self._kind = kind
        self._endings = (head_ending, body_ending) if body_ending else (head_ending,)

    def put_head(self, id: str, head: Head) -> None:
        """Replaces an existing head."""
        write_atomically(self._path(id, self._endings[0]), self._adapter.dump_json(head))

    def put_body(self, id: str, body: bytes) -> None:
        write_atomically(self.body_path(id), body)

    def heads(self) -> list[Head]:
        """Unordered; unreadable heads are skipped."""
        paths = self._folder.glob(f"*{self._endings[0]}")
        return [head for path in paths if (head := self._read(path)) is not None]

    def head(self, id: str) -> Head | None:
        """None when it is gone or cannot be read, or where no entry could have this id."""
        return self._read(self._path(id, self._endings[0])) if id.isalnum() else None

    def body_path(self, id: str) -> Path:
        return self._path(id, self._endings[-1])

    def drop(self, id: str) -> None:
        for ending in self._endings:
            self._path(id, ending).unlink(missing_ok=True)

    @cached_property
    def _adapter(self) -> TypeAdapter[Head]:
        return TypeAdapter(self._kind)

    def _read(self, path: Path) -> Head | None:
        try:
            return self._adapter.validate_json(path.read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def _path(self, id: str, ending: str) -> Path:
        if not id.isalnum():
            raise ValueError("an entry's id is letters and digits")
        return self._folder / f"{id}{ending}"
