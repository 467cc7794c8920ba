"""A cache of the sentence vectors in SQL, in files that go with a file of vectors.

It has a block for each record of that file, and where each block begins. A block contains the key of its passage, so
that a wrong one is ignored; what is missing here is read from SQL.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from struct import Struct
from typing import IO, Any, NamedTuple

import numpy as np

from core.platform.files.atomic_file import move_into_place, temporary_file
from core.search.ports import Sentences

_HEAD = Struct("<QI?")
"""Key of the passage, bytes that follow, and whether it is written without spaces."""
_START = np.dtype("<u8")


class SentenceBlock(NamedTuple):
    key: int
    """0 where the sentences are not known."""
    sentences: Sentences


@dataclass(frozen=True, slots=True)
class Blocks:
    """The content of the files at one time."""

    starts: Any
    bytes: memoryview

    def of(self, places: Any, keys: Any) -> list[Sentences | None]:
        """Sentences of the records at these indexes; None for those without any."""
        starts = np.where(
            places < len(self.starts), self.starts[np.minimum(places, len(self.starts) - 1)], len(self.bytes)
        )
        return [self._at(start, key) for start, key in zip(starts.tolist(), keys.tolist(), strict=True)]

    def _at(self, start: int, key: int) -> Sentences | None:
        begin = start + _HEAD.size
        if begin > len(self.bytes):
            return None
        own, size, unspaced = _HEAD.unpack_from(self.bytes, start)
        if own != key or begin + size > len(self.bytes):
            return None
        return self.bytes[begin : begin + size], unspaced


class SentenceFile:
    """Changed by the writer of the file of vectors before that file, so that each record has its block.

    Blocks that a killed process wrote beyond the last record are overwritten.
    """

    def __init__(self, path: Path) -> None:
        """path: of the file of vectors."""
        self._blocks = path.with_suffix(".sentences")
        self._starts = path.with_suffix(".starts")

    def append(self, place: int, blocks: Sequence[SentenceBlock]) -> None:
        """place: index of the first of their records. Writes nothing if blocks of earlier records are missing."""
        if not self._starts.exists() or self.count() < place:
            return
        with self._blocks.open("ab") as file, self._starts.open("r+b") as starts:
            begins = _written(file, blocks)
            file.flush()
            starts.seek(place * _START.itemsize)
            starts.write(begins)
            starts.truncate()

    @contextmanager
    def replacing(self) -> Iterator[Callable[[Sequence[SentenceBlock]], object]]:
        """Yields a function that takes the blocks of all records; they replace the content at the end."""
        with temporary_file(self._blocks.parent) as file, temporary_file(self._blocks.parent) as starts:
            yield lambda blocks: starts.write(_written(file, blocks))
            move_into_place(file, self._blocks)
            move_into_place(starts, self._starts)

    def count(self) -> int:
        try:
            return self._starts.stat().st_size // _START.itemsize if self._blocks.exists() else 0
        except FileNotFoundError:
            return 0

    def read(self) -> Blocks | None:
        try:
            starts = np.fromfile(self._starts, _START)
            return Blocks(starts, np.memmap(self._blocks, np.uint8, "r").data)
        except (OSError, ValueError):  # which an empty file raises
            return None

    def delete(self) -> None:
        for path in (self._starts, self._blocks):
            path.unlink(missing_ok=True)


def _written(file: IO[bytes], blocks: Sequence[SentenceBlock]) -> bytes:
    """Writes the blocks at the end of the file; returns where each begins."""
    starts = []
    for block in blocks:
        starts.append(file.tell())
        packed, unspaced = block.sentences
        file.write(_HEAD.pack(block.key, len(packed), unspaced))
        file.write(packed)
    return np.array(starts, _START).tobytes()
