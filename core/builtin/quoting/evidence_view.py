"""What passages say to a question, worked out once: sentences weighed, the best quoted, how likely they answer."""

import math
import re
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from core.builtin.intent.questions import WHOLE, Kind, kind_of
from core.builtin.quoting.answer_types import matcher_for
from core.builtin.quoting.answering import CERTAIN, NEAR, POSSIBLE, SURE, probability
from core.builtin.quoting.question_terms import QuestionTerms, TermCoverage, question_terms_of
from core.builtin.quoting.quotable_spans import PassageReading, QuotableSpan, Readings, Shape, reading_of, units_of
from core.builtin.quoting.quotes import quoted_of
from core.builtin.quoting.sentence_ranking import Candidate, Quote, ranked_spans
from core.builtin.quoting.values import value_asked
from core.builtin.quoting.wording import denies_otherwise, in_order, rarest_missing
from core.domain.passages import Passage
from core.language.detect import same_script
from core.language.terms import normal_form
from core.ports.models import Embedder

LIKENESS = 0.5
"""What nearness of meaning, 0..1, counts beside words, 0..1; as measured on the sets of tests/bench/answers.py."""
_BESIDE_WORDS = re.compile(r"^[\W\d_]+|[\W_]+$")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_CHANGE = re.compile(
    r"\b(?:increas|decreas|rose|risen|rise|grew|grow|fell|fall|declin|drop|up by|down by|higher than|lower than)\w*"
    r"|增长|增加|上升|下降|减少|降低|提高|同比|环比",
    re.IGNORECASE,
)
"""A change is told, not a state."""
COMPARED, COMPARED_ACROSS = 24, 80
"""Sentences whose meaning is compared: the best by words, and those in another script, of which words tell nothing."""


