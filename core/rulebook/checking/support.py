"""Finds sentences of an answer that the passages support: by words, across languages by meaning, and strictly
by numbers."""

import re
from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.models.ports import Embedder
from core.platform.language.detect import chinese_script, is_han, same_script
from core.platform.language.numbers import NUMBER
from core.platform.language.scripts import HAN_CHARACTER
from core.platform.language.sentences import introduces, sentences
from core.platform.language.terms import content_terms, normal_form
from core.platform.texts import text
from core.rulebook.assessing.citing import stands_in, without_markers
from core.rulebook.assessing.measures import without_measure
from core.rulebook.assessing.quotable_spans import QuotableSpan, units_of
from core.search.model import Passage

SUPPORTED = 0.55
"""Least share of a sentence's content terms in one stretch of a passage."""
SAME_MEANING = 0.5
"""Least cosine of a claim and its support in another language.

Of twenty English sentences, each with one faithful and two invented Chinese ones on its subject, all the faithful are
above 0.6 and 39 of the 40 invented are below 0.5.
"""
MOST_COMPARED = 400


def unsupported_sentences(
    answer: str,
    passages: Sequence[Passage],
    units: Sequence[QuotableSpan] | None = None,
    encoder: Embedder | None = None,
) -> list[str]:
    """Claims that no passage supports, verbatim; introductions and questions are not claims.

    units: of the passages, if already known. encoder: compares claims with passages in other languages;
    without a semantic one, only the numbers of such claims are checked.
    """
    known = units_of(passages) if units is None else units
    stretches = _stretches(known)
    meanings = _Meanings(known, encoder) if encoder is not None else None
    whole = normal_form(" ".join(p.chunk.text for p in passages))
    numbers = set(NUMBER.findall(whole.replace(",", "")))
    texts = [text for passage in passages for text in (passage.chunk.text, passage.document_name)]
    names = {passage.document_name for passage in passages}
    said = ((claim, _without(names, claim)) for claim in claims(answer))
    doubtful = (claim for claim, plain in said if not _is_supported(plain, stretches, numbers, meanings))
    return [claim for claim in doubtful if not any(stands_in(claim, text) for text in texts)]


def _without(names: Collection[str], claim: str) -> str:
    """Without the names of documents, which say where something stands and not what."""
    for name in names:
        claim = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", claim)
    return claim


def claims(answer: str) -> list[str]:
    lines = (line.strip().lstrip("-*•># ").strip() for line in without_measure(without_markers(answer)).splitlines())
    return [sentence for line in lines for sentence in sentences(line) if _claims_something(sentence)]


def _claims_something(sentence: str) -> bool:
    language = chinese_script(sentence) if HAN_CHARACTER.search(sentence) else "en"
    if sentence == text("answer.part.unanswered", language):
        return False
    if introduces(sentence) or sentence.endswith(("?", "？")):
        return False
    return len(content_terms(sentence)) >= 2 or bool(NUMBER.search(sentence))


def in_other_languages(sentences: Sequence[str], passages: Sequence[Passage]) -> list[str]:
    """Sentences in another language than all of the passages."""
    return [it for it in sentences if not any(same_script(it, passage.chunk.text) for passage in passages)]


class _Meanings:
    """Vectors of the passages' sentences, computed when first needed."""

    def __init__(self, units: Sequence[QuotableSpan], encoder: Embedder) -> None:
        self._units = units[:MOST_COMPARED]
        self._encoder = encoder

    def bear_out(self, claim: str) -> bool:
        """Whether a sentence, or two consecutive ones, means about the same as the claim."""
        if not self._encoder.semantic:
            return True
        asked = np.asarray(self._encoder.embed_query(claim))
        return bool(max(self._vectors @ asked, default=0.0) >= SAME_MEANING)

    @cached_property
    def _vectors(self) -> NDArray[np.float32]:
        single = np.asarray(self._encoder.embed([unit.text for unit in self._units]), dtype=np.float32)
        joined = [
            single[at] + single[at + 1]
            for at, (unit, after) in enumerate(pairwise(self._units))
            if unit.passage == after.passage
        ]
        vectors = np.stack([*single, *joined])
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return vectors


def _is_supported(
    claim: str, stretches: list[tuple[bool, frozenset[str]]], numbers: set[str], meanings: _Meanings | None
) -> bool:
    said = {number.rstrip(".") for number in NUMBER.findall(normal_form(claim).replace(",", ""))}
    if not said <= numbers:
        return False
    script = is_han(claim)
    comparable = [words for of_script, words in stretches if of_script is script]
    if not comparable:
        return bool(stretches) and (meanings is None or meanings.bear_out(claim))
    wanted = set(content_terms(claim))
    return not wanted or max(len(wanted & words) for words in comparable) >= SUPPORTED * len(wanted)


def _stretches(units: Sequence[QuotableSpan]) -> list[tuple[bool, frozenset[str]]]:
    """(is Chinese, terms) of every unit with its neighbours, because an answer may join two sentences."""
    found = []
    for at, unit in enumerate(units):
        near = [other for other in units[max(0, at - 1) : at + 2] if other.passage == unit.passage]
        found.append((is_han(unit.text), frozenset().union(*(other.terms for other in near))))
    return found
