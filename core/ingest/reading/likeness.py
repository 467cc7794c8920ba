"""How alike two readings of one page are, whatever the order of their parts. Pure."""

from collections import Counter
from itertools import pairwise


def likeness(one: str, other: str) -> float:
    """Share of pairs of neighbouring characters that both have, 0 to 1 (Dice); blanks and case do not count."""
    pairs, others = _pairs(one), _pairs(other)
    total = pairs.total() + others.total()
    return 2 * (pairs & others).total() / total if total else 1.0


def _pairs(text: str) -> Counter[tuple[str, str]]:
    return Counter(pairwise("".join(text.casefold().split())))
