"""Named features, each about 0..1, of every sentence and row as an answer to a question."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from core.platform.language.detect import same_script
from core.platform.language.numbers import NUMBER
from core.platform.language.terms import content_terms
from core.rulebook.assessing.question_terms import QuestionTerms, question_terms_of
from core.rulebook.assessing.quotable_spans import PassageReading, QuotableSpan, Shape
from core.rulebook.assessing.sentence_ranking import leans_on
from core.rulebook.assessing.text_forms import forms_of
from core.rulebook.assessing.word_meanings import SaidInMeaning
from core.rulebook.model import QuestionKind
from core.search.model import Passage

MOST_ODDS = 10.0
"""Log odds of a cross-encoder beyond which it is as good as certain."""
Matrix = Any
"""A numpy array."""


class SentenceFeatures:
    """Features of the units of some passages for one question; those of meaning are added later."""

    def __init__(
        self,
        question: str,
        kind: QuestionKind,
        units: Sequence[QuotableSpan],
        passages: Sequence[Passage],
        read: Sequence[PassageReading],
        needs: QuestionTerms,
    ) -> None:
        self.question, self.kind, self.units, self.passages = question, kind, units, passages
        self.read, self.needs = read, needs
        self._words = [word for word, _ in needs.weights]
        self._at = np.array([unit.passage for unit in units])
        foreign = np.array([not same_script(question, passage.chunk.text) for passage in passages], dtype=bool)
        self.across: Matrix = foreign[self._at]
        """Whether each unit is in another script than the question, whose words then say little about it."""
        self.columns: dict[str, Matrix] = self._by_words() | self._of_places() | self._of_forms()

    def add_meaning(self, alike: Matrix, alike_above: Matrix, said: SaidInMeaning) -> None:
        """Add the cosines of the question with each unit, and with the heading right above it; NaN if not compared."""
        known, above = _filled(alike), _filled(alike_above)
        before, after = self._neighbours(known)
        columns = {
            "alike": known,
            "alike beside the best": known - known.max(),
            "alike before or after": np.maximum(before, after),
            "alike right above": above,
            "alike right above beside the best": above - above.max(),
            "words in meaning": _filled(said.own),
            "most missing in meaning": 1.0 - _filled(1.0 - said.most_missing),
        }
        around = _filled(said.around)
        only_across = {
            "words around in meaning": around,
            "words around in meaning beside the best": around - around.max(),
            "most missing around in meaning": 1.0 - _filled(1.0 - said.most_missing_around),
        }
        for name, column in columns.items():
            self.columns[name] = np.where(self.across, 0.0, column)
        for name, column in (columns | only_across).items():
            self.columns[f"{name}, across languages"] = np.where(self.across, column, 0.0)

    def add_reading(self, read: Matrix) -> None:
        """Add the log odds of each unit by a cross-encoder; NaN if not read."""
        known = np.clip(_filled(read), -MOST_ODDS, MOST_ODDS) / MOST_ODDS
        self.columns |= {"read": known, "read beside the best": known - known.max()}

    def _by_words(self) -> dict[str, Matrix]:
        units = self.units
        among_passages = np.array([weight for _, weight in self.needs.weights])
        rarity = question_terms_of(self.question, [unit.terms for unit in units])
        among_units = np.array([weight for _, weight in rarity.weights])
        is_name = np.array([word.is_name for word in self._words], dtype=bool)
        own = self._credits([self._terms(place) for place in range(len(units))])
        right_above = self._credits([_terms_of(unit.under) for unit in units])
        above = np.maximum(self._credits([read.headings for read in self.read])[self._at], right_above)
        passage = self._credits([read.terms for read in self.read])[self._at]
        before, after = self._neighbours(own)
        before = np.where(self._is(Shape.ROW)[:, None], np.maximum(before, self._captions(own)), before)
        headed = np.maximum(own, 0.8 * above)
        around = np.maximum(headed, 0.6 * np.maximum(before, after))
        columns = {
            "own words": _share(own, among_passages),
            "own rare words": _share(own, among_units),
            "words with heading": _share(headed, among_units),
            "words with neighbours": _share(around, among_units),
            "words of the passage": _share(passage, among_passages),
            "words of the heading": _share(above, among_passages),
            "words right above": _share(right_above, among_units),
            "words right above are of the question": np.array([self._of_question(unit.under) for unit in units]),
            "first under its heading": np.array([bool(unit.under) / (1 + unit.after) for unit in units]),
            "under a question": np.array([float(unit.under.endswith(("?", "？"))) for unit in units]),
            "words before": _share(before, among_units),
            "names": _share(own, among_passages * is_name),
            "names with heading": _share(headed, among_passages * is_name),
            "own words that are no names": _share(own, among_units * ~is_name),
            "words that are no names": _share(around, among_units * ~is_name),
            "names of the passage": _share(np.maximum(passage, above), among_passages * is_name),
            "most missing": _most(1 - headed, among_units),
            "most missing around": _most(1 - around, among_units),
            "most missing in the passage": _most(1 - np.maximum(passage, above), among_passages),
        }
        columns["nothing but names"] = (columns["words that are no names"] == 0) * float(bool((~is_name).any()))
        columns["first under the question"] = (
            columns["words right above"]
            * columns["words right above are of the question"]
            * columns["first under its heading"]
        )
        for name in ("own rare words", "words with heading", "words with neighbours", "words right above"):
            columns[f"{name} beside the best"] = columns[name] - columns[name].max()
        kept = {name: np.where(self.across, 0.0, column) for name, column in columns.items()}
        for name in ("own words", "names with heading", "words of the passage", "most missing in the passage"):
            kept[f"{name}, across languages"] = np.where(self.across, columns[name], 0.0)
        return kept | {"another language": self.across.astype(float)}

    def _of_question(self, under: str) -> float:
        """The share of the heading's words that the question has."""
        terms = _terms_of(under)
        return len(terms & self.needs.terms) / len(terms) if terms else 0.0

    def _terms(self, place: int) -> frozenset[str]:
        """Return the terms of the unit, with those of the sentence before if it leans on that."""
        before = leans_on(self.units, place)
        return self.units[place].terms | before.terms if before else self.units[place].terms

    def _of_places(self) -> dict[str, Matrix]:
        scores = np.array([passage.score for passage in self.passages])
        documents = [passage.chunk.document_id for passage in self.passages]
        first = np.array([document == documents[0] for document in documents], dtype=float)
        return {
            "score of the passage": scores[self._at],
            "score beside the best": scores[self._at] - scores.max(),
            "document of the best passage": first[self._at],
            "above a table": self._neighbours(self._is(Shape.ROW).astype(float))[1] * ~self._is(Shape.ROW),
        }

    def _of_forms(self) -> dict[str, Matrix]:
        forms = forms_of(self.question, self.kind)
        found = [forms.of(unit) for unit in self.units]
        self.tells = [form.tells for form in found]
        rows = [{**form.features, **self._of_numbers(unit)} for unit, form in zip(self.units, found, strict=True)]
        names = list(dict.fromkeys(name for row in rows for name in row))
        return {name: np.array([row.get(name, 0.0) for row in rows]) for name in names}

    def _of_numbers(self, unit: QuotableSpan) -> dict[str, float]:
        """Return features by which text around the unit has the numbers of the question."""
        if not self._numbers:
            return {}
        own = NUMBER.findall(unit.text)
        return {
            "a number is missing": float(not self._numbers <= self._numbers_above[unit.passage].union(own)),
            "a number is missing in the passage": float(not self._numbers <= self._numbers_of[unit.passage]),
        }

    @cached_property
    def _numbers(self) -> set[str]:
        return set(NUMBER.findall(self.question))

    @cached_property
    def _numbers_above(self) -> list[set[str]]:
        """The numbers in the headings above each passage."""
        above = (" ".join([passage.document_name, *passage.chunk.section]) for passage in self.passages)
        return [set(NUMBER.findall(text)) for text in above]

    @cached_property
    def _numbers_of(self) -> list[set[str]]:
        """The numbers in each passage and its headings."""
        read = zip(self._numbers_above, self.passages, strict=True)
        return [above.union(NUMBER.findall(passage.chunk.text)) for above, passage in read]

    def _is(self, shape: Shape) -> Matrix:
        return np.array([unit.shape is shape for unit in self.units])

    def _credits(self, texts: Sequence[frozenset[str]]) -> Matrix:
        """Return the credit of each text (rows) for each word of the question."""
        known = [self.needs.terms & text for text in texts]
        rows = [[word.credit(text) for word in self._words] for text in known]
        return np.array(rows).reshape(len(texts), len(self._words))

    def _neighbours(self, values: Matrix) -> tuple[Matrix, Matrix]:
        """Return the credits of the unit before and after in the same passage, else zeros."""
        before, after = np.zeros_like(values), np.zeros_like(values)
        same = self._at[1:] == self._at[:-1]
        before[1:][same] = values[:-1][same]
        after[:-1][same] = values[1:][same]
        return before, after

    def _captions(self, values: Matrix) -> Matrix:
        """Return the credits of the last unit above in the same passage that is no row."""
        found = np.zeros_like(values)
        last, passage = None, -1
        for place, unit in enumerate(self.units):
            if unit.passage != passage:
                last, passage = None, unit.passage
            if unit.shape is not Shape.ROW:
                last = place
            elif last is not None:
                found[place] = values[last]
        return found


@lru_cache(1_000)
def _terms_of(heading: str) -> frozenset[str]:
    return frozenset(content_terms(heading))


def _filled(values: Matrix) -> Matrix:
    """Return the column with its least known value in place of unknown ones."""
    unknown = np.isnan(values)
    return np.where(unknown, 0.0 if unknown.all() else np.nanmin(values), values)


def _most(missing: Matrix, weights: Matrix) -> Matrix:
    """The weight of the weightiest missing word, relative to the weightiest of all."""
    return (missing * weights).max(axis=1, initial=0.0) / weights.max() if len(weights) else np.zeros(len(missing))


def _share(credits: Matrix, weights: Matrix) -> Matrix:
    total = weights.sum()
    return credits @ weights / total if total else np.ones(len(credits))
