"""Finds what supports a sentence of an answer: a sentence of a passage with its numbers, names and denial.

Where words differ, as between languages, meanings are compared.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from core.memory.units import without_measure
from core.models.ports import Embedder
from core.platform.language.answer_marks import without_markers
from core.platform.language.detect import chinese_script, is_han, same_script
from core.platform.language.numbers import NUMBER, told_numbers, written_numbers
from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN_CHARACTER
from core.platform.language.sentences import introduces, sentences
from core.platform.language.terms import content_terms, normal_form
from core.platform.texts import text
from core.rulebook.assessing.citing import quoted_unit, verbatim
from core.rulebook.assessing.quotable_spans import QuotableSpan, heading_terms, units_of
from core.rulebook.assessing.wording import denies
from core.search.model import Passage

SUPPORTED = 0.55
"""Least share of a sentence's content terms in one stretch of a passage."""
NEW = 0.5
"""The same of those that are not of the question. Of a small model's answers on twenty documents
that were not used to choose it, it lets four more pass, of which three are right and none answers what they do not."""
ALIKE, SAME_MEANING = 0.6, 0.4
"""Least cosine of a sentence in other words, and of one in another language, with its support; like the numbers below
chosen on the development half of `python -m benchmarks answer_pairs`."""
SAME_CLAUSE = 0.4
"""Least share of a clause's terms in one whose denial is compared with its own."""
COSINE_WEIGHS = 0.3
"""Weight of a cosine, added to the share of words, in the choice of the nearest sentence."""
PART = 2
"""Least content terms of a part that is checked by itself."""
MOST_COMPARED = 400
_BEFORE = pattern(r"^\s*(?:(?:[-•>#]+|\*(?!\*)|\(?\d{1,2}[.)、](?!\d))\s*)*(?:\*\*[^*\n]+\*\*[:：]\s*(?=“))?")
"""The mark of an item, and the value before the quote from which it was taken."""
_STEP = pattern(r"(?:.*[:：]\s*)?[“\"]?\(?\d{1,2}[.)、]")
_CLAUSE = pattern(r"[,，;；:：]\s*")
_PART = pattern(r"[,，;；、]\s*|\s+(?:and|while|whereas|but)\s+|(?<=[^和而])(?:而|并且|以及)", re.IGNORECASE)
_ASIDE = pattern(r"[(（][^()（）]*[)）]")
_CAPITALISED = pattern(r"(?<![^\W_])[A-Z][^\W_]*(?:[-'’][^\W_]+)*")


class Bearing(StrEnum):
    BORNE_OUT = "borne out"
    CONTRADICTED = "contradicted"
    """The nearest sentence has other numbers, lacks a name, or denies what is claimed."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Place:
    passage: int
    """Position of the passage."""
    span: tuple[int, int] | None = None
    """Offsets in the chunk's text; None for the passage as a whole."""


@dataclass(frozen=True, slots=True)
class ClaimSupport:
    """Judgement of the passages on one sentence of an answer."""

    bearing: Bearing
    places: tuple[Place, ...] = ()
    """Supporting places."""


UNRELATED = ClaimSupport(Bearing.UNKNOWN)


