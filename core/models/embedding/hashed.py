"""The embedded embedder: words and their parts hashed into a vector. Needs no model and knows no meanings."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from zlib import crc32

import numpy as np

from core.platform.language.terms import content_terms

DIMENSION = 512
GRAMS = (3, 4)
GRAM_WEIGHT = 0.35
"""Weight of a part relative to its word. Parts match misspelt and inflected words, but are less specific."""
LEAST_LETTERS = 4
MAX_CHARACTERS = 20_000


class HashedEmbedder:
    """Embedder whose vectors are identical in every process and on every platform."""

    semantic = False

    @property
    def name(self) -> str:
        return f"hashed-{DIMENSION}-v1"

    @property
    def dimension(self) -> int:
        return DIMENSION

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> Sequence[float]:
        slots: list[int] = []
        values: list[float] = []
        for term, count in Counter(content_terms(text[:MAX_CHARACTERS])).items():
            places, signs = _features(term)
            slots += places
            values += [sign * count**0.5 for sign in signs]
        vector = np.bincount(slots or [0], weights=values or [1.0], minlength=DIMENSION)
        length = float(np.linalg.norm(vector))
        unit: list[float] = (vector / length if length else np.eye(1, DIMENSION)[0]).tolist()
        return unit

    def embed_parts(self, passages: Sequence[Sequence[str]]) -> Sequence[Any] | None:
        """One vector of a text is all it makes."""
        del passages
        return None


@lru_cache(maxsize=50_000)
def _features(term: str) -> tuple[list[int], list[float]]:
    """Slots and signed weights of a term and its parts."""
    parts = [term, *_grams(f"^{term}$")] if term.isascii() and len(term) >= LEAST_LETTERS else [term]
    hashes = [crc32(part.encode("utf-8", "surrogatepass")) for part in parts]
    weights = [1.0] + [GRAM_WEIGHT] * (len(parts) - 1)
    slots = [(value >> 1) % DIMENSION for value in hashes]
    return slots, [weight if value & 1 else -weight for value, weight in zip(hashes, weights, strict=True)]


def _grams(word: str) -> list[str]:
    return [word[start : start + size] for size in GRAMS for start in range(len(word) - size + 1)]
