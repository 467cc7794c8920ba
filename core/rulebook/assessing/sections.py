"""The section that a question asks for by its heading: what it says is how it begins."""

from collections.abc import Sequence

from core.platform.language.terms import content_terms
from core.rulebook.assessing.quotable_spans import QuotableSpan
from core.rulebook.assessing.sentence_ranking import Quote, quote_of

ALIKE = 0.6
"""The least share of common words of the heading and of what the question calls the section."""
MOST = 4
"""Sentences or rows that are quoted of it."""


def section_named(words: str, units: Sequence[QuotableSpan]) -> list[Quote]:
    """The beginning of the section whose heading is likest to these words; empty where none is."""
    wanted = frozenset(content_terms(words))
    headings = dict.fromkeys((unit.passage, unit.under) for unit in units if unit.under)
    likest = max(headings, key=lambda heading: _likeness(wanted, heading[1]), default=None)
    if likest is None or _likeness(wanted, likest[1]) < ALIKE:
        return []
    own = [unit for unit in units if (unit.passage, unit.under) == likest]
    return [quote_of(unit, 1.0) for unit in own[:MOST]]


def _likeness(wanted: frozenset[str], heading: str) -> float:
    own = frozenset(content_terms(heading))
    return len(wanted & own) / max(1, len(wanted | own))
