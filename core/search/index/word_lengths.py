"""BM25 by the true length of a passage: tantivy stores lengths in one byte, up to 11 % too short."""

from collections.abc import Sequence

import tantivy

K1, B = 1.2, 0.75
"""Parameters of tantivy's BM25."""
OCCURRENCES = 2.5
"""Assumed occurrences of each query term in a hit, whose score is only their sum."""
_BITS = 4


def mean_length(searcher: tantivy.Searcher) -> float:
    """0 where lengths are not known."""
    found = searcher.aggregate(tantivy.Query.all_query(), {"length": {"avg": {"field": "length"}}})
    return float(found["length"]["value"] or 0.0)


def by_true_length(
    found: Sequence[tuple[str, float]], searcher: tantivy.Searcher, addresses: list[tantivy.DocAddress], mean: float
) -> list[tuple[str, float]]:
    """The hits (id, score) at these addresses, best first."""
    lengths = searcher.fast_field_values("length", addresses) if mean else [None] * len(addresses)
    scores = [
        (id, corrected(score, int(length), mean) if length else score)
        for (id, score), length in zip(found, lengths, strict=True)
    ]
    return sorted(scores, key=lambda hit: -hit[1])


def corrected(score: float, length: int, mean: float) -> float:
    """The score of a passage with `length` words, where passages have `mean` words on average."""
    return score * (OCCURRENCES + _norm(kept(length), mean)) / (OCCURRENCES + _norm(length, mean))


def kept(length: int) -> int:
    """The length that tantivy uses: exact up to 40, then the first four bits of what exceeds 24."""
    above = length - 24
    shift = max(0, above.bit_length() - _BITS)
    return 24 + (above >> shift << shift) if above > 0 else length


def _norm(length: int, mean: float) -> float:
    return K1 * (1 - B + B * length / mean)
