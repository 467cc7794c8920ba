"""Evidence of passages for a question, computed once: ranked sentences, quotes, and their probability."""

import re
from collections.abc import Sequence
from functools import cached_property

from core.models.ports import Embedder
from core.platform.language.detect import same_script
from core.platform.language.terms import content_terms, normal_form
from core.rulebook.assessing.answering import (
    ANSWER_THRESHOLD,
    CERTAIN_THRESHOLD,
    MIN_OVERLAP,
    RULE_PROBABILITY,
    SUGGEST_THRESHOLD,
    VETO_CAP,
    probability,
)
from core.rulebook.assessing.compared_tables import LIKELY_ROWS, Beside, ComparedTables, nothing_beside
from core.rulebook.assessing.objections import is_headed_by, objections
from core.rulebook.assessing.question_terms import QuestionTerms, TermCoverage, question_terms_of
from core.rulebook.assessing.quotable_spans import PassageReading, QuotableSpan, Readings, reading_of, units_of
from core.rulebook.assessing.quotes import closest_of, quoted_of, raised, shown_of, with_what_is_missing
from core.rulebook.assessing.reasons import reason_among
from core.rulebook.assessing.sections import entry_asked, section_named
from core.rulebook.assessing.sentence_features import SentenceFeatures
from core.rulebook.assessing.sentence_ranking import Quote, RankedSentence, ranked_spans
from core.rulebook.assessing.sentence_weighing import RankedSentences, answer_features, candidates_of, weighed
from core.rulebook.assessing.table_extremes import Extreme, extreme_words
from core.rulebook.assessing.values import value_asked
from core.rulebook.assessing.vetoes import vetoes
from core.rulebook.model import Assessment, AssessmentReason, QuestionKind
from core.rulebook.understanding.questions import (
    WORK,
    asks_of_section,
    asks_why_so,
    kind_of,
    part_asked,
    section_words,
    work_asked,
    works_named,
)
from core.search.model import Passage

EVERY_NAME = 0.99
LEAST_WORDS = 3
"""Of a question that a sentence repeats."""


