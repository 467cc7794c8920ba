"""Columns of tables: the names in a column are of one type, inferred from the known ones."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from core.rulebook.entities.spans import TokenSpan
from core.rulebook.entities.tokens import Token

Column = tuple[int, int]
"""(number of cells in the row, index of this one), which tables keep over pages."""
_BORDER = "|"
_KNOWN = 2.0
"""Evidence from which a name determines the type of its column."""
_LEAST_KNOWN, _LEAST_SHARE = 5, 0.6
_WEIGHT = 3.0


def weigh_columns(rows: Iterable[tuple[list[Token], list[TokenSpan]]]) -> None:
    """Adds to the names that begin a cell the type that most of the known names of their column have.

    rows: tokens and names of every text.
    """
    columns: dict[Column, list[TokenSpan]] = defaultdict(list)
    for tokens, spans in rows:
        cells = dict(_cells(tokens))
        for span in spans:
            if span.first in cells:
                columns[cells[span.first]].append(span)
    for found in columns.values():
        known = Counter(span.best() for span in found if span.evidence and max(span.evidence.values()) >= _KNOWN)
        kind, count = known.most_common(1)[0] if known else ("", 0)
        if count >= max(_LEAST_KNOWN, _LEAST_SHARE * known.total()):
            for span in found:
                span.add(kind, _WEIGHT)


def without_parts(documents: Sequence[list[Token]], named: Sequence[list[TokenSpan]]) -> list[list[TokenSpan]]:
    """The names without those that are only parts of cells: in a column of names each cell names one thing, and what
    never begins one belongs to what stands in front of it (SPS Distribution Center).

    named: the names of every text.
    """
    begun: Counter[Column] = Counter()
    cells: Counter[Column] = Counter()
    free: set[str] = set()
    inner: dict[str, set[Column]] = defaultdict(set)
    for tokens, spans in zip(documents, named, strict=True):
        places = _columns(tokens)
        starts = dict(_cells(tokens))
        cells.update(column for start, column in starts.items() if start < len(tokens) and not tokens[start].silent)
        begun.update(starts[span.first] for span in spans if span.first in starts)
        for span in spans:
            if span.first in places and span.first not in starts:
                inner[_name(tokens, span)].add(places[span.first])
            else:
                free.add(_name(tokens, span))
    of_names = {column for column, count in begun.items() if count >= max(_LEAST_KNOWN, _LEAST_SHARE * cells[column])}
    parts = {name for name, columns in inner.items() if name not in free and columns <= of_names}
    return [
        [span for span in spans if _name(tokens, span) not in parts]
        for tokens, spans in zip(documents, named, strict=True)
    ]


def _name(tokens: list[Token], span: TokenSpan) -> str:
    return " ".join(token.text for token in tokens[span.first : span.last + 1])


def _columns(tokens: list[Token]) -> dict[int, Column]:
    """The column of every token of a row."""
    found: dict[int, Column] = {}
    starts = dict(_cells(tokens))
    column: Column | None = None
    for index, token in enumerate(tokens):
        column = starts.get(index, column)
        if token.shape == "break":
            column = None
        if column is not None:
            found[index] = column
    return found


def _cells(tokens: list[Token]) -> Iterator[tuple[int, Column]]:
    """(first token, column) of every cell."""
    starts = [0]
    for index, token in enumerate([*tokens, Token(0, 0, "\n", "\n", "break")]):
        if token.text == _BORDER:
            starts.append(index + 1)
        elif token.shape == "break":
            if len(starts) > 1:
                yield from ((start, (len(starts), at)) for at, start in enumerate(starts))
            starts = [index + 1]
