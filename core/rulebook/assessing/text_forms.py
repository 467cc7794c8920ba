"""Features, about 0..1, of the form of a text as an answer to a question, independent of its context."""

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from core.documents.model import CELL_BREAK
from core.platform.language.numbers import NUMBER, YEAR
from core.platform.language.terms import content_terms, normal_form
from core.rulebook.assessing.answer_types import matcher_for
from core.rulebook.assessing.cues import defines
from core.rulebook.assessing.question_terms import question_terms_of
from core.rulebook.assessing.quotable_spans import ENDS, QuotableSpan, Shape
from core.rulebook.assessing.sentence_ranking import LEANING, subject_of
from core.rulebook.assessing.wording import denies_otherwise
from core.rulebook.model import QuestionKind

_CHANGES = (
    r"(?:\b(?:increas|decreas|reduc|rais|rose|risen|rise|grew|grow|fell|fall|gain|lost|declin|drop|improv|cut)\w*\b"
    r"|\b(?:up|down|higher|lower|more|less)\b)"
)
_ZH_CHANGES = r"(?:增长|增加|新增|上升|下降|减少|降低|提高|上调|下调|同比|环比)"
_CHANGE = re.compile(f"{_CHANGES}|{_ZH_CHANGES}", re.IGNORECASE)
_AMOUNT_OF_CHANGE = re.compile(
    rf"{_CHANGES}[^.;]{{0,40}}?\b(?:by|of)\s+\D{{0,12}}{NUMBER.pattern}|{_ZH_CHANGES}[^\d至到为]{{0,6}}?{NUMBER.pattern}",
    re.IGNORECASE,
)
"""A number that says by how much, not how much there is now."""
QUESTIONS = 16
"""Number of questions cached: as many as are answered at a time."""


class TextForm(NamedTuple):
    features: Mapping[str, float]
    tells: bool
    """Whether the text has what is asked for, if that has a recognisable form."""


class TextForms:
    """Forms of texts for one question, cached because every search for a question finds most of its passages again."""

    def __init__(self, question: str, kind: QuestionKind) -> None:
        self._question = question
        self._matcher = matcher_for(question, kind)
        self._terms = question_terms_of(question).terms
        self._asks_for_a_change = _CHANGE.search(question) is not None
        self._subject = subject_of(question) if kind is QuestionKind.DEFINITION else ""
        self._known: dict[tuple[str, Shape], TextForm] = {}

    def of(self, unit: QuotableSpan) -> TextForm:
        key = unit.text, unit.shape
        if key not in self._known:
            self._known[key] = self._read(unit)
        return self._known[key]

    def _read(self, unit: QuotableSpan) -> TextForm:
        tells = self._matcher is not None and self._matcher(normal_form(unit.text))
        return TextForm(self._features(unit, tells), tells)

    def _features(self, unit: QuotableSpan, tells: bool) -> dict[str, float]:
        text = unit.text
        found = {
            "new words": 1 - len(self._terms & unit.terms) / max(1, len(unit.terms)),
            "length": min(1.0, math.log1p(len(text)) / 6.5),
            "row": float(unit.shape is Shape.ROW),
            "line": float(unit.shape is Shape.LINE),
            "breaks off": float(unit.shape is Shape.SENTENCE and not ENDS.search(text)),
            "introduces": float(text.rstrip().endswith((":", "："))),
            "leans": float(LEANING.search(text) is not None),
            "denies otherwise": float(denies_otherwise(self._question, text)),
            "tells no more than a change": float(not self._asks_for_a_change and _tells_no_level(text)),
            "tells no change": float(self._asks_for_a_change and not _CHANGE.search(text)),
            "defines": self._defines(text),
            "labelled": self._labelled(unit),
            "columns": self._named_columns(unit),
        }
        if self._matcher:
            found["tells" if tells else "does not tell"] = 1.0
        return found

    def _defines(self, text: str) -> float:
        plain = normal_form(text) if self._subject else ""
        return defines(plain, self._subject) if self._subject.casefold() in plain.casefold() else 0.0

    def _labelled(self, unit: QuotableSpan) -> float:
        if unit.shape is not Shape.ROW:
            return 0.0
        label = content_terms(unit.text.split("; ")[0].split(CELL_BREAK)[0])
        return len(self._terms.intersection(label)) / len(label) if label else 0.0

    def _named_columns(self, unit: QuotableSpan) -> float:
        """The greatest share of a column's name in the question."""
        if unit.shape is not Shape.ROW:
            return 0.0
        cells = [cell.partition(": ") for cell in unit.text.split("; ")]
        named = [content_terms(name) for name, colon, _ in cells if colon][1:]
        return max((len(self._terms.intersection(name)) / len(name) for name in named if name), default=0.0)


@lru_cache(QUESTIONS)
def forms_of(question: str, kind: QuestionKind) -> TextForms:
    return TextForms(question, kind)


def _tells_no_level(text: str) -> bool:
    """Whether all numbers of the text, apart from years, are amounts of change."""
    if NUMBER.search(text) is None:
        return False
    amounts = [NUMBER.findall(match.group())[-1] for match in _AMOUNT_OF_CHANGE.finditer(text)]
    if not amounts or any(map(YEAR.fullmatch, amounts)):
        return False
    return all(map(YEAR.fullmatch, NUMBER.findall(_AMOUNT_OF_CHANGE.sub("", text))))
