"""Whether passages hold an answer at all: how much of the question they speak of, names apart."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.domain.passages import Passage
from core.nodes.rules.cues import is_opening_section
from core.nodes.rules.needs import Needs, needs_of
from core.nodes.rules.questions import WHOLE, Kind, kind_of
from core.nodes.rules.telling import sides, telling
from core.nodes.rules.units import passage_terms as passage_terms
from core.nodes.rules.weighing import Quote

ENOUGH = 0.45
"""The share of a question that an answer must speak of, with its passages."""
ENOUGH_NAMES = 0.34
ENOUGH_REST = 0.15
SURE_ENOUGH = 0.6
"""Confidence from which on passages are said to answer: fitted on one half of the sets of tests/bench/answers.py."""
OWN, ASKED, TOGETHER, FOUND = 0.2, 0.1, 0.4, 0.3
"""What counts for it: the best quote's own words, those of them that are no names, all quotes' words together, and how
sure the retriever is of the best quote's passage."""
_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Coverage:
    confidence: float
    """0..1: how much speaks for it that the quotes answer the question."""
    names: float
    """0..1: the share of the question's names and numbers that the quotes and their passages have."""
    rest: float
    """0..1: the share of what is asked about them that the quotes speak of, with heading and sentence before."""

    @property
    def enough(self) -> bool:
        return self.confidence >= SURE_ENOUGH and self.names >= ENOUGH_NAMES and self.rest >= ENOUGH_REST


def coverage_of(question: str, passages: Sequence[Passage], quotes: Sequence[Quote]) -> Coverage:
    """0 when nothing can be quoted; an overview needs no more than a quote that states an aim."""
    if not quotes:
        return Coverage(0.0, 0.0, 0.0)
    if kind_of(question) is Kind.AUTHORS:
        return Coverage(1.0, 1.0, 1.0)
    texts = [passage_terms(passage) for passage in passages]
    needs = needs_of(question, texts)
    if needs.nothing:
        return Coverage(1.0, 1.0, 1.0)
    best = max(quotes, key=lambda quote: quote.score)
    own = frozenset(term for quote in quotes for term in quote.terms)
    around = frozenset(term for quote in quotes for term in texts[quote.passage])
    together = needs.spoken(own, around)
    confidence = OWN * best.spoken.own + ASKED * best.spoken.own_rest + TOGETHER * max(together.own, best.spoken.whole)
    confidence += FOUND * passages[best.passage].score
    rest = max(together.own_rest, *(quote.spoken.rest for quote in quotes))
    if telling(question, kind_of(question)) and not any(quote.tells for quote in quotes):
        rest = 0.0
    if kind_of(question) in WHOLE:
        confidence = (1 + confidence) / 2
    if _tells_every_side(question, quotes):
        return Coverage(max(confidence, SURE_ENOUGH), together.names, 1.0)
    return Coverage(confidence, together.names, rest)


def _tells_every_side(question: str, quotes: Sequence[Quote]) -> bool:
    """Of every thing to choose from a quote tells what they are compared by."""
    compared = sides(question) if kind_of(question) is Kind.COMPARISON else []
    return len(compared) > 1 and all(
        any(quote.tells and side.casefold() in quote.text.casefold() for quote in quotes) for side in compared
    )


def relevance(question: str, passage: Passage, needs: Needs) -> float:
    """0..1: the share of the question that a passage speaks of; its own score where words cannot tell."""
    if kind_of(question) in WHOLE and (passage.chunk.index == 0 or is_opening_section(passage.chunk.section)):
        return max(passage.score, needs.coverage(passage_terms(passage)))
    if not same_script(question, passage.chunk.text):
        return passage.score
    return needs.coverage(passage_terms(passage))


def same_script(one: str, other: str) -> bool:
    """Whether words of the one can occur in the other: both have Han characters, or both have Latin letters alone."""
    return _is_han(one) == _is_han(other)


def _is_han(text: str) -> bool:
    sample = text[:2000]
    return 2 * len(_HAN.findall(sample)) >= len(_LATIN.findall(sample))
