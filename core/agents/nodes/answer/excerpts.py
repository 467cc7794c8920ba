"""Cuts passages to their likeliest sentences and rows, for a model that reads little."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from core.models.tokens import estimate_tokens
from core.rulebook.evidence import EvidenceAssessment, QuotableSpan

RANK_WEIGHS = 3
"""Of two ranks, reciprocal rank fusion takes the sum of 1 / (RANK_WEIGHS + rank)."""
BEHIND = 0.02
"""Cosine that a sentence loses for each passage that the search found before its own."""


def excerpts(view: EvidenceAssessment, tokens: int) -> dict[int, str]:
    """Text by position of the passage, at most so many tokens in all by estimate, in reading order.

    By the fitted likelihood and by the cosine with the question, because each misses what the other finds: the one goes
    by the question's words, the other by its meaning.
    """
    chosen: set[QuotableSpan] = set()
    left = tokens
    for unit in _likeliest(view):
        cost = estimate_tokens(unit.text)
        if unit not in chosen and cost <= left:
            chosen.add(unit)
            left -= cost
    in_order = sorted(chosen, key=lambda unit: (unit.passage, unit.start))
    by_passage = groupby(in_order, key=lambda unit: unit.passage)
    return {place: "\n".join(_lines(units, view.passages[place].chunk.section)) for place, units in by_passage}


def _likeliest(view: EvidenceAssessment) -> Iterator[QuotableSpan]:
    """Each behind the sentence without which it is not understood."""
    candidates = view.candidates
    by_meaning = _ranks_by_meaning(view, [candidate.unit for candidate in candidates])
    ranks = {
        place: 1.0 / (RANK_WEIGHS + place) + 1.0 / (RANK_WEIGHS + by_meaning.get(place, place))
        for place in range(len(candidates))
    }
    for place in sorted(ranks, key=lambda place: (-ranks[place], place)):
        yield candidates[place].unit
        if before := candidates[place].before:
            yield before


def _ranks_by_meaning(view: EvidenceAssessment, units: Sequence[QuotableSpan]) -> dict[int, int]:
    cosines = view.cosines([unit.text for unit in units])
    nearness = [cosine - BEHIND * unit.passage for cosine, unit in zip(cosines, units, strict=False)]
    nearest = sorted(range(len(nearness)), key=lambda place: -nearness[place])
    return {place: rank for rank, place in enumerate(nearest)}


def _lines(units: Iterable[QuotableSpan], section: Sequence[str]) -> Iterator[str]:
    """With the question or heading above them, once, that is not the section's."""
    above = next(reversed(section), "")
    for unit in units:
        if unit.under not in ("", above):
            above = unit.under
            yield above
        yield unit.text
