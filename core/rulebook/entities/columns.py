"""Types of names that are cells of a table: where the tagger is not sure, the type that their column has."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby

from core.documents.model import CELL_BREAK
from core.graph.model import ExtractedName
from core.rulebook.relations.end_types import SURE

_Place = tuple[int, int]
_Column = tuple[str, int]
"""The first line of the table, which later texts of a document repeat, and the number of the column."""
_NONE: _Column = ("", 0)


def typed_by_column(texts: Sequence[str], found: Sequence[Sequence[ExtractedName]]) -> list[list[ExtractedName]]:
    """The names of each text of a document; a column has the type whose confidences have the greatest sum."""
    names = [
        [(name, cells.get((name.start, name.end), _NONE)) for name in row]
        for cells, row in zip(map(dict, map(_cells, texts)), found, strict=True)
    ]
    votes: defaultdict[_Column, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for name, column in chain.from_iterable(names):
        votes[column][name.type] += name.confidence
    kinds = {column: max(sums, key=sums.__getitem__) for column, sums in votes.items() if column is not _NONE}
    return [
        [replace(name, type=kinds.get(column, name.type)) if name.confidence < SURE else name for name, column in row]
        for row in names
    ]


def _cells(text: str) -> Iterator[tuple[_Place, _Column]]:
    """Where each cell starts and ends, and its column; lines of as many cells are a table."""
    start = 0
    for breaks, lines in groupby(text.split("\n"), lambda line: line.count(CELL_BREAK)):
        table = list(lines)
        for line in table:
            for column, cell in enumerate(line.split(CELL_BREAK)):
                if breaks:
                    yield (start, start + len(cell)), (table[0], column)
                start += len(cell) + len(CELL_BREAK)
            start += len("\n") - len(CELL_BREAK)