class EvidenceAssessment:
    """Evidence of some passages for one question, computed lazily."""

    def __init__(
        self,
        question: str,
        passages: Sequence[Passage],
        encoder: Embedder | None,
        readings: Readings | None = None,
        beside: Beside = nothing_beside,
    ) -> None:
        self.question, self.passages = question, tuple(passages)
        self._readings: Readings = {} if readings is None else readings
        self._beside = beside
        self.encoder = encoder if encoder is not None and encoder.semantic else None

    @cached_property
    def kind(self) -> QuestionKind:
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
    def candidates(self) -> list[RankedSentence]:
        """Every sentence and row, the best first."""
        if self.kind.is_about_whole_documents:
            headings = [reading.headings for reading in self.read]
            return ranked_spans(self.kind, self.units, self.passages, headings, self.needs)
        return candidates_of(self._weighed) if self.units else []

    @cached_property
    def _weighed(self) -> RankedSentences:
        features = SentenceFeatures(self.question, self.kind, self.units, self.passages, self.read, self.needs)
        return weighed(features, self.encoder)

    @cached_property
    def quotes(self) -> list[Quote]:
        """One to six that answer best, in an order that reads well; none where nothing can be quoted."""
        if self.extremes:
            return [quote for extreme in self.extremes for quote in self.rows_of(extreme)]
        if self._reason:
            return [self._reason]
        if self._verbatim:
            return [self._verbatim]
        if self._section:
            return self._section
        shown = shown_of(self._likely_quotes, self.kind)
        return shown if self.kind.is_about_whole_documents else with_what_is_missing(shown, self.units, self.needs)

    @cached_property
    def _likely_quotes(self) -> list[Quote]:
        """Of which the probability was taught."""
        return quoted_of(self.question, self.kind, self.candidates, self.units, self.passages)

    def rows_of(self, extreme: Extreme) -> list[Quote]:
        quoted = {candidate.unit: candidate.quote for candidate in self.candidates}
        return [quoted[row] for row in extreme.rows]

    @cached_property
    def extremes(self) -> tuple[Extreme, ...]:
        """Where the question asks for the least or greatest number of a column, and a likely row is of its table."""
        if not extreme_words(self.question) or self.kind.is_about_whole_documents:
            return ()
        told = [reading.headings | reading.terms for reading in self.read]
        tables = ComparedTables(self.question, self.units, self.passages, told, self._beside, self._readings)
        likeliest = [candidate.unit for candidate in self.candidates[:LIKELY_ROWS]]
        return tables.compared(likeliest, [one.unit for one in self.candidates if one.quote.is_row])

    @cached_property
    def _section(self) -> list[Quote]:
        """How the section begins that the question asks for by its heading; else the entry that has this question."""
        is_asked = asks_of_section(self.question) or self.kind is QuestionKind.OVERVIEW
        named = section_named(section_words(self.question), self.units) if is_asked else []
        return named or entry_asked(self.question, self.units)

    @cached_property
    def _reason(self) -> Quote | None:
        """Where nothing but the reason of an answer is asked."""
        asked = asks_why_so(self.question)
        return reason_among([candidate.quote for candidate in self.candidates], self.needs) if asked else None

    @cached_property
    def _verbatim(self) -> Quote | None:
        """The one sentence that gives a reason and has every word of a question why."""
        if self.kind is not QuestionKind.WHY or len(self.needs.weights) < LEAST_WORDS:
            return None
        reasons = [one.quote for one in self.candidates if one.quote.tells and not one.quote.is_row]
        found = [each for each in reasons if all(word.credit(each.terms) == 1 for word, _ in self.needs.weights)]
        return found[0] if len(found) == 1 else None

    @cached_property
    def value(self) -> str:
        """What was asked for, where the best quote tells one such thing only, and is not one row of several."""
        best = max(self.quotes, key=lambda quote: quote.score)
        if (
            self.probability < CERTAIN_THRESHOLD
            or self._reason
            or (best.is_row and sum(quote.is_row for quote in self.quotes) > 1)
        ):
            return ""
        return value_asked(self.question, self.kind, best)

    @property
    def probability(self) -> float:
        """0..1: that the quotes answer the question."""
        return self.assessment.probability

    @property
    def is_probable(self) -> bool:
        """Whether it answers, but is right less often than what is certain."""
        return ANSWER_THRESHOLD <= self.probability < CERTAIN_THRESHOLD

    @cached_property
    def assessment(self) -> Assessment:
        if not self.quotes:
            return Assessment(
                0.0, ANSWER_THRESHOLD, (AssessmentReason.named("nothing_quotable" if self.passages else "no_passages"),)
            )
        if self._section:
            return Assessment(RULE_PROBABILITY, ANSWER_THRESHOLD)
        if self.kind.is_about_whole_documents and not self._is_of_the_work_asked:
            return Assessment(VETO_CAP, ANSWER_THRESHOLD, (AssessmentReason.named("another_work"),))
        if self.kind is QuestionKind.AUTHORS and self.needs.spoken(self._told_of_work).names < EVERY_NAME:
            return Assessment(VETO_CAP, ANSWER_THRESHOLD, (AssessmentReason.named("another_byline"),))
        if self._is_found_by_rule:
            return Assessment(RULE_PROBABILITY, ANSWER_THRESHOLD)
        given = probability(self.features, self.encoder is not None)
        against = tuple(vetoes(self, given))
        if given < ANSWER_THRESHOLD:
            low = AssessmentReason.below("low", given, ANSWER_THRESHOLD)
            against = (*against, *objections(self._weighed.features, self._likely_quotes).values(), low)
        return Assessment(min(given, VETO_CAP) if against else given, ANSWER_THRESHOLD, against)

    @property
    def _is_found_by_rule(self) -> bool:
        return bool(
            self.kind is QuestionKind.AUTHORS
            or (self._asks_for_all_there_is and self._together.names >= _NAMES_NEEDED[self.kind])
            or self.extremes
            or self._reason
            or self._verbatim
            or any(is_headed_by(self.passages[quote.passage], self.question) for quote in self.quotes)
        )

    @cached_property
    def is_told_in_own_language(self) -> bool:
        """The best sentence is in another language than the question, and a passage in that has all of its names.

        Of two languages no sentence is surely the likelier one.
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
        """Not surely, but near enough to be shown as what comes closest."""
        if self.probability < SUGGEST_THRESHOLD or not self.units:
            return False
        return (
            self.probability >= ANSWER_THRESHOLD
            or max(self.features.get(name, 0.0) for name in _OVERLAPS) >= MIN_OVERLAP
        )

    @cached_property
    def closest(self) -> list[Quote]:
        """What comes closest where nothing surely answers."""
        candidates = self.candidates
        if self.is_told_in_own_language:
            candidates = raised(candidates, [self._is_own(candidate.quote.text) for candidate in candidates])
        return closest_of(candidates, self.passages, self.needs.terms)

    @cached_property
    def features(self) -> dict[str, float]:
        """What speaks for and against the quotes, by name, each about 0..1; see answering.json."""
        return answer_features(self._weighed, self._likely_quotes)

    @cached_property
    def _together(self) -> TermCoverage:
        own = frozenset(term for quote in self.quotes for term in quote.terms)
        return self.needs.spoken(own, frozenset(term for quote in self.quotes for term in self.texts[quote.passage]))

    @property
    def _asks_for_all_there_is(self) -> bool:
        """About what the question names, and for nothing in particular."""
        if self.kind not in _NAMES_NEEDED:
            return False
        return self.kind.is_about_whole_documents or (
            not self.needs.nothing and all(word.is_name for word, _ in self.needs.weights)
        )

    @property
    def _is_of_the_work_asked(self) -> bool:
        """Whether the quoted documents have the words for the work, "flood" of "the flood manual", and its numbers."""
        asked, part = work_asked(self.question), part_asked(self.question)
        if part:
            return self._is_of_part(part) and self._told_of_work.issuperset(asked)
        return self._told_of_work.issuperset(asked) and self._has_the_words_of_the_work

    @property
    def _has_the_words_of_the_work(self) -> bool:
        """Whether most of a summary's subject stands in the quoted documents or in their names."""
        if self.kind is not QuestionKind.OVERVIEW or works_named(self.question):
            return True
        words = [one for one in self.needs.weights if not any(map(WORK.fullmatch, one[0].terms))]
        found = sum(weight * word.credit(self._told_of_work) for word, weight in words)
        return found >= _WORDS_OF_WORK * sum(weight for _, weight in words)

    def _is_of_part(self, number: str) -> bool:
        """Whether every quote stands under a heading with the number."""
        bears = re.compile(
            rf"(?<![\w.]){re.escape(number)}(?!\w|\.\d)|第\s*{re.escape(number)}\s*[章节部条]", re.IGNORECASE
        )
        headings = (self.passages[quote.passage].chunk.section for quote in self.quotes)
        return all(any(bears.search(normal_form(heading)) for heading in section) for section in headings)

    @cached_property
    def _told_of_work(self) -> frozenset[str]:
        """Terms of the byline's passage, or of all passages of the documents that are quoted, and of their names."""
        places = {quote.passage for quote in self.quotes}
        if self.kind is not QuestionKind.AUTHORS:
            quoted = {self.passages[place].chunk.document_id for place in places}
            places = {place for place, it in enumerate(self.passages) if it.chunk.document_id in quoted}
        names = (content_terms(self.passages[place].document_name) for place in places)
        return frozenset().union(*(self.texts[place] for place in places), *names)


_WORDS_OF_WORK = 0.5
"""Least share of the question's own words in a document that it asks for a summary of."""
_OVERLAPS = (
    "words with neighbours",
    "words in meaning",
    "alike, across languages",
    "words around in meaning, across languages",
)
_NAMES_NEEDED = {QuestionKind.AUTHORS: 0.5, QuestionKind.OVERVIEW: 0.5, QuestionKind.RELATION: 0.99}
"""Of questions that ask for all there is about what they name: any quote that speaks of it is an answer."""
