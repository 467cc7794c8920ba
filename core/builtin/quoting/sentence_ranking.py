"""Every sentence and table row of some passages, weighed by how well it answers a question."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from core.builtin.intent.questions import Kind, essence
from core.builtin.quoting.answer_types import matcher_for
from core.builtin.quoting.cues import aim_cue, answers_kind, defines, is_opening_section
from core.builtin.quoting.question_terms import ALL_SPOKEN, QuestionTerms, TermCoverage
from core.builtin.quoting.quotable_spans import QuotableSpan, Shape
from core.domain.passages import Passage
from core.language.terms import content_terms, normal_form

LEANING = re.compile(
    r"^(?:it|its|they|their|he|she|his|her|such|however|therefore|thus|moreover|also|hence)\b"
    r"|^(?:this|that|these|those)\b(?! (?:paper|note|report|article|work|document|handbook|manual|standard|section))"
    r"|^(?:其(?!他|中|余)|它|该|此|这|他|她|因此|所以|但|然而|同时|另外|此外)",
    re.IGNORECASE,
)
"""How a sentence opens that is not understood without the one before."""
_FIRST_CELL = re.compile(r"; | \| ")
_DIGIT = re.compile(r"\d")
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
    spoken: TermCoverage = ALL_SPOKEN
    """What of the question it speaks of; its context is the heading and the sentence before."""
    terms: frozenset[str] = frozenset()
    is_row: bool = False
    """Of a table."""
    alike: float = 0.0
    """Cosine similarity of the meanings of question and sentence; 0 where it was not compared."""


@dataclass(frozen=True, slots=True)
class Candidate:
    unit: QuotableSpan
    before: QuotableSpan | None
    """The sentence before in the same passage, without which it is not understood."""
    quote: Quote

    def alike(self, similarity: float, weight: float) -> "Candidate":
        """Weighed by its meaning as well."""
        score = self.quote.score + weight * similarity
        return replace(self, quote=replace(self.quote, score=score, alike=similarity))


def ranked_spans(
    question: str,
    kind: Kind,
    units: Sequence[QuotableSpan],
    passages: Sequence[Passage],
    headings: Sequence[frozenset[str]],
    needs: QuestionTerms,
) -> list[Candidate]:
    """Every unit, the best first. What few units have weighs more: the name of their topic tells them not apart.

    headings: the terms above each passage.
    """
    spoken = cache(needs.spoken)
    among_units = cache(needs.among([unit.terms for unit in units]).spoken)
    weigh = _SentenceScorer(question, kind, needs).quote
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


class _SentenceScorer:
    """What units are weighed by for one question."""

    def __init__(self, question: str, kind: Kind, needs: QuestionTerms) -> None:
        self.question, self.kind, self.needs = question, kind, needs
        self.subject = subject_of(question) if kind is Kind.DEFINITION else ""
        self.tells = matcher_for(question, kind)

    def quote(self, unit: QuotableSpan, passage: Passage, spoken: TermCoverage, among_units: TermCoverage) -> Quote:
        answers = self._answers(unit) if spoken.whole else False
        score = 0.6 * among_units.said + 0.4 * among_units.whole + 0.1 * passage.score
        if self.kind is Kind.OVERVIEW:
            score = 0.4 * (0.0 if self.needs.nothing else score) + aim_cue(unit.text) + _place(unit, passage)
        elif self.kind is not Kind.FACT and (answers or self.tells):
            score += LIKENESS * spoken.whole * (1 if answers else -1)
        score += LIKENESS * self._labelled(unit)
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
            is_row=unit.shape is Shape.ROW,
        )

    def _labelled(self, unit: QuotableSpan) -> float:
        """0..1: how much of a row's first cell the question names."""
        if unit.shape is not Shape.ROW:
            return 0.0
        label = content_terms(_FIRST_CELL.split(unit.text, maxsplit=1)[0])
        return len(self.needs.terms.intersection(label)) / len(label) if label else 0.0

    def _answers(self, unit: QuotableSpan) -> bool:
        if unit.shape is Shape.ROW and self.kind is Kind.HOW_MANY:
            return _DIGIT.search(unit.text) is not None
        return self.tells(unit.text) if self.tells else answers_kind(unit.text, self.kind, self.question)

    def _defines(self, unit: QuotableSpan) -> float:
        text = normal_form(unit.text) if self.subject else ""
        return defines(text, self.subject) if self.subject.casefold() in text.casefold() else 0.0


def _place(unit: QuotableSpan, passage: Passage) -> float:
    """Documents say what they are about at their beginning and in certain sections."""
    early = max(0.0, 0.3 - 0.1 * passage.chunk.index)
    return (
        early + (0.25 if is_opening_section(passage.chunk.section) else 0.0) - (0.2 if unit.shape is Shape.ROW else 0)
    )


def _flaws(unit: QuotableSpan) -> float:
    flaws = 0.3 if unit.text.rstrip().endswith(("?", "？")) else 0.0
    flaws += 0.1 if len(unit.text) > 400 else 0.0
    return flaws + (0.05 if LEANING.search(unit.text) else 0.0)


def _caption(units: Sequence[QuotableSpan], position: int) -> QuotableSpan | None:
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
