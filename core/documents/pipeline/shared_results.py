"""Expensive results of a document, copied to where each machine finds them."""

from pathlib import Path

from core.platform.blobs.ports import Blobs

NOTE = "parser.txt"
"""File that tells for which parser results are, and of which attempt."""


class SharedResults:
    """What other machines need to go on with one document."""

    def __init__(self, blobs: Blobs, document_id: str) -> None:
        self._blobs = blobs
        self._prefix = f"work/{document_id}/"

    def put(self, name: str, data: bytes) -> None:
        self._blobs.put(self._prefix + name, data)

    def fetch(self, name: str, into: Path) -> bool:
        return self._blobs.fetch(self._prefix + name, into)

    def note(self) -> bytes:
        """For which parser they are, and of which attempt; empty when there are none."""
        return self._blobs.get(f"{self._prefix}{NOTE}") or b""

    def fetch_missing(self, folder: Path) -> None:
        for name in self._blobs.names(self._prefix):
            path = folder / name.removeprefix(self._prefix)
            if not path.exists():
                self._blobs.fetch(name, path)

    def remove(self) -> None:
        """The note goes last: without it, the others count for nothing and would stay for ever."""
        for name in sorted(self._blobs.names(self._prefix), key=lambda name: name.endswith(NOTE)):
            self._blobs.delete(name)
