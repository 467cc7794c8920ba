"""Columns of tables: the names in one column are of one kind, which those that are known tell about the others."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from core.builtin.entities.spans import Span
from core.builtin.entities.tokens import Token

Column = tuple[int, int]
"""Cells of the row, and which of them it is; tables that go on over pages keep both."""
_BORDER = "|"
_KNOWN = 2.0
"""Evidence from which on a name tells about its column."""
_LEAST_KNOWN, _LEAST_SHARE = 5, 0.6
_WEIGHT = 3.0


def weigh_columns(rows: Iterable[tuple[list[Token], list[Span]]]) -> None:
    """Adds to the names that begin a cell the type that most of the known names of their column have.

    rows: tokens and names of every text.
    """
    columns: dict[Column, list[Span]] = defaultdict(list)
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
