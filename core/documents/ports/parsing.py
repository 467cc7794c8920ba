"""Parsers of documents."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from core.documents.model import Block
from core.models.meter import Cancel
from core.platform.errors import AppError
from core.platform.plain_text import storable

READ = "read"
"""Folder, beside those of the documents, with what a killed parser has read: a later one goes on with it."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """The result of parsing a file."""

    blocks: tuple[Block, ...]
    pages: int
    parser: str
    """Name and version."""
    title: str = ""
    notes: tuple[str, ...] = ()

    def storable(self) -> "Parsed":
        """The result with each unstorable character replaced: a plug-in may return any text."""
        blocks = (replace(each, text=storable(each.text), html=storable(each.html)) for each in self.blocks)
        return replace(self, blocks=tuple(blocks), title=storable(self.title))


Progress = Callable[[int, int], None]
"""(done, total) of whatever is counted."""


def ignore_progress(done: int, total: int) -> None:
    """Progress of work that is over before anybody could want to see it."""


class DocumentParser(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def identity(self) -> str:
        """Name, version and options: under the same identity the same file gives the same result."""

    def parse(self, path: Path, name: str, media_type: str, cancel: Cancel, progress: Progress) -> Parsed:
        """Raises InputError (encrypted, damaged, a scan ...) with the remedy, ServiceError when the parser failed."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    path: Path
    name: str
    media_type: str


@runtime_checkable
class GroupParser(Protocol):
    """A parser that reads several small files at once faster than one after the other."""

    def parse_together(self, files: Sequence[SourceFile]) -> list[Parsed | AppError]:
        """For each file what parse() returns or raises. Raises ServiceError if it is unknown which file failed."""
