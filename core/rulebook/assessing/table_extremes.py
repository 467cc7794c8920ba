"""The rows with the least or greatest number in the column that a question names, of one table in each document.

And which passages such a question needs: those with the property it compares, and the rest of a table.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

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
from core.rulebook.assessing.quotable_spans import QuotableSpan, Readings, Shape, reading_of, table_row, units_of
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
        """Return the extreme of the row's table; None if the table goes on in a passage that is not read."""
        table = _table_of(row, self.units, self.passages)
        if not table or self._goes_on_unread(table):
            return None
        return _extreme_of(self.question, table, self.told[row.passage])

    def _goes_on_unread(self, table: Sequence[_Row]) -> bool:
        read = {passage.chunk.id for passage in self.passages}
        held = [self.passages[place] for place in dict.fromkeys(row.unit.passage for row in table)]
        around = [replace(one, chunk=chunk) for one in held for chunk in self.beside(one.chunk) if chunk.id not in read]
        return any(_columns_of(unit, around) == table[0].columns for unit in units_of(around, self.readings))

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


def _extreme_of(question: str, rows: Sequence[_Row], told: frozenset[str]) -> Extreme | None:
    """Return the extreme of a table.

    None if the question names no column of numbers, names some rows only, or asks for both extremes.

    told: terms of a passage of the table and of its headings.
    """
    if len(rows) < 2:
        return None
    extreme = extreme_words(question)
    two = [] if extreme else _named_rows(rows, question)
    words = comparing_words(question) if two else extreme
    found = _extreme_by(words[0], question, rows, two, told) if len(words) == 1 else None
    return replace(found, rows=tuple(row.unit for row in two)) if found and two else found


def _extreme_by(
    word: str, question: str, rows: Sequence[_Row], two: Sequence[_Row], told: frozenset[str]
) -> Extreme | None:
    """Return the extreme of all rows, or of the two that are compared, by the word that compares them."""
    columns, plain = rows[0].columns, normal_form(question)
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
    if _are_years(word, rows, column):
        return None
    return _compared(two or rows, column, direction_of(word))


def _is_told(asked: str, property: str, told: frozenset[str]) -> bool:
    """Whether a passage has enough of the words beside the one that compares, and all names."""
    needs = question_terms_of(without_verb_of_time(asked) if property == "time" else asked)
    found = needs.spoken(told)
    return found.whole >= (TOLD_OF_PROPERTY if property else TOLD) and (not property or found.names >= EVERY_NAME)


def _named_rows(rows: Sequence[_Row], question: str) -> list[_Row]:
    """Return the two rows that a question names, word for word or by a word that no other row's name has.

    Empty for another number of rows.
    """
    plain = normal_form(question).casefold()
    at = _name_column(rows)
    whole = [row for row in rows if row.cells[at] and normal_form(row.cells[at]).casefold() in plain]
    names, asked = [_terms(row.cells[at]) for row in rows], _terms(question)
    counts = Counter(term for name in names for term in name)
    named = [row for row, name in zip(rows, names, strict=True) if any(counts[term] == 1 for term in name & asked)]
    return next((found for found in (whole, named) if len(found) == 2), [])


def _name_column(rows: Sequence[_Row]) -> int:
    """Return the first column that does not consist of numbers, as that of running numbers does; else the first."""
    columns = range(len(rows[0].columns))
    return next((at for at in columns if any(_number(row.cells[at]) is None for row in rows)), 0)


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
    names = ", ".join(row.cells[_name_column(rows)].strip("-– ") for row in found)
    told = with_unit(rows[0].columns[column], found[0].cells[column])
    return Extreme(tuple(row.unit for row in found), f"{names}: {told}", rows[0].columns[column])


def _is_total(number: float, others: float) -> bool:
    return abs(number - others) <= TOTAL * abs(number)


def _table_of(row: QuotableSpan, units: Sequence[QuotableSpan], passages: Sequence[Passage]) -> list[_Row]:
    """Return the rows of the row's table, which may go on from one passage to the next.

    Empty if its columns have no names, or if the document has another table with these columns.
    """
    document, columns = passages[row.passage].chunk.document_id, _columns_of(row, passages)
    places = [place for place, passage in enumerate(passages) if passage.chunk.document_id == document]
    own = {place: [unit for unit in units if unit.passage == place] for place in places}
    parts = {place: _rows_under(columns, of_place, passages) for place, of_place in own.items()}
    held = sorted((place for place in places if parts[place]), key=lambda place: passages[place].chunk.index)
    if not columns or not all(
        passages[later].chunk.index == passages[earlier].chunk.index + 1
        and own[earlier][-1] == parts[earlier][-1].unit
        and own[later][0] == parts[later][0].unit
        for earlier, later in pairwise(held)
    ):
        return []
    return [part for place in held for part in parts[place]]


def _rows_under(columns: Sequence[str], units: Sequence[QuotableSpan], passages: Sequence[Passage]) -> list[_Row]:
    """Return the rows among the units whose columns have these names."""
    rows = ((unit, table_row(passages[unit.passage].chunk.text, unit.start, unit.end)) for unit in units)
    return [_Row(unit, *found) for unit, found in rows if found and found[0] == columns]


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


MOST_OF_A_TABLE = 12
"""Passages; of a longer table nothing is compared."""
Columns = tuple[str, ...]


def has_what_is_compared(question: str, passage: Passage, readings: Readings) -> bool:
    """Whether the passage has a table with the property that a word of the question alone compares."""
    properties = [property_of(word, question) for word in compared_words(question)]
    if len(properties) != 1 or not properties[0]:
        return False
    names = {name for columns in _tables(passage, readings) for name in columns[1:]}
    return any(is_named_for(properties[0], name) or has_unit_of(properties[0], name) for name in names)


def rest_of_tables(question: str, passages: Sequence[Passage], beside: Beside, readings: Readings) -> list[Passage]:
    """Return the other passages of the tables whose rows the question compares; none of a table that is too long."""
    if not compared_words(question):
        return []
    read, rest = {passage.chunk.id for passage in passages}, list[Passage]()
    for passage in passages:
        found = list(_rest_of(passage, read, beside, readings))
        if len(found) < MOST_OF_A_TABLE:
            rest += found
            read.update(one.chunk.id for one in found)
    return rest


def _rest_of(passage: Passage, read: set[str], beside: Beside, readings: Readings) -> Iterator[Passage]:
    tables, seen, ahead = set(_tables(passage, readings)), {passage.chunk.id}, [passage]
    while ahead and tables and len(seen) <= MOST_OF_A_TABLE:
        for chunk in beside(ahead.pop().chunk):
            other = replace(passage, chunk=chunk)
            if chunk.enabled and chunk.id not in seen and not tables.isdisjoint(_tables(other, readings)):
                seen.add(chunk.id)
                ahead.append(other)
                if chunk.id not in read:
                    yield other


def _tables(passage: Passage, readings: Readings) -> Iterator[Columns]:
    """Yield the names of the columns of each row."""
    for unit in reading_of(passage, readings).units:
        if unit.shape is Shape.ROW and (row := table_row(passage.chunk.text, unit.start, unit.end)):
            yield row[0]
