"""Every sentence and table row of some passages, weighed by how well it answers a question."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from core.domain.passages import Passage
from core.language.terms import normal_form
from core.nodes.rules.cues import aim_cue, answers_kind, defines, is_opening_section
from core.nodes.rules.needs import ALL_SPOKEN, Needs, Spoken, needs_of
from core.nodes.rules.questions import Kind, essence
from core.nodes.rules.telling import telling
from core.nodes.rules.units import Shape, Unit, heading_terms

LEANING = re.compile(
    r"^(?:it|its|they|their|he|she|his|her|such|however|therefore|thus|moreover|also|hence)\b"
    r"|^(?:this|that|these|those)\b(?! (?:paper|note|report|article|work|document|handbook|manual|standard|section))"
    r"|^(?:其(?!他|中|余)|它|该|此|这|他|她|因此|所以|但|然而|同时|另外|此外)",
    re.IGNORECASE,
)
"""How a sentence opens that is not understood without the one before."""
LIKENESS = 0.25
"""What looking like an answer is worth."""


@dataclass(frozen=True, slots=True)
class Quote:
    passage: int
    """Position of the passage in the list."""
    start: int
    end: int
    """Offsets in the chunk's text."""
    text: str
    score: float
    answers: bool
    """It looks like an answer to this kind of question."""
    tells: bool = False
    """It looks like one, and answers of this kind have a telling form."""
    spoken: Spoken = ALL_SPOKEN
    """What of the question it speaks of; its context is the heading and the sentence before."""
    terms: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Candidate:
    unit: Unit
    before: Unit | None
    """The sentence before in the same passage, without which it is not understood."""
    quote: Quote


def weighed(
    question: str, kind: Kind, units: Sequence[Unit], passages: Sequence[Passage], needs: Needs
) -> list[Candidate]:
    """Every unit, the best first. What few units have weighs more: the name of their topic tells them not apart."""
    headings = [heading_terms(passage) for passage in passages]
    spoken = cache(needs.spoken)
    among_units = cache(needs_of(question, [unit.terms for unit in units]).spoken)
    weigh = _Scale(question, kind, needs).quote
    found = []
    for position, unit in enumerate(units):
        before = units[position - 1] if position and units[position - 1].passage == unit.passage else None
        above = _caption(units, position) if unit.shape is Shape.ROW else before
        leans_on = before if before and before.shape is Shape.SENTENCE and LEANING.search(unit.text) else None
        own = needs.terms & (unit.terms | leans_on.terms if leans_on else unit.terms)
        context = needs.terms & (headings[unit.passage] | above.terms if above else headings[unit.passage])
        quote = weigh(unit, passages[unit.passage], spoken(own, context), among_units(own, context))
        found.append(Candidate(unit, leans_on, quote))
    return sorted(found, key=lambda c: (-c.quote.score, c.quote.passage, c.quote.start))


class _Scale:
    """What units are weighed by for one question."""

    def __init__(self, question: str, kind: Kind, needs: Needs) -> None:
        self.question, self.kind, self.needs = question, kind, needs
        self.subject = subject_of(question) if kind is Kind.DEFINITION else ""
        self.tells = telling(question, kind)

    def quote(self, unit: Unit, passage: Passage, spoken: Spoken, among_units: Spoken) -> Quote:
        answers = self._answers(unit) if spoken.whole else False
        score = 0.6 * among_units.said + 0.4 * among_units.whole + 0.1 * passage.score
        if self.kind is Kind.OVERVIEW:
            score = 0.4 * (0.0 if self.needs.nothing else score) + aim_cue(unit.text) + _place(unit, passage)
        elif self.kind is not Kind.FACT and (answers or self.tells):
            score += LIKENESS * spoken.whole * (1 if answers else -1)
        defining = self._defines(unit)
        return Quote(
            passage=unit.passage,
            start=unit.start,
            end=unit.end,
            text=unit.text,
            score=score + 0.6 * defining - _flaws(unit),
            answers=answers or defining > 0,
            tells=answers and self.tells is not None,
            spoken=spoken,
            terms=unit.terms,
        )

    def _answers(self, unit: Unit) -> bool:
        return self.tells(unit.text) if self.tells else answers_kind(unit.text, self.kind, self.question)

    def _defines(self, unit: Unit) -> float:
        text = normal_form(unit.text) if self.subject else ""
        return defines(text, self.subject) if self.subject.casefold() in text.casefold() else 0.0


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


def _caption(units: Sequence[Unit], position: int) -> Unit | None:
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
