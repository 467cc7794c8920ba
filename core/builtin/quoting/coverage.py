"""How much of a question a passage speaks of, where words can tell."""

import re

from core.builtin.intent.questions import WHOLE, Kind
from core.builtin.quoting.cues import is_opening_section
from core.builtin.quoting.question_terms import QuestionTerms
from core.domain.passages import Passage
from core.language.scripts import HAN

ENOUGH = 0.45
"""The share of a question that an answer must speak of, with its passages."""
ENOUGH_NAMES = 0.34
_HAN = re.compile(f"[{HAN}]")
_LATIN = re.compile(r"[A-Za-z]")


def relevance(question: str, kind: Kind, passage: Passage, terms: frozenset[str], needs: QuestionTerms) -> float:
    """0..1: the share of the question that a passage of these terms speaks of; its score where words cannot tell."""
    if kind in WHOLE and (passage.chunk.index == 0 or is_opening_section(passage.chunk.section)):
        return max(passage.score, needs.coverage(terms))
    if not same_script(question, passage.chunk.text):
        return passage.score
    return needs.coverage(terms)


def same_script(one: str, other: str) -> bool:
    """Whether words of the one can occur in the other: both have Han characters, or both have Latin letters alone."""
    return _is_han(one) == _is_han(other)


def _is_han(text: str) -> bool:
    sample = text[:2000]
    return 2 * len(_HAN.findall(sample)) >= len(_LATIN.findall(sample))
