"""Ranks sentences and rows by the likelihood that they answer a question, with a fitted model over named features."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.models.ports import CrossEncoder, Embedder
from core.rulebook.assessing.answering import CROSS_ENCODER, ENCODER, WORDS, sentence_scores
from core.rulebook.assessing.quotable_spans import QuotableSpan
from core.rulebook.assessing.rejections import objections
from core.rulebook.assessing.sentence_features import SentenceFeatures
from core.rulebook.assessing.sentence_ranking import Quote, RankedSentence, in_order_of_score, leans_on, quote_of
from core.rulebook.assessing.word_meanings import EncodedTogether, Encodes, WordsCompared

COMPARED, COMPARED_ACROSS = 16, 60
"""Sentences whose meaning is compared: the best by words, and those in another script, of which words tell little."""
READ, BEFORE = 8, 160
"""Sentences that the cross-encoder reads, and characters of what stands before one."""
BY_WORD, BY_WORD_ACROSS = 12, 24
"""The best of these by words, or by meaning, whose words are compared with the question's one by one."""


@dataclass(frozen=True, slots=True)
class RankedSentences:
    """Scores of the units of some passages for one question."""

    features: SentenceFeatures
    scores: Any
    """Log odds of each unit relative to the others."""

    @property
    def likelihoods(self) -> Any:
        """The likelihood of each unit relative to the best, which has 1."""
        return np.exp(self.scores - self.scores.max())

    @property
    def shares(self) -> Any:
        """The share of each unit among all."""
        likelihoods = self.likelihoods
        return likelihoods / likelihoods.sum()


def weighed(
    features: SentenceFeatures, encoder: Embedder | None, cross_encoder: CrossEncoder | None
) -> RankedSentences:
    """The encoders, which take milliseconds a sentence, are asked only for the best before.

    cross_encoder: None without an encoder, whose features its weights were fitted with.
    """
    scores = sentence_scores(features.columns, WORDS)
    if encoder is not None:
        add_meaning(features, compared(scores, features.across), encoder)
        scores = sentence_scores(features.columns, ENCODER)
    if cross_encoder is not None:
        add_reading(features, scores, cross_encoder)
        scores = sentence_scores(features.columns, CROSS_ENCODER)
    return RankedSentences(features, scores)


def candidates_of(found: RankedSentences) -> list[RankedSentence]:
    """Return the candidates, best first; a score is the likelihood relative to the best."""
    features, likelihoods = found.features, found.likelihoods.tolist()
    made = [
        RankedSentence(
            unit,
            leans_on(features.units, place),
            quote_of(unit, likelihoods[place], tells=features.tells[place]),
        )
        for place, unit in enumerate(features.units)
    ]
    return sorted(made, key=in_order_of_score)


def answer_features(found: RankedSentences, quotes: Sequence[Quote]) -> dict[str, float]:
    """Return the features of quotes of these units: those of the best unit, objections, and the share of the quotes."""
    best = int(found.scores.argmax())
    quoted = [any(_holds(quote, unit) for quote in quotes) for unit in found.features.units]
    features = {name: float(column[best]) for name, column in found.features.columns.items()}
    against = {f"objection: {name}": 1.0 for name in objections(found.features, quotes)}
    return features | against | {"share of the quotes": float(found.shares[quoted].sum())}


def _holds(quote: Quote, unit: QuotableSpan) -> bool:
    return quote.passage == unit.passage and quote.start <= unit.start and unit.end <= quote.end


def compared(scores: Any, across: Any) -> list[int]:
    best = [int(place) for place in np.argsort(-scores, kind="stable")]
    own = [place for place in best if not across[place]][:COMPARED]
    return own + [place for place in best if across[place]][:COMPARED_ACROSS]


def add_meaning(features: SentenceFeatures, places: Sequence[int], encoder: Embedder) -> None:
    """Add the features of meaning for the units at these places."""
    words = WordsCompared(features.question, features.units, features.passages)
    words.add([place for place in places if not features.across[place]][:BY_WORD])
    texts = [unit.text for unit in features.units]
    headed = [place for place in places if features.units[place].under]
    above = [unit.under for unit in features.units]
    encoded = EncodedTogether(encoder, [*(texts[at] for at in places), *(above[at] for at in headed), *words.words])
    question = encoder.embed_query(features.question)
    cosines = alike(texts, places, encoded, question)
    words.add(_nearest_across(features, cosines))
    features.add_meaning(cosines, alike(above, headed, encoded, question), words.said(encoded))


def add_reading(features: SentenceFeatures, scores: Any, cross_encoder: CrossEncoder) -> None:
    """Add what the cross-encoder says of the units that have the highest scores."""
    places = [int(place) for place in np.argsort(-scores, kind="stable")[:READ]]
    read = np.full(len(features.units), np.nan)
    read[places] = cross_encoder.scores(features.question, [_in_context(features.units, place) for place in places])
    features.add_reading(read)


def _in_context(units: Sequence[QuotableSpan], place: int) -> tuple[str, str]:
    """The heading and the unit before, and the unit."""
    unit, before = units[place], units[place - 1] if place else None
    told = before.text if before and before.passage == unit.passage and before.text != unit.under else ""
    return f"{unit.under}. {told[-BEFORE:]}".strip(". "), unit.text


def _nearest_across(features: SentenceFeatures, cosines: Any) -> list[int]:
    known = np.where(features.across & ~np.isnan(cosines), cosines, -1.0)
    return [int(place) for place in np.argsort(-known, kind="stable")[:BY_WORD_ACROSS] if known[place] > -1.0]


def alike(texts: Sequence[str], places: Sequence[int], encoder: Encodes, question: Sequence[float]) -> Any:
    """Return the cosine of each text with the question, whose vector is given; NaN where it is not compared."""
    found = np.full(len(texts), np.nan)
    if places:
        found[list(places)] = np.asarray(encoder.embed([texts[place] for place in places])) @ np.asarray(question)
    return found
