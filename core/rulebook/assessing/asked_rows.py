"""Leaves out rows of a table that say no to what a question asks for, or have another value than it names."""

from collections.abc import Sequence

from core.platform.language.patterns import any_of
from core.platform.language.terms import content_terms, normal_form
from core.rulebook.assessing.quotable_spans import QuotableSpan, Shape, table_row
from core.rulebook.assessing.sentence_ranking import Quote
from core.rulebook.assessing.values import UNIT
from core.rulebook.assessing.wording import denies
from core.search.model import Passage

_ASKS_WHICH = any_of(r"\b(?:which|what|list)\b", "哪|什么|列出")
_NO = frozenset(["no", "none", "false", "-", "–", "—", "×", "✗", "✘", "否", "无", "没有", "不"])
_YES = frozenset(["yes", "true", "✓", "✔", "√", "是", "有"])
NAMED = 0.5
"""Least share of a column's name in the question."""
Cells = tuple[str, ...]


def asked_rows(
    question: str, quotes: Sequence[Quote], units: Sequence[QuotableSpan], passages: Sequence[Passage]
) -> list[Quote]:
    """Return the quotes without rows that have not what a question for "which" or "what" names of their table."""
    if not _ASKS_WHICH.search(normal_form(question)):
        return list(quotes)
    return [quote for quote in quotes if not quote.is_row or _is_asked(question, quote, units, passages)]


def _is_asked(question: str, quote: Quote, units: Sequence[QuotableSpan], passages: Sequence[Passage]) -> bool:
    text = passages[quote.passage].chunk.text
    own = table_row(text, quote.start, quote.end)
    if own is None:
        return True
    columns, cells = own
    rows = [unit for unit in units if unit.passage == quote.passage and unit.shape is Shape.ROW]
    found = (table_row(text, unit.start, unit.end) for unit in rows)
    table = [row[1] for row in found if row and row[0] == columns]
    asked = _terms(question)
    return _has_named_values(asked, cells, table) and _says_what_is_asked(question, asked, columns, cells, table)


def _has_named_values(asked: frozenset[str], cells: Cells, table: Sequence[Cells]) -> bool:
    """Whether the row has, of each column of which the question names a value, one of the named values."""
    named = {terms for row in table for terms in map(_terms, row) if _is_named(terms, asked)}
    named = {value for value in named if not any(value < other for other in named)}
    places = {value: {at for row in table for at, cell in enumerate(row) if _terms(cell) == value} for value in named}
    own = [_terms(cell) for cell in cells]
    return all(
        any(other <= own[at] for other, others in places.items() if others == where for at in where)
        for where in places.values()
    )


def _is_named(value: frozenset[str], asked: frozenset[str]) -> bool:
    return bool(value) and value <= asked and not all(map(str.isdigit, value))


def _says_what_is_asked(
    question: str, asked: frozenset[str], columns: Cells, cells: Cells, table: Sequence[Cells]
) -> bool:
    """Whether the row's cell in the named column of yes and no says the one that is asked for.

    Other columns are taken likewise where some cells say no, but not for a row that is named.
    """
    at = _column_of_no(asked, columns, table)
    if at is None or (_terms(cells[0]) & asked and not all(_is(_NO | _YES, row[at]) for row in table)):
        return True
    return _is(_NO, cells[at]) == denies(question)


def _column_of_no(asked: frozenset[str], columns: Cells, table: Sequence[Cells]) -> int | None:
    """Return the column, other than the first, that the question names best of those in which some rows say no."""
    names = [_terms(UNIT.sub("", name)) for name in columns]
    of_no = [at for at in range(1, len(columns)) if 0 < sum(_is(_NO, row[at]) for row in table) < len(table)]
    shares = {at: len(names[at] & asked) / len(names[at]) for at in of_no if names[at]}
    best = [at for at, share in shares.items() if share >= NAMED and share == max(shares.values())]
    return best[0] if len(best) == 1 else None


def _is(words: frozenset[str], cell: str) -> bool:
    return normal_form(cell).strip().casefold() in words


def _terms(text: str) -> frozenset[str]:
    return frozenset(content_terms(normal_form(text)))
