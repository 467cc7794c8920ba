"""Every sentence and table row of some passages, weighed by how well it answers a question."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.domain.passages import Passage
from core.language.terms import content_terms, normal_form
from core.nodes.rules.cues import aim_cue, answers_kind, defines, is_opening_section
from core.nodes.rules.needs import Needs
from core.nodes.rules.questions import Kind, essence, kind_of
from core.nodes.rules.units import Shape, Unit

LEANING = re.compile(
    r"^(?:it|its|they|their|he|she|his|her|such|however|therefore|thus|moreover|also|hence)\b"
    r"|^(?:this|that|these|those)\b(?! (?:paper|note|report|article|work|document|handbook|manual|standard|section))"
    r"|^(?:其(?!他|中|余)|它|该|此|这|他|她|因此|所以|但|然而|同时|另外|此外)",
    re.IGNORECASE,
)
"""How a sentence opens that is not understood without the one before."""


@dataclass(frozen=True, slots=True)
class Quote:
    passage: int
    """Position of the passage in the list."""
    start: int
    end: int
    """Offsets in the chunk's text."""
    text: str
    score: float
    coverage: float
    """0..1 of what the question needs, with the heading and the sentence before."""
    answers: bool
    """It has the form that the kind of question asks for."""
    shape: Shape = Shape.SENTENCE


@dataclass(frozen=True, slots=True)
class Candidate:
    unit: Unit
    before: Unit | None
    """The sentence before in the same passage."""
    quote: Quote


def weighed(question: str, kind: Kind, units: list[Unit], passages: Sequence[Passage], needs: Needs) -> list[Candidate]:
    headings = [frozenset(content_terms(" ".join((p.document_name, *p.chunk.section)))) for p in passages]
    subject = subject_of(question) if kind is Kind.DEFINITION else ""
    found = []
    for position, unit in enumerate(units):
        before = units[position - 1] if position and units[position - 1].passage == unit.passage else None
        caption = _caption(units, position) if unit.shape is Shape.ROW else before
        context = headings[unit.passage] | (caption.terms if caption else frozenset())
        quote = _quote(unit, context, needs, question, passages[unit.passage])
        bonus = 0.6 * defines(normal_form(unit.text), subject) if subject else 0.0
        found.append(Candidate(unit, before, _raised(quote, bonus)))
    return sorted(found, key=lambda c: (-c.quote.score, c.quote.passage, c.quote.start))


def _quote(unit: Unit, context: frozenset[str], needs: Needs, question: str, passage: Passage) -> Quote:
    kind = kind_of(question)
    coverage = needs.coverage(unit.terms, context)
    answers = answers_kind(unit.text, kind, question)
    score = 0.6 * needs.coverage(unit.terms) + 0.4 * coverage + 0.1 * passage.score
    if kind is Kind.OVERVIEW:
        score = 0.4 * (0.0 if needs.nothing else score) + aim_cue(unit.text) + _place(unit, passage)
    elif answers and kind is not Kind.FACT:
        score += 0.25 * coverage
    return Quote(unit.passage, unit.start, unit.end, unit.text, score - _flaws(unit), coverage, answers, unit.shape)


def _place(unit: Unit, passage: Passage) -> float:
    """Documents say what they are about at their beginning and in certain sections."""
    early = max(0.0, 0.3 - 0.1 * passage.chunk.index)
    return (
        early + (0.25 if is_opening_section(passage.chunk.section) else 0.0) - (0.2 if unit.shape is Shape.ROW else 0)
    )


def _flaws(unit: Unit) -> float:
    flaws = 0.3 if unit.text.rstrip().endswith(("?", "？")) else 0.0
    flaws += 0.1 if len(unit.text) > 400 else 0.0
    return flaws + (0.05 if LEANING.search(unit.text) else 0.0)


def _raised(quote: Quote, bonus: float) -> Quote:
    return replace(quote, score=quote.score + bonus, answers=True) if bonus else quote


def _caption(units: list[Unit], position: int) -> Unit | None:
    """The sentence above a table."""
    passage = units[position].passage
    above = (unit for unit in reversed(units[:position]) if unit.passage == passage and unit.shape is Shape.SENTENCE)
    return next(above, None)


_ASKED = re.compile(
    r"^(?:so\s+)?(?:what|who)(?:'s|\s+is|\s+are|\s+was|\s+does|\s+do)\s+(?:an?\s+|the\s+)?|\b(?:mean|stand for)\b.*$"
    r"|^(?:define|the definition of|definition of|the meaning of)\s+|[?？]+$|^什么是|的?(?:定义|含义|意思)?(?:是"
    r"|指)?什么(?:意思)?[？?]?$|^何[为谓]",
    re.IGNORECASE,
)


def subject_of(question: str) -> str:
    """What is to be defined."""
    plain = normal_form(question).strip(" ?？。.")
    previous = ""
    while plain != previous:
        previous, plain = plain, _ASKED.sub("", plain).strip(" ?？。.“”\"'")
    return plain if len(plain) <= 60 else essence(question)[:60]
