"""The encoder's vocabulary in a tenth of a dict's memory: hashes in arrays instead of strings."""

from array import array
from collections.abc import Collection
from typing import Any

import numpy as np

MASK = (1 << 18) - 1
"""Buckets less one: about as many as the vocabulary has prefixes, so that a bucket holds one or none."""


class CompactVocabulary:
    """Answers `get` as a dict of the same texts and ids does, but for texts whose 64-bit hashes are equal by chance."""

    def __init__(self, texts: Collection[str], ids: Any) -> None:
        """ids: an array of integers, or what one can be made of, in the order of the texts."""
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        hashes = np.fromiter(map(hash, texts), dtype=np.int64, count=len(texts)) ^ lengths
        buckets = (hashes & MASK).astype(np.int32)
        order = np.argsort(buckets)
        values = np.asarray(ids, dtype=np.int32)
        ends = np.cumsum(np.bincount(buckets, minlength=MASK + 1))
        self._hashes = array("q", hashes[order].tobytes())
        self._values = array("i", values[order].tobytes())
        self._starts = array("i", [0])
        self._starts.frombytes(ends.astype(np.int32).tobytes())

    def get(self, text: str) -> int | None:
        wanted = hash(text) ^ len(text)  # Python hashes the bytes in memory: those of "ir" and 物 are the same
        bucket = wanted & MASK
        for at in range(self._starts[bucket], self._starts[bucket + 1]):
            if self._hashes[at] == wanted:
                return self._values[at]
        return None
