"""The encoder's vocabulary in a tenth of a dict's memory: hashes in arrays instead of strings."""

from array import array
from collections.abc import Mapping

import numpy as np

MASK = (1 << 18) - 1
"""Buckets less one: about as many as the vocabulary has prefixes, so that a bucket holds one or none."""


class CompactVocabulary:
    """Answers `get` as the dict it was made of does, but for texts whose 64-bit hashes are equal by chance."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        hashes = np.fromiter(map(_hash, ids), dtype=np.int64, count=len(ids))
        buckets = hashes & MASK
        order = np.argsort(buckets, kind="stable")
        values = np.fromiter(ids.values(), dtype=np.int32, count=len(ids))
        starts = np.searchsorted(buckets[order], np.arange(MASK + 2))
        self._hashes = array("q", hashes[order].tobytes())
        self._values = array("i", values[order].tobytes())
        self._starts = array("i", starts.astype(np.int32).tobytes())

    def get(self, text: str) -> int | None:
        wanted = _hash(text)
        bucket = wanted & MASK
        for at in range(self._starts[bucket], self._starts[bucket + 1]):
            if self._hashes[at] == wanted:
                return self._values[at]
        return None


def _hash(text: str) -> int:
    """With the length, because Python hashes the bytes in memory: those of "ir" and 物 are the same."""
    return hash(text) ^ len(text)
