"""Vectors of passages: what an embedder is given of them, and those of their sentences as bytes."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from core.language.detect import is_unspaced
from core.language.sentences import sentences
from core.ports.models import Embedder
from core.ports.search import IndexEntry
from core.ports.vectors import MadeVectors

MOST_SENTENCES = 60
"""Of a passage; ordinary ones have ten."""
MAX_HEADING = 300
_SCALE = np.dtype("<f4")


def vectors_of(embedder: Embedder, entries: Sequence[IndexEntry]) -> list[tuple[Any, MadeVectors]]:
    """(unit vector of the passage, what is kept of it) for each entry. Raises ServiceError."""
    if not embedder.by_sentence:
        wholes = embedder.embed([_whole(entry) for entry in entries])
        return [(whole, _kept(entry)) for whole, entry in zip(wholes, entries, strict=True)]
    parts = [_parts(entry) for entry in entries]
    found = np.asarray(embedder.embed([part for each in parts for part in each]), dtype=np.float32)
    bounds = pairwise(accumulate(map(len, parts), initial=0))
    return [
        (_mean(found[start:end]), _kept(entry, pack(found[start:end])))
        for (start, end), entry in zip(bounds, entries, strict=True)
    ]


def _kept(entry: IndexEntry, sentences: bytes = b"") -> MadeVectors:
    return MadeVectors(entry, sentences, is_unspaced(entry.text))


def pack(vectors: Any) -> bytes:
    """One byte a number, beside the largest number of each vector; cosines change by less than 0.005."""
    scales = np.abs(vectors).max(axis=1, keepdims=True).astype(_SCALE)
    numbers = np.rint(vectors / np.where(scales > 0, scales, 1.0) * 127).astype(np.int8)
    return bytes(scales.tobytes() + numbers.tobytes())


def nearest(packed: bytes, query: Any) -> float:
    """Mean of two cosines with the unit vector of a query: that of the passage, and of its best sentence.

    A long passage may answer in one sentence; and a sentence that is near by chance stands in another passage.
    """
    count = len(packed) // (len(query) + _SCALE.itemsize)
    scales = np.frombuffer(packed, _SCALE, count)
    numbers = np.frombuffer(packed, np.int8, offset=count * _SCALE.itemsize).reshape(count, len(query))
    vectors = numbers * (scales[:, None] / 127)
    return float(_mean(vectors) @ query + (vectors @ query).max()) / 2


def _parts(entry: IndexEntry) -> list[str]:
    """The heading, which names what the sentences leave out, and the sentences; never empty."""
    heading = "\n".join(part for part in (entry.title, entry.section.replace("\n", " ")) if part)
    found = [heading[:MAX_HEADING], *sentences(entry.text)[:MOST_SENTENCES]]
    return [part for part in found if part.strip()] or [""]


def _whole(entry: IndexEntry) -> str:
    return "\n".join(part for part in (entry.title, entry.section, entry.text) if part)


def _mean(vectors: Any) -> Any:
    mean = vectors.mean(axis=0)
    length = float(np.linalg.norm(mean))
    return mean / length if length else vectors[0]
