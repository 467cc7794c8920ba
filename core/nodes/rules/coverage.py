"""Whether passages hold an answer at all: how much of the question they speak of, names apart."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.domain.passages import Passage
from core.language.terms import content_terms
from core.nodes.rules.cues import is_opening_section
from core.nodes.rules.needs import Needs, needs_of
from core.nodes.rules.questions import WHOLE, Kind, kind_of
from core.nodes.rules.weighing import Quote

ENOUGH = 0.45
"""Measured on the development sets: nine of ten answerable questions are above, two thirds of the others below."""
ENOUGH_NAMES = 0.34
ENOUGH_REST = 0.15
_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Coverage:
    confidence: float
    """0..1: mean of what the best quote, all quotes together and the best passage cover of the question."""
    names: float
    """0..1: the share of the question's names and numbers that the quotes and their passages have."""
    rest: float
    """0..1: the share of what is asked about them."""

    @property
    def enough(self) -> bool:
        return self.confidence >= ENOUGH and self.names >= ENOUGH_NAMES and self.rest >= ENOUGH_REST


def passage_terms(passage: Passage) -> frozenset[str]:
    """Of the text with its headings and its document's name."""
    return _terms("\n".join((passage.document_name, *passage.chunk.section, passage.chunk.text)))


@lru_cache(maxsize=256)
def _terms(text: str) -> frozenset[str]:
    """Several nodes of a run ask for the same ones."""
    return frozenset(content_terms(text))


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
    own = {term for quote in quotes for term in content_terms(quote.text)}
    around = {term for quote in quotes for term in texts[quote.passage]}
    union = needs.coverage(own, around)
    best = max(quote.coverage for quote in quotes)
    confidence = (best + union + max(needs.coverage(text) for text in texts)) / 3
    if kind_of(question) in WHOLE:
        confidence = (1 + confidence) / 2
    return Coverage(confidence, needs.names_covered(own, around), needs.rest_covered(own, around))


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
