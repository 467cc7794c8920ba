"""How good rankings are: recall, nDCG and mean reciprocal rank. Pure."""

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

CUTS = (2, 5, 10)
"""Places at which recall is taken."""
DEPTH = 10
"""Places that nDCG and the reciprocal rank look at."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A ranking and what it should have found."""

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
    """Questions without a relevant passage say nothing of a ranking and are left out."""
    rows = [row for row in judged if row.relevant]
    return Quality(
        recall=tuple(_mean([recall(row.ranked, row.relevant, cut) for row in rows]) for cut in CUTS),
        ndcg=_mean([ndcg(row.ranked, row.relevant, DEPTH) for row in rows]),
        mrr=_mean([reciprocal_rank(row.ranked, row.relevant, DEPTH) for row in rows]),
        questions=len(rows),
    )


def recall(ranked: Sequence[str], relevant: AbstractSet[str], cut: int) -> float:
    """Share of the relevant among the first cut."""
    return len(set(ranked[:cut]) & relevant) / len(relevant)


def ndcg(ranked: Sequence[str], relevant: AbstractSet[str], cut: int) -> float:
    """Gain discounted by log2 of the place, as a share of the best possible; every relevant one is worth the same."""
    gained = sum(1 / math.log2(place + 2) for place, id in enumerate(ranked[:cut]) if id in relevant)
    return gained / sum(1 / math.log2(place + 2) for place in range(min(cut, len(relevant))))


def reciprocal_rank(ranked: Sequence[str], relevant: AbstractSet[str], cut: int) -> float:
    """1 / place of the first relevant one; 0 when none is among the first cut."""
    return next((1 / place for place, id in enumerate(ranked[:cut], start=1) if id in relevant), 0.0)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
