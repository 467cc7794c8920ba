"""Checks sizes and links in the files of Chroma's graphs: Chroma follows wrong ones unchecked, which ends the process.

A collection of a thousand vectors or more has a folder with four files in the form of hnswlib: `header.bin`;
`data_level0.bin`, for each vector its links of the lowest level, its numbers and a label; `link_lists.bin`, for each
vector the size of its links of higher levels, and these; `length.bin`, a number for each vector. Its ids are in
`index_metadata.pickle`. A process that is killed while it writes leaves them in pieces.
"""

import math
import sqlite3
import struct
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

DATABASE = "chroma.sqlite3"
FLAW = "wrong sizes or links in its graph"
_FILES = ("header.bin", "data_level0.bin", "link_lists.bin", "length.bin")
_FORM = struct.Struct("=i6QiI3QdQ")
_VERSION = 1
_WORD = 4
"""Bytes of a link, of a number, and of the count before links, which has other marks in its upper half."""
_LABEL = 8
_MOST = 0xFFFF
"""Largest count of links."""
_EMPTY = (-1, 0xFFFFFFFF)
"""Highest level and its vector in a graph without vectors."""
_IDS = "index_metadata.pickle"
_STOP = b"."
"""At the end of a whole pickle."""
_KEPT = 1_000


class _Header(NamedTuple):
    """Sizes and places in bytes."""

    version: int
    start: int
    room: int
    """Vectors for which memory is reserved."""
    vectors: int
    size: int
    """Of the record of a vector in `data_level0.bin`."""
    label: int
    """Place of the label in a record."""
    numbers: int
    """Place of the numbers in a record, behind the links."""
    top: int
    """Highest level."""
    entry: int
    """A vector of the highest level, at which a search begins."""
    most: int
    """Links of a vector in each higher level."""
    most_lowest: int
    links: int
    factor: float
    """By which the level of a new vector is drawn."""
    tried: int
    """Candidates for the links of a new vector."""

    @property
    def fits(self) -> bool:
        """Whether all fields agree with each other."""
        sizes = (_VERSION, 0, _WORD * (1 + self.most_lowest), self.label + _LABEL, 2 * self.most, self.most)
        return (
            sizes == (self.version, self.start, self.numbers, self.size, self.most_lowest, self.links)
            and self.numbers <= self.label
            and self.vectors <= self.room
            and self.tried <= _MOST
            and math.isclose(self.factor * math.log(self.most), 1)
            and (self.entry < self.vectors or (not self.vectors and (self.top, self.entry) == _EMPTY))
        )


def broken_collections(database: Path) -> set[str]:
    """Names of the collections whose graph is damaged. Files that have not changed are not read again."""
    return {name for name, folder in _graphs(database) if not _has_sound_graph(database.with_name(folder))}


def _graphs(database: Path) -> list[tuple[str, str]]:
    """Collections and their folders; none if Chroma cannot read the database either."""
    asked = "SELECT c.name, s.id FROM segments s JOIN collections c ON c.id = s.collection WHERE s.scope = 'VECTOR'"
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute(asked).fetchall()
    except sqlite3.Error:
        return []


def _has_sound_graph(folder: Path) -> bool:
    """Whether there is none, or it is sound."""
    try:
        states = [(folder / name).stat() for name in _FILES]
    except FileNotFoundError:
        return not (folder / _FILES[0]).exists()
    return _is_sound(folder, tuple((each.st_size, each.st_ino, each.st_mtime_ns) for each in states))


@lru_cache(_KEPT)
def _is_sound(folder: Path, states: tuple[tuple[int, int, int], ...]) -> bool:
    head, records, upper, _ = (folder / name for name in _FILES)
    _, (record_bytes, *_), _, (length_bytes, *_) = states
    try:
        header = _Header(*_FORM.unpack(head.read_bytes()))
        count, size = header.vectors, header.size
        if not header.fits or record_bytes < count * size or length_bytes < count * _WORD:
            return False
        if not count:
            return True
        if not (folder / _IDS).read_bytes().endswith(_STOP):
            return False
        levels, lists = _upper_links(np.fromfile(upper, np.uint32), count, header.most)
        lowest: Any = np.memmap(records, np.uint8, "r", shape=(count, size))[:, : header.numbers]
        lists[0] = np.ascontiguousarray(lowest).view(np.uint32)
    except (struct.error, ValueError, IndexError, OSError, MemoryError):
        return False
    is_top = levels[header.entry] == header.top == levels.max()
    return is_top and all(_fit(rows, levels, level) for level, rows in lists.items())


def _upper_links(words: Any, count: int, most: int) -> tuple[Any, dict[int, Any]]:
    """The highest level of each vector, and the lists of links of each level from 1 on, a row each.

    Raises ValueError or IndexError for sizes that do not fit.
    """
    sizes, width, place = words.tolist(), 1 + most, 0
    levels: list[int] = []
    starts: dict[int, list[int]] = {}
    for _ in range(count):
        level, rest = divmod(sizes[place], _WORD * width)
        if rest or place + 1 + level * width > len(sizes):
            raise ValueError
        for at in range(level):
            starts.setdefault(at + 1, []).append(place + 1 + at * width)
        levels.append(level)
        place += 1 + level * width
    if place != len(sizes):
        raise ValueError
    return np.array(levels), {at: words[np.add.outer(places, np.arange(width))] for at, places in starts.items()}


def _fit(lists: Any, levels: Any, level: int) -> bool:
    """Whether the links of a level lead to vectors that have this level."""
    counts = lists[:, 0] & _MOST
    links = lists[:, 1:][np.arange(lists.shape[1] - 1) < counts[:, None]]
    is_there = counts.max() < lists.shape[1] and (not links.size or links.max() < len(levels))
    return bool(is_there and (levels[links] >= level).all())
