"""Ranking metrics: recall, nDCG and mean reciprocal rank. Pure functions."""

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

CUTS = (2, 5, 10)
"""Values of k for recall@k."""
DEPTH = 10
"""Cutoff for nDCG and reciprocal rank."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A ranking and its relevant items."""

    ranked: tuple[str, ...]
    relevant: frozenset[str]


@dataclass(frozen=True, slots=True)
class Quality:
    """Means over questions, each 0..1."""

    recall: tuple[float, ...]
    """At each of CUTS."""
    ndcg: float
    mrr: float
    questions: int


def quality(judged: Sequence[Judged]) -> Quality:
    """Ignores questions without relevant passages."""
    rows = [row for row in judged if row.relevant]
    return Quality(
        recall=tuple(_mean([recall(row.ranked, row.relevant, cut) for row in rows]) for cut in CUTS),
        ndcg=_mean([ndcg(row.ranked, row.relevant, DEPTH) for row in rows]),
        mrr=_mean([reciprocal_rank(row.ranked, row.relevant, DEPTH) for row in rows]),
        questions=len(rows),
    )


def recall(ranked: Sequence[str], relevant: AbstractSet[str], cut: int) -> float:
    """Fraction of the relevant items among the first `cut`."""
    return len(set(ranked[:cut]) & relevant) / len(relevant)


def ndcg(ranked: Sequence[str], relevant: AbstractSet[str], cut: int) -> float:
    """nDCG with binary relevance."""
    gained = sum(1 / math.log2(place + 2) for place, id in enumerate(ranked[:cut]) if id in relevant)
    return gained / sum(1 / math.log2(place + 2) for place in range(min(cut, len(relevant))))


def reciprocal_rank(ranked: Sequence[str], relevant: AbstractSet[str], cut: int) -> float:
    """1 / rank of the first relevant item; 0 if there is none within the cutoff."""
    return next((1 / place for place, id in enumerate(ranked[:cut], start=1) if id in relevant), 0.0)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
