"""Similarity of two readings of a page, independent of the order of their parts. Pure function."""

from collections import Counter
from itertools import pairwise


def likeness(one: str, other: str) -> float:
    """Dice coefficient of character bigrams, 0 to 1; ignores blanks and case."""
    pairs, others = _pairs(one), _pairs(other)
    total = pairs.total() + others.total()
    return 2 * (pairs & others).total() / total if total else 1.0


def _pairs(text: str) -> Counter[tuple[str, str]]:
    return Counter(pairwise("".join(text.casefold().split())))
