"""How much of a question a sentence covers in other words or languages, by the nearest word in meaning."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from core.platform.language.terms import content_words
from core.rulebook.assessing.quotable_spans import QuotableSpan
from core.rulebook.understanding.questions import essence
from core.search.model import Passage

UNLIKE, SAME = 0.4, 0.88
"""Cosines of two words: up to the first they have nothing in common, from the second on they mean the same."""
HEADING_CREDIT, BEFORE_CREDIT = 0.8, 0.6
"""Credit of a word in the heading, or in the sentence before."""


class Encodes(Protocol):
    """The part of an embedder that makes vectors of texts."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...


class EncodedTogether:
    """Texts that are encoded in one call of the encoder, because each call takes as long as twenty words."""

    def __init__(self, encoder: Encodes, texts: Iterable[str]) -> None:
        self._encoder = encoder
        self._vectors: dict[str, Sequence[float]] = {}
        self._add(texts)

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        self._add(texts)
        return [self._vectors[text] for text in texts]

    def _add(self, texts: Iterable[str]) -> None:
        if new := [text for text in dict.fromkeys(texts) if text not in self._vectors]:
            self._vectors |= zip(new, self._encoder.embed(new), strict=True)


@dataclass(frozen=True, slots=True)
class SaidInMeaning:
    """Arrays over the units, each 0..1; NaN where a unit was not compared."""

    own: Any
    """The share of the question's words that the unit says itself, those weighing more that few units say."""
    most_missing: Any
    """Weight of the weightiest missing word, relative to the weightiest of all."""
    around: Any
    """The same as own, by the unit with its heading and the sentence before."""
    most_missing_around: Any


@lru_cache(256)
def _words_of(text: str) -> Sequence[str]:
    """Cached, because units share headings and neighbours, and several searches find them."""
    return content_words(text)


class WordsCompared:
    """The words of a question, and of some of the units that may answer it."""

    def __init__(self, question: str, units: Sequence[QuotableSpan], passages: Sequence[Passage]) -> None:
        self._units, self._passages = units, passages
        self._asked = list(dict.fromkeys(content_words(essence(question)) or content_words(question)))
        self._texts: dict[int, tuple[Sequence[str], ...]] = {}

    def add(self, places: Iterable[int]) -> None:
        """Add the units at these places."""
        self._texts |= {place: self._with_context(place) for place in places}

    @property
    def words(self) -> list[str]:
        """All words that are compared; empty if the question has none."""
        said = (word for parts in self._texts.values() for part in parts for word in part)
        return [*self._asked, *said] if self._asked and self._texts else []

    def said(self, encoder: Encodes) -> SaidInMeaning:
        words = self.words
        if not words:
            nothing = np.full(len(self._units), np.nan)
            return SaidInMeaning(nothing, nothing, nothing, nothing)
        credit = _Credits(self._asked, words, encoder)
        own, heading, before = (credit.of(parts) for parts in zip(*self._texts.values(), strict=True))
        around = np.maximum(own, np.maximum(HEADING_CREDIT * heading, BEFORE_CREDIT * before))
        weights = 2.0 - own.mean(axis=0)
        columns = (_share(own, weights), _missing(own, weights), _share(around, weights), _missing(around, weights))
        return SaidInMeaning(*(_spread(column, list(self._texts), len(self._units)) for column in columns))

    def _with_context(self, place: int) -> tuple[Sequence[str], ...]:
        """Words of the unit, of the heading above it, and of the unit before."""
        unit, before = self._units[place], self._units[place - 1] if place else None
        passage = self._passages[unit.passage]
        above = " ".join((*passage.chunk.section[-2:], unit.under, passage.document_name))
        return (
            _words_of(unit.text),
            _words_of(above),
            _words_of(before.text) if before and before.passage == unit.passage else [],
        )


class _Credits:
    """Credits of the question's words by the words of a text."""

    def __init__(self, asked: Sequence[str], words: Iterable[str], encoder: Encodes) -> None:
        known = list(dict.fromkeys([*asked, *words]))
        vectors = np.asarray(encoder.embed(known), dtype=np.float32)
        self._places = {word: place for place, word in enumerate(known)}
        cosines = vectors[: len(asked)] @ vectors.T
        self._credits = np.clip((cosines - UNLIKE) / (SAME - UNLIKE), 0.0, 1.0)

    def of(self, texts: Sequence[Sequence[str]]) -> Any:
        """Return one row per text; zeros for a text without words."""
        found = np.zeros((len(texts), len(self._credits)), dtype=self._credits.dtype)
        filled = [at for at, words in enumerate(texts) if words]
        if filled:
            starts = np.cumsum([0, *(len(texts[at]) for at in filled[:-1])])
            places = [self._places[word] for at in filled for word in texts[at]]
            found[filled] = np.maximum.reduceat(self._credits[:, places], starts, axis=1).T
        return found


def _share(said: Any, weights: Any) -> Any:
    return said @ weights / weights.sum()


def _missing(said: Any, weights: Any) -> Any:
    return ((1.0 - said) * weights).max(axis=1) / weights.max()


def _spread(column: Any, places: Sequence[int], length: int) -> Any:
    found = np.full(length, np.nan)
    found[list(places)] = column
    return found
