"""The section that a question names by its heading, and the entry of a list of questions that answers it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN
from core.platform.language.terms import content_terms, normal_form
from core.rulebook.assessing.quotable_spans import QuotableSpan, starts_with_bullet
from core.rulebook.assessing.sentence_ranking import Quote, quote_of
from core.rulebook.understanding.questions import kind_of
from core.search.model import Passage

ALIKE = 0.6
"""Least share of common words of a heading and the question's words for the section."""
SAME = 0.8
"""Least share of common words of the question and one in a document."""
FEWEST_ITEMS = 2
LONGEST_LIST = 1_500
"""Characters of a list that is quoted whole."""
MOST = 4
"""Sentences or rows quoted of a section."""


_ASKED_FOR = pattern(
    rf"(?:哪些|什么)(?P<zh>[{HAN}]{{2}})|\b(?:which|what)\s+(?:(?:are|is)\s+)?(?:the\s+)?(?P<en>[a-z]+)", re.IGNORECASE
)
_LINE = pattern(r"[^\n]+")
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


def items_named(question: str, units: Sequence[QuotableSpan], passages: Sequence[Passage]) -> list[Quote]:
    """Return the list, as one quote, below the one heading that names what the question asks for: "which materials"."""
    found = _ASKED_FOR.search(normal_form(question))
    asked = frozenset(content_terms(found["zh"] or found["en"])) if found else frozenset()
    named = [unit for unit in units if asked and asked <= frozenset(content_terms(unit.under))]
    items = [unit for unit in named if _is_item(unit, passages[unit.passage].chunk.text)]
    if len(items) < FEWEST_ITEMS or len({(unit.passage, unit.under) for unit in items}) > 1:
        return []
    whole = passages[items[0].passage].chunk.text
    start, end = _line_start(items[0], whole), _end_of_list(items[-1], whole)
    text = " ".join(whole[start:end].split())
    terms = frozenset[str]().union(*(unit.terms for unit in items))
    listed = replace(quote_of(items[0], 1.0), start=start, end=end, text=text, terms=terms)
    return [listed] if len(text) <= LONGEST_LIST else []


def _is_item(unit: QuotableSpan, text: str) -> bool:
    return starts_with_bullet(text[_line_start(unit, text) : unit.end])


def _end_of_list(unit: QuotableSpan, text: str) -> int:
    """The end of the last item behind the unit, which may be too short to be quoted by itself: "10 g salt"."""
    behind = takewhile(lambda line: starts_with_bullet(line.group()), _LINE.finditer(text, unit.end))
    return max((line.end() for line in behind), default=unit.end)


def _line_start(unit: QuotableSpan, text: str) -> int:
    return text.rfind("\n", 0, unit.start) + 1


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
