"""Fills tables with drawn borders with the text recognised inside them, as HTML. Pure functions."""

import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from core.documents.reading.layout import paragraph_text
from core.documents.reading.recognised import Recognised, RecognisedLine, RuledTable

_SAME_EDGE = 10
"""Cell edges closer than this, in pixels, are one line of the table."""
_LEAST_FILLED = 4

_Cell = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class FilledTable:
    line: RecognisedLine
    """Represents the table among the lines of the page, with its box, text and confidence."""
    html: str


def filled_tables(picture: Recognised) -> tuple[list[FilledTable], list[RecognisedLine]]:
    """Tables with text in several cells, and the lines outside them."""
    loose = list(picture.lines)
    filled = []
    for table in picture.tables:
        inside = {line for line in loose if _holds((table.left, table.top, table.right, table.bottom), line)}
        by_cell = {cell: [line for line in inside if _holds(cell, line)] for cell in table.cells}
        placed = [line for lines in by_cell.values() for line in lines]
        if sum(map(bool, by_cell.values())) < _LEAST_FILLED or len(placed) * 10 < len(inside) * 9:
            continue  # a drawing
        loose = [line for line in loose if line not in inside]
        filled.append(FilledTable(_standing(table, placed), _html(by_cell)))
    return filled, loose


def _holds(cell: _Cell, line: RecognisedLine) -> bool:
    left, top, right, bottom = cell
    return left <= (line.left + line.right) / 2 <= right and top <= line.middle <= bottom


def _standing(table: RuledTable, lines: Sequence[RecognisedLine]) -> RecognisedLine:
    text = " ".join(line.text for line in lines)
    confidence = sum(line.confidence * len(line.text) for line in lines) / max(1, sum(len(line.text) for line in lines))
    return RecognisedLine(text, table.left, table.top, table.right, table.bottom, round(confidence, 3))


def _html(by_cell: dict[_Cell, list[RecognisedLine]]) -> str:
    columns = _edges([cell[0] for cell in by_cell])
    rows = _edges([cell[1] for cell in by_cell])
    written: list[list[str]] = [[] for _ in rows]
    for cell in sorted(by_cell, key=lambda cell: (_place(rows, cell[1]), cell[0])):
        down = _place(rows, cell[3] - _SAME_EDGE) - _place(rows, cell[1]) + 1
        across = _place(columns, cell[2] - _SAME_EDGE) - _place(columns, cell[0]) + 1
        spans = (f' rowspan="{down}"' if down > 1 else "") + (f' colspan="{across}"' if across > 1 else "")
        inside = sorted(by_cell[cell], key=lambda line: (line.middle, line.left))
        words = paragraph_text(inside)
        written[_place(rows, cell[1])].append(f"<td{spans}>{escape(words)}</td>")
    return "<table>" + "".join(f"<tr>{''.join(row)}</tr>" for row in written) + "</table>"


def _edges(places: Sequence[float]) -> list[float]:
    """Positions where rows or columns begin; those a few pixels apart are merged."""
    edges: list[float] = []
    for place in sorted(places):
        if not edges or place - edges[-1] > _SAME_EDGE:
            edges.append(place)
    return edges


def _place(edges: Sequence[float], place: float) -> int:
    """Index of the row or column at this position."""
    return max(0, bisect.bisect_right(edges, place + _SAME_EDGE / 2) - 1)
