"""Evidence of passages for a question, computed once: ranked sentences, quotes, and their probability."""

import re
from collections.abc import Sequence
from functools import cached_property

from core.models.ports import CrossEncoder, Embedder
from core.platform.language.detect import same_script
from core.platform.language.terms import normal_form
from core.rulebook.assessing.answering import (
    ANSWER_THRESHOLD,
    CERTAIN_THRESHOLD,
    CROSS_ENCODER,
    ENCODER,
    MIN_OVERLAP,
    RULE_PROBABILITY,
    SUGGEST_THRESHOLD,
    WORDS,
)
from core.rulebook.assessing.asked_rows import asked_rows
from core.rulebook.assessing.compared_words import compared_words
from core.rulebook.assessing.cues import GIVES_REASON, says_what_it_is
from core.rulebook.assessing.question_terms import EVERY_NAME, QuestionTerms, question_terms_of
from core.rulebook.assessing.quotable_spans import PassageReading, QuotableSpan, Readings, reading_of, units_of
from core.rulebook.assessing.quotes import FAINT, LIKELY, closest_of, quoted_of, raised, shown_of, with_what_is_missing
from core.rulebook.assessing.rejections import SAID, assessment_of
from core.rulebook.assessing.sections import entry_asked, section_named
from core.rulebook.assessing.sentence_features import SentenceFeatures
from core.rulebook.assessing.sentence_ranking import Quote, RankedSentence, ranked_spans
from core.rulebook.assessing.sentence_weighing import RankedSentences, alike, answer_features, candidates_of, weighed
from core.rulebook.assessing.table_extremes import (
    LIKELY_ROWS,
    Beside,
    ComparedTables,
    Extreme,
    nothing_beside,
)
from core.rulebook.assessing.values import value_asked
from core.rulebook.model import Assessment, QuestionKind
from core.rulebook.understanding.questions import (
    asks_of_section,
    asks_why_so,
    kind_of,
    section_words,
)
from core.search.model import Passage

LEAST_WORDS = 3
"""Fewest words of a question why that is answered by one sentence that repeats them all."""


