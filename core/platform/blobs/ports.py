"""Bytes by name, the same for every process of an installation that spans several machines, and the names allowed."""

import re
from pathlib import Path
from typing import Protocol

_NAME = re.compile(r"(?!\.)[A-Za-z0-9_.-]+(?:/(?!\.)[A-Za-z0-9_.-]+)*")


class Blobs(Protocol):
    """Bytes by name, written whole or not at all. Names have letters, digits, `/`, `.`, `-`, `_`.

    Every method raises ServiceError when the place cannot be reached.
    """

    @property
    def place(self) -> str:
        """Location of the blobs for people, without credentials."""

    def put(self, name: str, data: bytes | Path) -> None:
        """Writes the blob, replacing an earlier one of the name."""

    def get(self, name: str) -> bytes | None:
        """The blob; None if there is none of this name."""

    def fetch(self, name: str, into: Path) -> bool:
        """Writes the blob to a file, whole or not at all; False if there is none of this name."""

    def has(self, name: str) -> bool: ...

    def names(self, prefix: str) -> list[str]:
        """Names that begin with the prefix, which ends with `/`, in order."""

    def delete(self, name: str) -> None:
        """Deletes the blob, if there is one."""


def checked(name: str) -> str:
    """Raises ValueError for a name that could leave the folder or mean something to a service."""
    if not _NAME.fullmatch(name):
        raise ValueError("not a name of a blob")
    return name
