"""The rows with the least or greatest number in the column that a question names, of one table in each document."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.documents.model import Chunk
from core.platform.language.numbers import NUMBER, YEAR
from core.platform.language.patterns import pattern
from core.platform.language.terms import content_terms, normal_form
from core.rulebook.assessing.compared_words import (
    compared_words,
    comparing_words,
    direction_of,
    extreme_words,
    has_unit_of,
    is_named_for,
    property_of,
    without_verb_of_time,
)
from core.rulebook.assessing.question_terms import EVERY_NAME, question_terms_of
from core.rulebook.assessing.quotable_spans import QuotableSpan, Readings, Shape, table_row, units_of
from core.rulebook.assessing.values import UNIT, with_unit
from core.search.model import Passage

_OF_A_LENGTH = frozenset({"longest", "shortest", "最长", "最短"})
"""In a column of years the least may be the longest time or the shortest: it is not known which."""
_OF_A_NOUN = ("most", "least")
"""They count with a noun alone: "most false alarms", not "most reliable"."""
_NUMBER = pattern(r"([-–(]?)[$€£¥]?\s?([-–]?)(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\)?\s?(?:%|[a-zµ]{1,3})?")
NAMED = 0.5
"""Least share of a column's name in the question."""
TOLD = 0.65
"""Least share of the question's other words in the passage and its headings."""
TOLD_OF_PROPERTY = 0.5
"""The same where the word itself says what is compared, as "cheapest" does."""
MOST_ROWS = 2
"""Most rows that may share the extreme number; more of them are no answer."""
TOTAL = 0.005
"""Relative deviation from the sum of all other numbers up to which a number is their total."""
LIKELY_ROWS = 5
"""Best candidates among which a row of the table is looked for that a question for an extreme is about."""
Beside = Callable[[Chunk], Sequence[Chunk]]
"""The chunks before and after one in its document."""


@dataclass(frozen=True, slots=True)
class Extreme:
    rows: tuple[QuotableSpan, ...]
    value: str
    """The names of the rows and the number: "L5: 5 min"."""
    columns: tuple[str, ...] = ()
    column: str = ""
    """Name of the column whose numbers are compared."""


@dataclass(frozen=True, slots=True)
class _Row:
    unit: QuotableSpan
    columns: tuple[str, ...]
    cells: tuple[str, ...]


def nothing_beside(chunk: Chunk) -> Sequence[Chunk]:
    """No chunks, for passages whose document cannot be read."""
    del chunk
    return ()


@dataclass(frozen=True, slots=True)
class ComparedTables:
    """Tables of some passages, compared for one question."""

    question: str
    units: Sequence[QuotableSpan]
    passages: Sequence[Passage]
    told: Sequence[frozenset[str]]
    """Terms of each passage and its headings."""
    beside: Beside
    readings: Readings

    def compared(self, likeliest: Sequence[QuotableSpan], rows: Sequence[QuotableSpan]) -> tuple[Extreme, ...]:
        """likeliest: units, of which the first row determines the table; rows: all rows, likeliest first.

        A word that itself says what is compared finds the first table that has it.
        """
        tried = [unit for unit in likeliest if unit in rows][:1]
        if any(property_of(word, self.question) for word in compared_words(self.question)):
            tried = [row for at, row in enumerate(rows) if row.passage not in {one.passage for one in rows[:at]}]
        best = next(filter(None, map(self._beside, tried)), None)
        return (best, *self._elsewhere(best, rows)) if best else ()

    def _beside(self, row: QuotableSpan) -> Extreme | None:
        """Return the extreme of the row's table; None if the table continues in the passage before or after."""
        found = _extreme_of(self.question, row, self.units, self.passages, self.told[row.passage])
        if found is None:
            return None
        passage = self.passages[row.passage]
        around = [replace(passage, chunk=chunk) for chunk in self.beside(passage.chunk)]
        return None if _has_rows_under(found.columns, units_of(around, self.readings), around) else found

    def _elsewhere(self, best: Extreme, rows: Sequence[QuotableSpan]) -> list[Extreme]:
        found = {self._document(best.rows[0]): best}
        for row in rows:
            if self._document(row) in found or best.column not in _columns_of(row, self.passages):
                continue
            if (other := self._beside(row)) and other.column == best.column:
                found[self._document(row)] = other
        return list(found.values())[1:]

    def _document(self, row: QuotableSpan) -> str:
        return self.passages[row.passage].chunk.document_id


def _extreme_of(
    question: str, row: QuotableSpan, units: Sequence[QuotableSpan], passages: Sequence[Passage], told: frozenset[str]
) -> Extreme | None:
    """Return the extreme of the row's table.

    None if the question names no column of numbers, names some rows only, or asks for both extremes, or if other
    passages of the document have rows of such a table.

    units: of all passages; told: terms of the row's passage and its headings.
    """
    own = passages[row.passage].chunk
    words, rows = extreme_words(question), list(_rows_beside(row, units, own.text))
    of_others = [unit for unit in units if unit.passage != row.passage]
    others = [unit for unit in of_others if passages[unit.passage].chunk.document_id == own.document_id]
    if len(rows) < 2 or _has_rows_under(rows[0].columns, others, passages):
        return None
    two = [] if words else _named_rows(rows, _terms(question))
    words = comparing_words(question) if two else words
    if len(words) != 1:
        return None
    word, columns, plain = words[0], rows[0].columns, normal_form(question)
    at = plain.casefold().find(word)
    behind = plain[at + len(word) :]
    asked = f"{plain[:at]} {behind}"
    property = property_of(word, asked)
    if not _is_told(asked, property, told):
        return None
    terms = frozenset(content_terms(asked))
    column = _column_of(property, columns, terms) if property else _named_column(columns, terms)
    if column is None or (not two and _names_some(rows, terms, columns)):
        return None
    if word in _OF_A_NOUN and _terms(" ".join(behind.split()[:1])).isdisjoint(_terms(columns[column])):
        return None
    found = None if _are_years(word, rows, column) else _compared(two or rows, column, direction_of(word))
    return replace(found, rows=tuple(row.unit for row in two)) if found and two else found