class EvidenceView:
    """Of one question and some passages. Everything is computed when it is first asked for."""

    def __init__(
        self, question: str, passages: Sequence[Passage], encoder: Embedder | None, readings: Readings | None = None
    ) -> None:
        self.question, self.passages = question, tuple(passages)
        self._readings: Readings = {} if readings is None else readings
        self._encoder = encoder if encoder is not None and encoder.semantic else None

    @cached_property
    def kind(self) -> Kind:
        return kind_of(self.question)

    @cached_property
    def read(self) -> list[PassageReading]:
        """Each passage cut and tokenised."""
        return [reading_of(passage, self._readings) for passage in self.passages]

    @cached_property
    def texts(self) -> list[frozenset[str]]:
        """The terms of each passage."""
        return [reading.terms for reading in self.read]

    @cached_property
    def needs(self) -> QuestionTerms:
        return question_terms_of(self.question, self.texts)

    @cached_property
    def units(self) -> list[QuotableSpan]:
        return units_of(self.passages, self._readings)

    @cached_property
    def candidates(self) -> list[Candidate]:
        """Every sentence and row, the best first, by words and meaning."""
        headings = [reading.headings for reading in self.read]
        ranked = ranked_spans(self.question, self.kind, self.units, self.passages, headings, self.needs)
        if self._encoder is None or not ranked:
            return ranked
        across = [self._foreign[candidate.quote.passage] for candidate in ranked]
        compared = [c for place, c in enumerate(ranked) if place < COMPARED or across[place]][:COMPARED_ACROSS]
        question = np.asarray(self._encoder.embed_query(self.question))
        vectors = np.asarray(self._encoder.embed([candidate.unit.text for candidate in compared]))
        alike = dict(zip(map(id, compared), (vectors @ question).tolist(), strict=True))
        found = [candidate.alike(alike.get(id(candidate), 0.0), LIKENESS) for candidate in ranked]
        return sorted(found, key=lambda c: (-c.quote.score, c.quote.passage, c.quote.start))

    @cached_property
    def quotes(self) -> list[Quote]:
        """One to six that answer best, in an order that reads well; none where nothing can be quoted."""
        return quoted_of(self.question, self.kind, self.candidates, self.units, self.passages, self.needs)

    @cached_property
    def value(self) -> str:
        """What was asked for, where the best quote tells one such thing only; else empty."""
        best = max(self.quotes, key=lambda quote: quote.score)
        return value_asked(self.question, self.kind, best) if self.probability >= SURE else ""

    @cached_property
    def probability(self) -> float:
        """0..1: that the quotes answer the question."""
        if not self.quotes:
            return 0.0
        if self.kind is Kind.AUTHORS or self._together.names >= _NAMES_NEEDED.get(self.kind, math.inf):
            return CERTAIN
        if any(self._asked_by_heading(self.passages[quote.passage]) for quote in self.quotes):
            return CERTAIN
        return probability(self.features, self._encoder is not None)

    @property
    def may_answer(self) -> bool:
        """Not surely, but near enough to be shown as what comes closest."""
        if self.probability < POSSIBLE:
            return False
        near = ("words of the question", "similarity across languages")
        return self.probability >= SURE or max(self.features[name] for name in near) >= NEAR

    @cached_property
    def features(self) -> dict[str, float]:
        """What speaks for and against the quotes, by name, each about 0..1; see answering.json."""
        best = max(self.candidates, key=lambda candidate: candidate.quote.score)
        others = [c.quote for c in self.candidates if c is not best]
        said, together, quote = best.quote.spoken, self._together, best.quote
        across = self._foreign[best.quote.passage]
        told = any(other.tells for other in self.quotes)
        typed = matcher_for(self.question, self.kind) is not None
        found = {
            "own words of the question": said.own,
            "own words of what is asked": said.own_rest,
            "words of the question": said.whole,
            "words of what is asked": said.rest,
            "names": together.names,
            "a name is missing": float(together.names < 0.99),
            "answer type found": float(typed and told),
            "answer type missing": float(typed and not told),
            "looks like an answer": float(quote.answers),
            "similarity": 0.0 if across else quote.alike,
            "similarity across languages": quote.alike if across else 0.0,
            "margin to the next": min(0.5, quote.score - max((other.score for other in others), default=0.0)),
            "rank of the passage": 1 / (1 + quote.passage),
            "a number is missing": float(not self._numbers <= set(_NUMBER.findall(self._around(best)))),
            "tells a change": float(_CHANGE.search(quote.text) is not None and not _CHANGE.search(self.question)),
            "table row": float(best.unit.shape is Shape.ROW),
            "length": min(1.0, len(quote.text) / 300),
            "several quotes": float(len(self.quotes) > 1),
            "another language": float(across),
            "long question": min(1.0, len(self.needs.weights) / 12),
            "words in order": in_order(self.question, quote.text),
            "rarest word missing": rarest_missing(self.needs, self._present),
            "denies otherwise": float(denies_otherwise(self.question, quote.text)),
        }
        if across:
            words = [name for name in found if "word" in name or "name" in name]
            found |= dict.fromkeys(words, 0.0)
            found["answer type found across languages"] = found.pop("answer type found")
            found["margin across languages"] = found.pop("margin to the next")
        kinds = {name: self.kind in kinds for name, kinds in _KINDS.items()}
        return found | {f"asks {name}": float(asked) for name, asked in kinds.items()}

    @cached_property
    def _together(self) -> TermCoverage:
        own = frozenset(term for quote in self.quotes for term in quote.terms)
        return self.needs.spoken(own, self._present)

    @cached_property
    def _present(self) -> frozenset[str]:
        """The terms of the passages quoted."""
        return frozenset(term for quote in self.quotes for term in self.texts[quote.passage])

    @cached_property
    def _numbers(self) -> set[str]:
        return set(_NUMBER.findall(self.question))

    def _around(self, candidate: Candidate) -> str:
        """Its quotes with the headings above it."""
        passage = self.passages[candidate.quote.passage]
        return " ".join([passage.document_name, *passage.chunk.section, *(quote.text for quote in self.quotes)])

    def _asked_by_heading(self, passage: Passage) -> bool:
        """The question is the heading above the passage, word for word."""
        return bool(passage.chunk.section) and _plain(passage.chunk.section[-1]) == _plain(self.question)

    @cached_property
    def _foreign(self) -> list[bool]:
        """Of each passage: words of the question cannot occur in it."""
        return [not same_script(self.question, passage.chunk.text) for passage in self.passages]


def _plain(text: str) -> str:
    return _BESIDE_WORDS.sub("", normal_form(text)).casefold()


_NAMES_NEEDED = {**dict.fromkeys(WHOLE, 0.5), Kind.RELATION: 0.99}
"""Of questions that ask for all there is about what they name: any quote that speaks of it is an answer."""
_KINDS: dict[str, set[Kind]] = {
    "how many": {Kind.HOW_MANY},
    "when or where": {Kind.WHEN, Kind.WHERE},
    "who": {Kind.WHO},
    "why or how": {Kind.WHY, Kind.HOW},
    "for a list": {Kind.LIST, Kind.COMPARISON, Kind.RELATION},
    "for a definition": {Kind.DEFINITION},
}
