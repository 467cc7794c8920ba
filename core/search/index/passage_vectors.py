"""Vectors of passages: the texts that an embedder gets, and sentence vectors packed into bytes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from core.models.ports import PassageEmbedder
from core.platform.language.detect import is_unspaced
from core.platform.language.sentences import sentences
from core.search.ports import IndexEntry, MadeVectors, Nearness, Sentences, VectorStore

MOST_SENTENCES = 60
"""Sentences of a passage; ordinary ones have ten."""
MAX_HEADING = 300
_ROUNDING = 1e-3
_BYTE_STEP = 2e-3
"""Half a step of a unit vector with one byte a number, at the most."""
_SCALE = np.dtype("<f4")


def vectors_of(embedder: PassageEmbedder, entries: Sequence[IndexEntry]) -> list[tuple[Any, MadeVectors]]:
    """(unit vector of the passage, data for the store) for each entry. Raises ServiceError."""
    found = embedder.embed_parts([parts_of(entry) for entry in entries])
    if found is not None:
        return [(_mean(each), _kept(entry, pack(each))) for each, entry in zip(found, entries, strict=True)]
    wholes = embedder.embed(["\n".join(filter(None, (each.title, each.section, each.text))) for each in entries])
    return [(whole, _kept(entry)) for whole, entry in zip(wholes, entries, strict=True)]


def different(
    made: Sequence[tuple[Any, MadeVectors]], held: Mapping[str, tuple[str, Any]], is_exact: bool = True
) -> list[str]:
    """Ids whose vector is missing, of another document, or differs by more than rounding from the one made now.

    held: (document id, vector) by id; is_exact: whether its numbers were not kept as a byte each.
    """
    wrong, rounding = [], _ROUNDING if is_exact else _BYTE_STEP
    for vector, kept in made:
        document_id, found = held.get(kept.entry.chunk_id, ("", np.inf))
        if document_id != kept.entry.document_id or not np.allclose(found, vector, atol=rounding):
            wrong.append(kept.entry.chunk_id)
    return wrong


def same(made: Sentences, held: Sentences, dimension: int) -> bool:
    """Whether sentences are equal up to rounding."""
    if len(made[0]) != len(held[0]) or made[1] != held[1]:
        return False
    start = len(made[0]) // (dimension + _SCALE.itemsize) * _SCALE.itemsize
    one, other = (np.frombuffer(each[start:], np.int8).astype(np.int16) for each in (made[0], held[0]))
    scales = [np.frombuffer(each[:start], _SCALE) for each in (made[0], held[0])]
    return np.allclose(scales[0], scales[1], rtol=_ROUNDING) and bool(np.abs(one - other).max(initial=0) <= 1)


def nearness_of(
    store: VectorStore,
    embedder: PassageEmbedder,
    query: str,
    ids: Sequence[str],
    cosines: Callable[[Any, Sequence[str]], Mapping[str, float]],
) -> dict[str, Nearness]:
    """cosines: (unit vector of the query, ids) -> those that are known; others are computed from sentences."""
    vector = np.asarray(embedder.embed_query(query), dtype=np.float32)
    own, kept = cosines(vector, ids), store.sentences(embedder.name, ids)
    with_sentences = [id for id, (sentences, _) in kept.items() if sentences]
    found = nearest([kept[id][0] for id in with_sentences], vector, [*map(own.get, with_sentences)])
    near = dict(zip(with_sentences, found, strict=True))
    return {id: Nearness(near.get(id), unspaced) for id, (_, unspaced) in kept.items()}


def _kept(entry: IndexEntry, sentences: bytes = b"") -> MadeVectors:
    return MadeVectors(entry, sentences, is_unspaced(entry.text))


def pack(vectors: Any) -> bytes:
    """Packs vectors with one byte per number and one scale per vector; cosines change by less than 0.005."""
    scales = np.abs(vectors).max(axis=1, keepdims=True).astype(_SCALE)
    numbers = np.rint(vectors / np.where(scales > 0, scales, 1.0) * 127).astype(np.int8)
    return bytes(scales.tobytes() + numbers.tobytes())


def nearest(packed: Sequence[bytes], query: Any, own: Sequence[float | None]) -> list[float]:
    """For each passage, the mean of two cosines with a query's unit vector: its own, and that of its best sentence.

    A long passage may answer in one sentence; and a sentence may be near by chance.
    own: cosines of the passages; computed from the sentences where None.
    """
    if not packed:
        return []
    counts = np.array([len(each) // (len(query) + _SCALE.itemsize) for each in packed])
    bounds = [int(count) * _SCALE.itemsize for count in counts]
    scales = np.frombuffer(b"".join(each[:end] for each, end in zip(packed, bounds, strict=True)), _SCALE)
    numbers = np.frombuffer(b"".join(each[end:] for each, end in zip(packed, bounds, strict=True)), np.int8)
    vectors = numbers.reshape(-1, len(query)).astype(np.float32)
    starts = np.cumsum(counts) - counts
    lengths: Any = scales / 127
    best = np.maximum.reduceat(np.einsum("ij,j->i", vectors, query) * lengths, starts).tolist()
    found = []
    for start, count, known, most in zip(starts.tolist(), counts.tolist(), own, best, strict=True):
        if known is None:
            known = float(_mean(vectors[start : start + count] * lengths[start : start + count, None]) @ query)
        found.append((known + most) / 2)
    return found


def parts_of(entry: IndexEntry) -> list[str]:
    """The heading, which names what the sentences leave out, and the sentences; never empty."""
    heading = "\n".join(part for part in (entry.title, entry.section.replace("\n", " ")) if part)
    found = [heading[:MAX_HEADING], *sentences(entry.text)[:MOST_SENTENCES]]
    return [part for part in found if part.strip()] or [""]


def _mean(vectors: Any) -> Any:
    mean = vectors.mean(axis=0)
    length = float(np.linalg.norm(mean))
    return mean / length if length else vectors[0]