class Evidence:
    """Passages that the sentences of an answer are compared with."""

    def __init__(
        self,
        passages: Sequence[Passage],
        encoder: Embedder | None = None,
        units: Sequence[QuotableSpan] | None = None,
        question: str = "",
    ) -> None:
        """units: of the passages, if already known. question: its numbers and names may be repeated.

        encoder: compares other words and languages; without a semantic one, only the numbers of a sentence in another
        language are compared.
        """
        self.passages = passages
        self._units = list(units_of(passages) if units is None else units)[:MOST_COMPARED]
        self._encoder = encoder if encoder is not None and encoder.semantic else None
        self._vectors: Any = None
        self._question = question
        asked = normal_form(question)
        self._asked_numbers, self._asked_terms = told_numbers(asked), frozenset(content_terms(asked))

    def support(self, claim: str, among: Sequence[int] | None = None) -> ClaimSupport:
        """among: positions of the only passages to be compared."""
        for at, passage in enumerate(self.passages):
            if among is not None and at not in among:
                continue
            if span := verbatim(claim, passage.chunk.text):
                return ClaimSupport(Bearing.BORNE_OUT, (Place(at, span),))
            if verbatim(claim, passage.document_name):
                return ClaimSupport(Bearing.BORNE_OUT, (Place(at),))
        if unit := quoted_unit(claim, (one for one in self._units if among is None or one.passage in among)):
            return ClaimSupport(Bearing.BORNE_OUT, (Place(unit.passage, (unit.start, unit.end)),))
        plain = self._without_documents(claim)
        whole = self._of_whole(plain, among)
        return whole if whole.bearing is Bearing.BORNE_OUT else self._of_parts(plain, among) or whole

    def _of_whole(self, claim: str, among: Sequence[int] | None) -> ClaimSupport:
        here = [at for at, unit in enumerate(self._units) if among is None or unit.passage in among]
        script = is_han(claim if any(map(str.isalpha, claim)) else self._question)  # a number is in none
        own = self._in_own_script(claim, [at for at in here if is_han(self._units[at].text) is script])
        others = [at for at in here if is_han(self._units[at].text) is not script]
        if own.bearing is Bearing.BORNE_OUT or (self._encoder is None and len(others) < len(here)):
            return own
        across = self._in_another_script(claim, others)
        return own if own.bearing is Bearing.CONTRADICTED and across.bearing is Bearing.UNKNOWN else across

    def _of_parts(self, claim: str, among: Sequence[int] | None) -> ClaimSupport | None:
        """Return the support of a sentence of which some passage supports each part by itself; else None."""
        parts = [part for part in _PART.split(claim) if len(content_terms(part)) >= PART]
        if len(parts) < 2:
            return None
        found = [self._of_whole(part, among) for part in parts]
        if any(support.bearing is not Bearing.BORNE_OUT for support in found):
            return None
        return ClaimSupport(Bearing.BORNE_OUT, tuple(dict.fromkeys(place for one in found for place in one.places)))

    def _without_documents(self, claim: str) -> str:
        """Return the claim without names of documents, which say where something stands and not what."""
        for name in {passage.document_name for passage in self.passages}:
            claim = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", claim)
        return claim

    def _in_own_script(self, claim: str, own: Sequence[int]) -> ClaimSupport:
        if not own:
            return UNRELATED
        terms = set(content_terms(claim))
        shares = np.array([_share(terms, self._units[at].terms) for at in own])
        cosines = self._cosines(claim)[own] if shares.max() < SUPPORTED else np.zeros(len(own))
        best = int((shares + COSINE_WEIGHS * cosines).argmax())
        unit, stretch = self._units[own[best]], self._stretch(own[best])
        together = _share(terms, frozenset().union(*(near.terms for near in stretch)))
        is_said = together >= SUPPORTED or bool(cosines[best] >= ALIKE)
        if not is_said and (at := self._with_what_is_new(terms, own)) is not None:
            return self._judged(claim, self._units[at], self._stretch(at), is_said=True)
        return self._judged(claim, unit, [unit] if shares[best] >= SUPPORTED else stretch, is_said)

    def _with_what_is_new(self, terms: set[str], own: Sequence[int]) -> int | None:
        """The unit with most of what a claim says besides the words of the question, and with some of these."""
        new = terms - self._asked_terms
        shares = [_share(new, self._units[at].terms) for at in own]
        best = max(range(len(own)), key=lambda place: shares[place])
        is_of_it = not self._units[own[best]].terms.isdisjoint(terms & self._asked_terms)
        return own[best] if new and is_of_it and shares[best] >= NEW else None

    def _in_another_script(self, claim: str, other: Sequence[int]) -> ClaimSupport:
        """Return the support by meaning."""
        if not other:
            return UNRELATED
        if self._encoder is None:
            return ClaimSupport(Bearing.BORNE_OUT if self._knows_numbers(claim) else Bearing.CONTRADICTED)
        cosines = self._cosines(claim)[other]
        unit = self._units[other[int(cosines.argmax())]]
        return self._judged(claim, unit, [unit], bool(cosines.max() >= SAME_MEANING))

    def _judged(self, claim: str, unit: QuotableSpan, source: Sequence[QuotableSpan], is_said: bool) -> ClaimSupport:
        if not is_said:
            return UNRELATED if self._knows_numbers(claim) else ClaimSupport(Bearing.CONTRADICTED)
        if self._is_contradicted(claim, unit, source):
            return ClaimSupport(Bearing.CONTRADICTED)
        return ClaimSupport(Bearing.BORNE_OUT, (Place(unit.passage, (unit.start, unit.end)),))

    def _knows_numbers(self, claim: str) -> bool:
        """Whether any passage has each of its numbers."""
        whole = normal_form(" ".join(passage.chunk.text for passage in self.passages))
        return written_numbers(normal_form(claim)) <= told_numbers(whole) | self._asked_numbers

    def _is_contradicted(self, claim: str, unit: QuotableSpan, source: Sequence[QuotableSpan]) -> bool:
        passage, told = self.passages[unit.passage], "\n".join(near.text for near in source)
        around = " ".join((told, passage.document_name, *passage.chunk.section))
        if not written_numbers(normal_form(claim)) <= told_numbers(normal_form(around)) | self._asked_numbers:
            return True
        known = frozenset().union(*(near.terms for near in source)) | self._asked_terms
        known |= heading_terms(passage.document_name, passage.chunk)
        if (is_han(claim) or not is_han(told)) and not known.issuperset(_names(claim)):
            return True
        return _denied(claim, unit.text)

    def _stretch(self, at: int) -> list[QuotableSpan]:
        """A unit with its neighbours, because an answer may join two sentences."""
        near = self._units[max(0, at - 1) : at + 2]
        return [unit for unit in near if unit.passage == self._units[at].passage]

    def _cosines(self, claim: str) -> Any:
        """Return the cosine of every unit with the claim; 0 where meanings cannot be compared."""
        if self._encoder is None:
            return np.zeros(len(self._units))
        if self._vectors is None:
            self._vectors = np.asarray(self._encoder.embed([unit.text for unit in self._units]), dtype=np.float32)
        return self._vectors @ np.asarray(self._encoder.embed_query(claim), dtype=np.float32)


