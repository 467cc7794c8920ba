"""The encoder's vocabulary in a tenth of a dict's memory: numbers in arrays instead of strings, kept as they are."""

from collections.abc import Mapping
from typing import Any, NamedTuple
from zlib import adler32, crc32

import numpy as np

BUCKETS = 1 << 18
"""About as many as the vocabulary has prefixes, so that a bucket holds one or none."""


class VocabularyTables(NamedTuple):
    """Arrays of numpy, in the order of the buckets."""

    keys: Any
    ids: Any
    starts: Any
    """Place of each bucket's first key, and the number of all."""


def tables_of(ids: Mapping[str, int]) -> VocabularyTables:
    keys = np.fromiter(map(_key, ids), dtype=np.uint64, count=len(ids))
    buckets = (keys % BUCKETS).astype(np.int64)
    order = np.argsort(buckets)
    values = np.fromiter(ids.values(), dtype=np.int32, count=len(ids))
    starts = np.concatenate([[0], np.cumsum(np.bincount(buckets, minlength=BUCKETS))])
    return VocabularyTables(keys[order], values[order], starts.astype(np.int32))


class CompactVocabulary:
    """Answers `get` as the dict does that its tables were made of, but for texts whose keys are equal by chance."""

    def __init__(self, tables: VocabularyTables) -> None:
        self._keys: memoryview[int] = memoryview(tables.keys)
        self._ids: memoryview[int] = memoryview(tables.ids)
        self._starts: memoryview[int] = memoryview(tables.starts)

    def get(self, text: str) -> int | None:
        wanted = _key(text)
        bucket = wanted % BUCKETS
        for at in range(self._starts[bucket], self._starts[bucket + 1]):
            if self._keys[at] == wanted:
                return self._ids[at]
        return None


def _key(text: str) -> int:
    """64 bits that are the same in every process, which Python's own hash of a text is not."""
    data = text.encode("utf-8", "surrogatepass")
    return adler32(data) << 32 | crc32(data)
