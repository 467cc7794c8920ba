"""Vectors of one collection in a file that caches Chroma's: all are compared with a query, and no Chroma is loaded.

Up to some hundred thousand vectors, that is faster than Chroma's graph and misses less.
"""

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from core.platform.files.atomic_file import move_into_place, temporary_file

WIDTH = 32
"""Bytes of an id."""
EXACT = 2_000
"""Number of vectors up to which all are compared in full; of more, those whose signs agree with the query's."""
CANDIDATES = 3_200
"""Vectors compared in full after that; they hold 99.9 % of the ten nearest of 99,591 real passages, 99.0 % of forty."""
FIRST = 5 / 8
"""Share of the signs by which WIDER times CANDIDATES are preselected of more; 0.1 % of the forty nearest are missed."""
WIDER = 6
SAMPLED = 6_000
"""Sample of distances from which a limit is estimated."""
WASTED = 0.5
"""Replaced or deleted records per live one from which the file is rewritten."""
_BLOCK = 20_000
_WORD = 64
_ODD = 0x9E3779B97F4A7C15
_FARTHEST = np.iinfo(np.uint16).max // 2


class VectorRow(NamedTuple):
    """A vector to be written."""

    id: str
    """An empty id deletes everything written of the document before."""
    document: str
    vector: Sequence[float] = ()
    """A unit vector."""


@dataclass(frozen=True, slots=True)
class _Held:
    """The content of the file at one time."""

    stamp: tuple[int, int]
    records: Any
    documents: Any
    """Hash of the document of each record."""
    dead: Any
    """Indexes of records that were replaced or deleted."""
    keys: Any
    """Hashes of the ids of all other records, ascending."""
    places: Any
    """Indexes of the records with these ids."""
    centre: Any
    signs: Any
    """Signs of each number minus the centre's, 64 per word; one row per word."""

    @property
    def count(self) -> int:
        return len(self.records) - len(self.dead)