def unsupported_sentences(
    answer: str,
    passages: Sequence[Passage],
    units: Sequence[QuotableSpan] | None = None,
    encoder: Embedder | None = None,
    question: str = "",
) -> list[str]:
    """Claims that no passage supports, verbatim; introductions and questions are not claims. Arguments as Evidence."""
    evidence = Evidence(passages, encoder, units, question)
    return [claim for claim in claims(answer) if evidence.support(claim).bearing is not Bearing.BORNE_OUT]


def claims(answer: str) -> list[str]:
    """Sentences that state something; the number of a step within a line, with what introduces it, is no sentence."""
    lines = (_BEFORE.sub("", line).strip() for line in without_measure(without_markers(answer)).splitlines())
    apart = [sentences(line) for line in lines]
    found = [each for of_line in apart for each in of_line if len(of_line) == 1 or not _STEP.fullmatch(each)]
    return [sentence for sentence in found if _claims_something(sentence)]


def _claims_something(sentence: str) -> bool:
    language = chinese_script(sentence) if HAN_CHARACTER.search(sentence) else "en"
    if sentence == text("answer.part.unanswered", language):
        return False
    if introduces(sentence) or sentence.endswith(("?", "？")):
        return False
    return len(content_terms(sentence)) >= 2 or bool(NUMBER.search(sentence))


def _share(terms: set[str], of: frozenset[str]) -> float:
    return len(terms & of) / len(terms) if terms else 1.0


def _names(claim: str) -> frozenset[str]:
    """Terms of its capitalised words, asides left out; the first is a name only where another one follows it."""
    claim = _ASIDE.sub(" ", claim)
    found = list(_CAPITALISED.finditer(claim))
    if found and not claim[: found[0].start()].strip(" \"'“‘(*_"):
        follows = len(found) > 1 and claim[found[0].end() : found[1].start()] == " "
        found = found if follows else found[1:]
    return frozenset(term for match in found for term in content_terms(match.group()))


def _denied(claim: str, told: str) -> bool:
    """Whether a clause of the claim denies what the nearest clause states, or the reverse."""
    if not same_script(claim, told):
        return denies(claim) is not denies(told)
    of_told = [(frozenset(content_terms(clause)), clause) for clause in _CLAUSE.split(told)]
    for clause in _CLAUSE.split(claim):
        terms = set(content_terms(clause))
        share, nearest = max(((_share(terms, own), words) for own, words in of_told), key=lambda it: it[0])
        if terms and (denies(clause) is not denies(nearest) if share >= SAME_CLAUSE else denies(clause) > denies(told)):
            return True
    return False