class EvidenceAssessment:
    """Evidence of some passages for one question, computed lazily."""

    parts: tuple["EvidenceAssessment", ...] = ()
    """The evidence for each part of a question that has two."""

    def __init__(
        self,
        question: str,
        passages: Sequence[Passage],
        encoder: Embedder | None,
        readings: Readings | None = None,
        beside: Beside = nothing_beside,
        cross_encoder: CrossEncoder | None = None,
    ) -> None:
        self.question, self.passages = question, tuple(passages)
        self._readings: Readings = {} if readings is None else readings
        self._beside = beside
        self.encoder = encoder if encoder is not None and encoder.semantic else None
        self.cross_encoder = cross_encoder if self.encoder else None

    @cached_property
    def kind(self) -> QuestionKind:
        return kind_of(self.question)

    @cached_property
    def read(self) -> list[PassageReading]:
        """The passages, each cut into units and tokenised."""
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
    def candidates(self) -> list[RankedSentence]:
        """Every sentence and row, the best first."""
        if self.kind.is_about_whole_documents:
            headings = [reading.headings for reading in self.read]
            return ranked_spans(self.kind, self.units, self.passages, headings, self.needs)
        return candidates_of(self.weighed) if self.units else []

    @cached_property
    def weighed(self) -> RankedSentences:
        features = SentenceFeatures(self.question, self.kind, self.units, self.passages, self.read, self.needs)
        return weighed(features, self.encoder, self.cross_encoder)

    @property
    def engine(self) -> str:
        """What gives features, see answering.ENGINES."""
        return CROSS_ENCODER if self.cross_encoder else ENCODER if self.encoder else WORDS

    @cached_property
    def quotes(self) -> list[Quote]:
        """One to six that answer best, in an order that reads well; none where nothing can be quoted."""
        if self.extremes:
            return [quote for extreme in self.extremes for quote in self.rows_of(extreme)]
        if self.reason:
            return [self.reason]
        if self.verbatim:
            return [self.verbatim]
        if self.section:
            return self.section
        shown = shown_of(self.asked_quotes or self.likely_quotes, self.kind)
        if self.kind.is_about_whole_documents or not shown:
            return shown
        telling = [unit for unit, tells in zip(self.units, self.weighed.features.tells, strict=True) if tells]
        return with_what_is_missing(shown, self.units, self.needs, telling)

    @cached_property
    def likely_quotes(self) -> list[Quote]:
        """The quotes for which the probability was fitted."""
        return quoted_of(self.question, self.kind, self.candidates, self.units, self.passages)

    @cached_property
    def asked_quotes(self) -> list[Quote]:
        """The likely quotes without rows of a table that have not what is asked."""
        return asked_rows(self.question, self.likely_quotes, self.units, self.passages)

    def rows_of(self, extreme: Extreme) -> list[Quote]:
        quoted = {candidate.unit: candidate.quote for candidate in self.candidates}
        return [quoted[row] for row in extreme.rows]

    @cached_property
    def extremes(self) -> tuple[Extreme, ...]:
        """The rows with the extreme number of a column, if asked for and if a likely row is of the table."""
        if not compared_words(self.question) or self.kind.is_about_whole_documents:
            return ()
        told = [reading.headings | reading.terms for reading in self.read]
        tables = ComparedTables(self.question, self.units, self.passages, told, self._beside, self._readings)
        likeliest = [candidate.unit for candidate in self.candidates[:LIKELY_ROWS]]
        return tables.compared(likeliest, [one.unit for one in self.candidates if one.quote.is_row])

    @cached_property
    def section(self) -> list[Quote]:
        """The beginning of the section whose heading the question names, else of the entry with this question."""
        is_asked = asks_of_section(self.question) or self.kind is QuestionKind.OVERVIEW
        named = section_named(section_words(self.question), self.units) if is_asked else []
        return named or entry_asked(self.question, self.units)

    @cached_property
    def reason(self) -> Quote | None:
        """The sentence that gives the reason of an answer, where nothing else is asked; a row of a table gives none."""
        if not asks_why_so(self.question):
            return None
        quotes = (one.quote for one in self.candidates)
        told = (quote for quote in quotes if not quote.is_row and GIVES_REASON.search(quote.text))
        above = [reading.headings for reading in self.read]
        said = (quote for quote in told if self.needs.coverage(quote.terms, above[quote.passage]) >= SAID)
        return next(said, None)

    @cached_property
    def verbatim(self) -> Quote | None:
        """The one sentence that gives a reason and has every word of a question why."""
        if self.kind is not QuestionKind.WHY or len(self.needs.weights) < LEAST_WORDS:
            return None
        reasons = [one.quote for one in self.candidates if one.quote.tells and not one.quote.is_row]
        found = [each for each in reasons if all(word.credit(each.terms) == 1 for word, _ in self.needs.weights)]
        return found[0] if len(found) == 1 else None

    @cached_property
    def value(self) -> str:
        """The value asked for; "" unless the best quote has exactly one, and is not one row of several."""
        best = max(self.quotes, key=lambda quote: quote.score, default=None)
        if (
            best is None
            or self.probability < CERTAIN_THRESHOLD
            or self.reason
            or (best.is_row and sum(quote.is_row for quote in self.quotes) > 1)
        ):
            return ""
        return value_asked(self.question, self.kind, best)

    @property
    def probability(self) -> float:
        """0..1: that the quotes answer the question."""
        return self.assessment.probability

    @property
    def is_answered(self) -> bool:
        """Whether the quotes are likely enough to be shown as an answer."""
        return self.probability >= ANSWER_THRESHOLD

    @property
    def is_found_by_rule(self) -> bool:
        """Whether a rule found the quotes, whose probability no model gives."""
        return self.probability >= RULE_PROBABILITY

    @property
    def is_probable(self) -> bool:
        """Whether the quotes are an answer, but one that is right less often than a certain one."""
        return ANSWER_THRESHOLD <= self.probability < CERTAIN_THRESHOLD

    @cached_property
    def assessment(self) -> Assessment:
        return assessment_of(self)

    @cached_property
    def is_told_in_own_language(self) -> bool:
        """Whether the best sentence is in another language, and a passage in the question's has all its names.

        Likelihoods of sentences in two languages cannot be compared reliably.
        """
        best = self.candidates[0].quote if self.candidates else None
        if not best or self._is_own(best.text) or not any(word.is_name for word, _ in self.needs.weights):
            return False
        own = (terms for terms, it in zip(self.texts, self.passages, strict=True) if self._is_own(it.chunk.text))
        return any(self.needs.spoken(terms).names >= EVERY_NAME for terms in own)

    def _is_own(self, text: str) -> bool:
        return same_script(self.question, text)

    @property
    def may_answer(self) -> bool:
        """Whether the quotes are likely enough to be shown as the closest passages."""
        if self.probability < SUGGEST_THRESHOLD or not self.units:
            return False
        return self.is_answered or max(self.features.get(name, 0.0) for name in _OVERLAPS) >= MIN_OVERLAP

    @cached_property
    def closest(self) -> list[Quote]:
        """The closest quotes, if none answers for certain."""
        candidates = self.candidates
        if self.is_told_in_own_language:
            candidates = raised(candidates, [self._is_own(candidate.quote.text) for candidate in candidates])
        return closest_of(candidates, self.passages, self.needs.terms)

    def likely_quotes_in(self, passage: int, most: int) -> list[Quote]:
        """Return the likeliest sentences of a passage, given by its position."""
        likely = [one.quote for one in self.candidates if one.quote.passage == passage and one.quote.score >= FAINT]
        return [quote for quote in likely[:most] if quote.score >= LIKELY * likely[0].score]

    def quotes_naming(self, names: Sequence[str]) -> list[tuple[str, Quote]]:
        """Return the first sentence or row that has each name; names that no passage has are left out."""
        found = []
        for name in names:
            unit = next((unit for unit in self.units if name.casefold() in unit.text.casefold()), None)
            if unit:
                found.append((name, Quote(unit.passage, unit.start, unit.end, unit.text, 1.0, terms=unit.terms)))
        return found

    def says_what_is(self, name: str) -> bool:
        """Return whether a quote says who or what bears the name, as a label does that has no other: "Manager: Ann"."""
        told = [normal_form(quote.text) for quote in self.quotes]
        label = re.compile(rf"\w[:：]\s*{re.escape(normal_form(name))}\s*(?:[。；;.]|$)")
        return any(says_what_it_is(one, name) or label.search(one) for one in told)

    def cosines(self, texts: Sequence[str]) -> list[float]:
        """Return the cosine of each text with the question; empty without an encoder."""
        if self.encoder is None or not texts:
            return []
        question = self.encoder.embed_query(self.question)
        cosines: list[float] = alike(texts, range(len(texts)), self.encoder, question).tolist()
        return cosines

    @cached_property
    def features(self) -> dict[str, float]:
        """Features of the quotes by name, each about 0..1; see answering.json."""
        return answer_features(self.weighed, self.likely_quotes)


_OVERLAPS = (
    "words with neighbours",
    "words in meaning",
    "alike, across languages",
    "words around in meaning, across languages",
)