class VectorFile:
    """Records are only appended; a later one replaces those of the same id. Thread-safe; one process writes at a time.

    What a killed process wrote in part is cut off by the next one that writes.
    """

    def __init__(self, path: Path, dimension: int, *, is_exact: bool) -> None:
        """is_exact: whether numbers are kept as they are, not as one byte each."""
        self._path = path
        self._dimension = dimension
        self.is_exact = is_exact
        numbers = ("numbers", "<f4" if is_exact else "i1", (dimension,))
        self._type = np.dtype([("id", f"S{WIDTH}"), ("document", f"S{WIDTH}"), ("scale", "<f4"), numbers])
        self._held: _Held | None = None
        self._lock = Lock()

    def append(self, rows: Sequence[VectorRow]) -> None:
        with self._path.open("r+b") as file:
            file.seek(os.fstat(file.fileno()).st_size // self._type.itemsize * self._type.itemsize)
            file.write(self._packed(rows))
            file.truncate()

    def replace(self, batches: Iterable[Sequence[VectorRow]]) -> None:
        """The file holds these rows and nothing else, in one step."""
        with temporary_file(self._path.parent) as file:
            for rows in batches:
                file.write(self._packed(rows))
            move_into_place(file, self._path)

    def exists(self) -> bool:
        return self._path.exists()

    def delete(self) -> None:
        self._path.unlink(missing_ok=True)

    def stamp(self) -> tuple[int, int] | None:
        """Differs after each change; None if there is no file."""
        held = self._current()
        return held.stamp if held else None

    def count(self) -> int:
        held = self._current()
        return held.count if held else 0

    def fits(self, count: int) -> bool:
        """Whether the file holds `count` vectors, and few dead records."""
        held = self._current()
        return held is not None and held.count == count and len(held.dead) <= WASTED * count

    def search(self, vector: Sequence[float], limit: int, documents: Sequence[str] = ()) -> list[tuple[str, float]]:
        """(id, cosine), best first, ties by id; of all documents if none are given."""
        held = self._current()
        if held is None:
            return []
        query = np.asarray(vector, np.float32)
        places = _candidates(held, query, documents, max(CANDIDATES, limit))
        cosines = _cosines(held, query, places)
        best = np.argpartition(-cosines, limit)[:limit] if limit < len(cosines) else np.arange(len(cosines))
        ids = [id.decode() for id in held.records["id"][places[best]].tolist()]
        return sorted(zip(ids, cosines[best].tolist(), strict=True), key=lambda hit: (-hit[1], hit[0]))

    def cosines(self, vector: Any, ids: Sequence[str]) -> dict[str, float]:
        """Cosines of those ids that it holds."""
        held = self._current()
        if held is None or not ids or not len(held.keys):
            return {}
        there, places = _found(held, ids)
        found = _cosines(held, np.asarray(vector, np.float32), places).tolist()
        return dict(zip([ids[place] for place in there], found, strict=True))

    def by_id(self, ids: Sequence[str]) -> dict[str, tuple[str, Any]]:
        """(document, vector) of those ids that it holds."""
        held = self._current()
        if held is None or not len(held.keys):
            return {}
        there, places = _found(held, ids)
        records = held.records[places]
        documents = [document.decode("utf-8", "replace") for document in records["document"].tolist()]
        vectors = records["numbers"] * records["scale"][:, None]
        return dict(zip([ids[place] for place in there], zip(documents, vectors, strict=True), strict=True))

    def _packed(self, rows: Sequence[VectorRow]) -> bytes:
        records = np.zeros(len(rows), self._type)
        for record, row in zip(records, rows, strict=True):
            record["id"], record["document"] = row.id.encode(), row.document.encode()
            if row.id:
                numbers = np.asarray(row.vector, np.float32)
                record["scale"] = scale = 1.0 if self.is_exact else max(float(np.abs(numbers).max()), 1e-9) / 127
                record["numbers"] = numbers if self.is_exact else np.rint(numbers / scale)
        return records.tobytes()

    def _current(self) -> _Held | None:
        with self._lock:
            try:
                if self._held is None or self._held.stamp != self._stamp(self._path.stat()):
                    self._held = self._read()
            except FileNotFoundError:
                self._held = None
            return self._held

    def _stamp(self, status: os.stat_result) -> tuple[int, int]:
        """Identity of the file, and its number of records."""
        return status.st_ino, status.st_size // self._type.itemsize

    def _read(self) -> _Held:
        """Reads the file; signs of records read before are reused."""
        with self._path.open("rb") as file:  # others may put another one into its place
            stamp = self._stamp(os.fstat(file.fileno()))
            size = stamp[1]
            mapped: Any = np.memmap(file, self._type, "r", shape=(size,)) if size else np.zeros(0, self._type)
        before = self._held if self._held and self._held.stamp[0] == stamp[0] else None
        records = np.asarray(mapped)
        if before is None or size > 2 * len(before.records):
            some = records[:: max(1, size // EXACT)]
            centre = (some["numbers"] * some["scale"][:, None]).mean(axis=0) if size else np.zeros(self._dimension)
            signs = _signs(records, centre)
        else:
            centre = before.centre
            signs = np.concatenate([before.signs, _signs(records[len(before.records) :], centre)], axis=1)
        documents = _keys(records["document"])
        keys, places = _living(_keys(records["id"]), documents)
        dead = np.ones(len(records), bool)
        dead[places] = False
        return _Held(stamp, records, documents, np.flatnonzero(dead), keys, places, centre, signs)


def _found(held: _Held, ids: Sequence[str]) -> tuple[list[int], Any]:
    """Places in `ids` of those that the file holds, and the indexes of their records."""
    asked = _keys(np.array([id.encode() for id in ids], f"S{WIDTH}"))
    at = np.minimum(np.searchsorted(held.keys, asked), len(held.keys) - 1)
    there = np.flatnonzero(held.keys[at] == asked)
    return there.tolist(), held.places[at[there]]


def _signs(records: Any, centre: Any) -> Any:
    words = -(-len(centre) // _WORD)
    found = np.zeros((words, len(records)), np.uint64)
    for start in range(0, len(records), _BLOCK):
        block = records[start : start + _BLOCK]
        found[:, start : start + _BLOCK] = _bits(block["numbers"] * block["scale"][:, None] > centre, words).T
    return found


def _bits(signs: Any, words: int) -> Any:
    packed = np.packbits(signs, axis=-1)
    if missing := words * _WORD // 8 - packed.shape[-1]:
        packed = np.pad(packed, ((0, 0), (0, missing)))
    return packed.view(np.uint64)


def _candidates(held: _Held, query: Any, documents: Sequence[str], limit: int) -> Any:
    """Indexes of the records to compare in full."""
    places = None
    if documents:
        names = np.array([document.encode() for document in documents], f"S{WIDTH}")
        places = _without(held.dead, np.flatnonzero(np.isin(held.documents, _keys(names))))
    if (held.count if places is None else len(places)) <= max(EXACT, limit):
        return _without(held.dead, np.arange(len(held.records))) if places is None else places
    (asked,) = _bits((query > held.centre)[None, :], len(held.signs))
    signs = held.signs if places is None else held.signs[:, places]
    first = math.ceil(FIRST * len(asked)) if signs.shape[1] > WIDER * limit else len(asked)
    distances = _distances(signs[:first], asked[:first])
    if places is None:
        distances[held.dead] = _FARTHEST
    nearest = np.arange(len(distances))
    if first < len(asked):
        nearest = _lowest(distances, WIDER * limit)
        distances = distances[nearest] + _distances(signs[first:, nearest], asked[first:])
    nearest = nearest[_lowest(distances, limit)]
    return nearest if places is None else places[nearest]


def _distances(signs: Any, asked: Any) -> Any:
    """Number of differing signs of each record."""
    distances = np.zeros(signs.shape[1], np.uint16)
    for word, row in zip(asked, signs, strict=True):
        distances += np.bitwise_count(row ^ word)
    return distances


def _without(dead: Any, places: Any) -> Any:
    return np.setdiff1d(places, dead, assume_unique=True) if len(dead) else places


def _lowest(distances: Any, limit: int) -> Any:
    """Indexes of at least `limit` of the lowest distances, and of all others that are no greater.

    The border is estimated from a sample of the distances.
    """
    part = np.sort(distances[:: max(1, len(distances) // SAMPLED)])
    share = limit / len(distances)
    for border in part[[min(len(part) - 1, int(more * share * len(part)) + 1) for more in (1.1, 2.0)]]:
        found = np.flatnonzero(distances <= border)
        if len(found) >= limit:
            return found
    return np.flatnonzero(distances <= np.partition(distances, limit)[limit])


def _cosines(held: _Held, query: Any, places: Any) -> Any:
    """Cosines by einsum, which casts without a large copy and uses no threads that wait for each other."""
    return np.einsum("ij,j->i", held.records["numbers"][places], query) * held.records["scale"][places]


def _living(ids: Any, documents: Any) -> tuple[Any, Any]:
    """Ids, ascending, and indexes of records that no later one replaces or deletes."""
    found, back = np.unique(ids[::-1], return_index=True)
    last = len(ids) - 1 - back
    alive = found != 0
    for place in np.flatnonzero(ids == 0):
        alive &= (last > place) | (documents[last] != documents[place])
    return found[alive], last[alive]


def _keys(names: Any) -> Any:
    """A hash of each name, 0 for an empty one; names are digests, so collisions are not expected."""
    words = np.ascontiguousarray(names).view(np.uint64).reshape(len(names), WIDTH // 8)
    found = np.zeros(len(names), np.uint64)
    for word in words.T:
        found = (found ^ word) * np.uint64(_ODD)
        found ^= found >> np.uint64(29)
    return found