def _is_told(asked: str, property: str, told: frozenset[str]) -> bool:
    """Whether a passage has enough of the words beside the one that compares, and all names."""
    needs = question_terms_of(without_verb_of_time(asked) if property == "time" else asked)
    found = needs.spoken(told)
    return found.whole >= (TOLD_OF_PROPERTY if property else TOLD) and (not property or found.names >= EVERY_NAME)


def _named_rows(rows: Sequence[_Row], asked: frozenset[str]) -> list[_Row]:
    """Return the two rows that a question names by words that no other row's name has; empty for another number."""
    names = [_terms(row.cells[0]) for row in rows]
    counts = Counter(term for name in names for term in name)
    named = [row for row, name in zip(rows, names, strict=True) if any(counts[term] == 1 for term in name & asked)]
    return named if len(named) == 2 else []


def _column_of(property: str, columns: Sequence[str], asked: frozenset[str]) -> int | None:
    """Return the column of the property: the one the question names, else the only one by name or by unit."""
    named = [at for at, name in enumerate(columns) if at and is_named_for(property, name)]
    measured = [at for at, name in enumerate(columns) if at and has_unit_of(property, name)]
    chosen = _named_column(columns, asked)
    if chosen in named or chosen in measured:
        return chosen
    found = named or measured
    return found[0] if len(found) == 1 else None


def _are_years(word: str, rows: Sequence[_Row], column: int) -> bool:
    """Whether a length of time is asked for, and the column has years."""
    return word in _OF_A_LENGTH and any(YEAR.search(row.cells[column]) for row in rows)


def _compared(rows: Sequence[_Row], column: int, direction: int) -> Extreme | None:
    numbers = [(number, row) for row in rows if (number := _number(row.cells[column])) is not None]
    if len(numbers) < len(rows):
        return None
    whole = sum(number for number, _ in numbers)
    parts = [(number, row) for number, row in numbers if len(rows) < 3 or not _is_total(number, whole - number)]
    best = max((direction * number for number, _ in parts), default=0.0)
    found = [row for number, row in parts if direction * number == best]
    if len(parts) < 2 or not found or len(found) > min(MOST_ROWS, len(parts) - 1):
        return None
    names = ", ".join(row.cells[0].strip("-– ") for row in found)
    told = with_unit(rows[0].columns[column], found[0].cells[column])
    return Extreme(tuple(row.unit for row in found), f"{names}: {told}", rows[0].columns, rows[0].columns[column])


def _is_total(number: float, others: float) -> bool:
    return abs(number - others) <= TOTAL * abs(number)


def _rows_beside(row: QuotableSpan, units: Sequence[QuotableSpan], text: str) -> Iterator[_Row]:
    """Yield the rows of the same passage whose columns have the same names."""
    own = table_row(text, row.start, row.end)
    for unit in units:
        if own and unit.passage == row.passage and unit.shape is Shape.ROW:
            found = table_row(text, unit.start, unit.end)
            if found and found[0] == own[0]:
                yield _Row(unit, *found)


def _has_rows_under(columns: tuple[str, ...], units: Sequence[QuotableSpan], passages: Sequence[Passage]) -> bool:
    """Whether any of the units is a row of a table whose columns have these names."""
    return any(_columns_of(unit, passages) == columns for unit in units)


def _columns_of(unit: QuotableSpan, passages: Sequence[Passage]) -> tuple[str, ...]:
    """The names of the row's columns; empty for a sentence."""
    found = table_row(passages[unit.passage].chunk.text, unit.start, unit.end) if unit.shape is Shape.ROW else None
    return found[0] if found else ()


def _named_column(columns: Sequence[str], asked: frozenset[str]) -> int | None:
    """Return the column, other than the first, of whose name the question has most."""
    names = [_terms(UNIT.sub("", name)) for name in columns]
    shares = [len(name & asked) / len(name) if name and at else 0.0 for at, name in enumerate(names)]
    most = max(shares)
    return shares.index(most) if most >= NAMED and shares.count(most) == 1 else None


def _names_some(rows: Sequence[_Row], asked: frozenset[str], columns: Sequence[str]) -> bool:
    """Whether the question is about some of the rows: it has all words of a cell, or a number of no column's name."""
    heads = _terms(" ".join(columns))
    cells = (_terms(cell) - heads for row in rows for cell in row.cells)
    return any(cell and cell <= asked for cell in cells) or any(map(NUMBER.fullmatch, asked - heads))


def _number(cell: str) -> float | None:
    found = _NUMBER.fullmatch(cell.strip().casefold())
    if not found:
        return None
    value = float(found[3].replace(",", ""))
    return -value if found[1] or found[2] else value


def _terms(text: str) -> frozenset[str]:
    return frozenset(content_terms(normal_form(text)))
