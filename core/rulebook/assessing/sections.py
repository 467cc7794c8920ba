"""The section that a question names by its heading, and the entry of a list of questions that answers it."""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.platform.language.terms import content_terms
from core.rulebook.assessing.quotable_spans import QuotableSpan
from core.rulebook.assessing.sentence_ranking import Quote, quote_of
from core.rulebook.understanding.questions import kind_of

ALIKE = 0.6
"""Least share of common words of a heading and the question's words for the section."""
SAME = 0.8
"""Least share of common words of the question and one in a document."""
MOST = 4
"""Sentences or rows quoted of a section."""


_MARK = re.compile(r"^(?:[QA]|Question|Answer|[问問答])\s*[:：]\s*")


def section_named(words: str, units: Sequence[QuotableSpan]) -> list[Quote]:
    """The beginning of the section whose heading is likest to these words; empty where none is."""
    return [quote_of(unit, 1.0) for unit in _under_likest(words, units, ALIKE)[:MOST]]


def entry_asked(question: str, units: Sequence[QuotableSpan]) -> list[Quote]:
    """Return the answer to the same question in a list of questions and answers, as one quote; empty without one."""
    kind = kind_of(question)
    asked = [unit for unit in units if unit.under.endswith(("?", "？")) and kind_of(_MARK.sub("", unit.under)) is kind]
    own = _under_likest(question, asked, SAME)[:MOST]
    if not own:
        return []
    text = " ".join([_MARK.sub("", own[0].text), *(unit.text for unit in own[1:])])
    terms = frozenset[str]().union(*(unit.terms for unit in own))
    return [replace(quote_of(own[0], 1.0), end=own[-1].end, text=text, terms=terms)]


def _under_likest(words: str, units: Sequence[QuotableSpan], least: float) -> list[QuotableSpan]:
    wanted = frozenset(content_terms(words))
    headings = dict.fromkeys((unit.passage, unit.under) for unit in units if unit.under)
    likest = max(headings, key=lambda heading: _likeness(wanted, heading[1]), default=None)
    if likest is None or _likeness(wanted, likest[1]) < least:
        return []
    return [unit for unit in units if (unit.passage, unit.under) == likest]


def _likeness(wanted: frozenset[str], heading: str) -> float:
    own = frozenset(content_terms(_MARK.sub("", heading)))
    return len(wanted & own) / max(1, len(wanted | own))
