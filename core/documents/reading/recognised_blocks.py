"""Blocks of OCR output: paragraphs, headings and tables in reading order. Pure functions."""

import bisect
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby

from core.documents.model import Block
from core.documents.reading.layout import (
    Recognised,
    RecognisedLine,
    RuledTable,
    body_height,
    heading_level,
    paragraph_text,
    paragraphs,
)
from core.documents.reading.normalise import weight
from core.documents.reading.tables import rows_text, table_rows

Row = list[RecognisedLine]
"""Lines at the same height, from left to right."""
_LEAST_LINES = 3
"""Fewest lines of a column."""
_PROSE_WEIGHT = 18
_PROSE_WIDTH = 0.6
_PROSE_SHARE = 0.35
"""Least share of a column's lines that have _PROSE_WEIGHT and are about as long as its longest; table cells are not."""
_MARGIN = 0.15
"""Fraction of the width; no gutter is nearer to the edge."""
_MOST_COLUMNS_DEEP = 4
_MOST_GUTTERS = 200


@dataclass(frozen=True, slots=True)
class _Band:
    """Lines between two full-width lines, or the full-width lines themselves."""

    is_crossing: bool
    lines: list[RecognisedLine]


def regions(lines: Sequence[RecognisedLine], depth: int = 0) -> list[list[Row]]:
    """Rows of each column or full-width band, in reading order."""
    gutter = _gutter(lines) if depth < _MOST_COLUMNS_DEEP else None
    if gutter is None:
        return [_rows(lines)] if lines else []
    ordered: list[list[Row]] = []
    waiting: list[RecognisedLine] = []
    for band in _bands(lines, gutter):
        left, right = _sides(band, gutter)
        if not _are_columns(left, right):
            waiting += band.lines
            continue
        ordered += [_rows(waiting)] if waiting else []
        waiting = []
        ordered += regions(left, depth + 1) + regions(right, depth + 1)
    return ordered + ([_rows(waiting)] if waiting else [])


def _gutter(lines: Sequence[RecognisedLine]) -> float | None:
    """Position with the most lines in columns on both sides, if there is one."""
    if len(lines) < 2 * _LEAST_LINES:
        return None
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    margin = _MARGIN * (right - left)
    edges = {round(line.left - 2) for line in lines} | {round(line.right + 2) for line in lines}
    places = [edge for edge in sorted(edges) if left + margin < edge < right - margin]
    tried = places[:: 1 + len(places) // _MOST_GUTTERS]
    best = max(tried, key=lambda place: _columnar(lines, place), default=None)
    return best if best is not None and _columnar(lines, best) else None


def _columnar(lines: Sequence[RecognisedLine], gutter: float) -> int:
    """Number of lines in columns if the gutter were there."""
    return sum(len(band.lines) for band in _bands(lines, gutter) if _are_columns(*_sides(band, gutter)))


def _bands(lines: Sequence[RecognisedLine], gutter: float) -> list[_Band]:
    bands: list[_Band] = []
    for line in sorted(lines, key=lambda line: line.middle):
        crosses = line.left < gutter < line.right
        if bands and bands[-1].is_crossing == crosses:
            bands[-1].lines.append(line)
        else:
            bands.append(_Band(crosses, [line]))
    return bands


def _sides(band: _Band, gutter: float) -> tuple[list[RecognisedLine], list[RecognisedLine]]:
    if band.is_crossing:
        return [], []
    return [line for line in band.lines if line.right <= gutter], [line for line in band.lines if line.left >= gutter]


def _are_columns(left: Sequence[RecognisedLine], right: Sequence[RecognisedLine]) -> bool:
    return _is_prose(left) and _is_prose(right)


def _is_prose(side: Sequence[RecognisedLine]) -> bool:
    if len(side) < _LEAST_LINES:
        return False
    width = statistics.quantiles([line.width for line in side], n=5)[-1]
    full = sum(line.width >= _PROSE_WIDTH * width and weight(line.text) >= _PROSE_WEIGHT for line in side)
    return full >= max(_LEAST_LINES, _PROSE_SHARE * len(side))


def _rows(lines: Sequence[RecognisedLine]) -> list[Row]:
    rows: list[Row] = []
    for line in sorted(lines, key=lambda line: line.middle):
        if rows and _is_beside(line, rows[-1]):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.left) for row in rows]


def _is_beside(line: RecognisedLine, row: Row) -> bool:
    top, bottom = statistics.median(it.top for it in row), statistics.median(it.bottom for it in row)
    return min(bottom, line.bottom) - max(top, line.top) > 0.5 * min(bottom - top, line.height)


_LIKE_BODY = (0.72, 1.35)
"""Range of line heights that count as equal: OCR boxes follow the letters, and not every line has descenders."""
_CELL_GAP = 1.2
"""A wider gap, in line heights, separates cells."""
_LEAST_ROWS = 3
_TALLER = 1.12
"""A heading's relative height; boxes vary with the letters, so the bar is higher than for text layers."""
_SAME_EDGE = 10
"""Cell edges closer than this, in pixels, are one line of the table."""
_LEAST_FILLED = 4
_Cell = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class FilledTable:
    """A table with drawn borders and the text recognised inside them."""

    line: RecognisedLine
    """Represents the table among the lines of the page, with its box, text and confidence."""
    html: str


@dataclass(frozen=True, slots=True)
class _Part:
    """A run of rows of one kind, or a table with drawn borders."""

    kind: str
    """text, rows or ruled."""
    rows: list[Row]
    table: FilledTable | None = None


def recognised_blocks(picture: Recognised, page: int) -> list[Block]:
    """Blocks in reading order, numbered from 0; boxes in thousandths of the original picture."""
    tables, loose = filled_tables(picture)
    body = body_height(picture.lines)
    standing = {table.line: table for table in tables}
    blocks: list[Block] = []
    for region in regions([*loose, *standing]):
        for part in _parts(region, standing):
            blocks += _blocks(picture, part, body)
    return [replace(block, index=index, page=page) for index, block in enumerate(blocks)]


def _parts(region: Sequence[Row], standing: dict[RecognisedLine, FilledTable]) -> Iterator[_Part]:
    waiting: list[Row] = []
    for row in region:
        ruled = [line for line in row if line in standing]
        rest = [line for line in row if line not in standing]
        if ruled:
            yield from _rows_or_text(waiting)
            waiting = []
            yield from (_Part("ruled", [], standing[line]) for line in ruled)
        if rest:
            waiting.append(rest)
    yield from _rows_or_text(waiting)


def _rows_or_text(rows: Sequence[Row]) -> Iterator[_Part]:
    """Consecutive rows of several cells become a table if there are enough of them."""
    runs = [(several, list(run)) for several, run in groupby(rows, lambda row: len(_cells(row)) > 1)]
    text: list[Row] = []
    for several, run in runs:
        if several and len(run) >= _LEAST_ROWS:
            if text:
                yield _Part("text", text)
            text = []
            yield _Part("rows", run)
        else:
            text = text + run
    if text:
        yield _Part("text", text)


def _cells(row: Row) -> list[Row]:
    cells: list[Row] = []
    for line in row:
        if cells and line.left - cells[-1][-1].right <= _CELL_GAP * line.height:
            cells[-1].append(line)
        else:
            cells.append([line])
    return cells


def _blocks(picture: Recognised, part: _Part, body: float) -> Iterator[Block]:
    if part.table:
        text = rows_text(table_rows(part.table.html))
        yield _block(picture, "table", text, [part.table.line], html=part.table.html)
    elif part.kind == "rows":
        rows = [[" ".join(line.text for line in cell) for cell in _cells(row)] for row in part.rows]
        yield _block(picture, "table", rows_text(rows), [line for row in part.rows for line in row])
    else:
        raw = {_levelled(line, body): line for line in map(_one, part.rows)}
        for group in paragraphs(list(raw), body):
            text = paragraph_text(group)
            lines = [raw[line] for line in group]
            yield _block(picture, "text", text, lines, heading_level(text, lines, _TALLER * body))


def _one(row: Row) -> RecognisedLine:
    if len(row) == 1:
        return row[0]
    text = " ".join(line.text for line in row)
    top, bottom = min(line.top for line in row), max(line.bottom for line in row)
    return RecognisedLine(text, row[0].left, top, max(line.right for line in row), bottom, mean_confidence(row))


def _levelled(line: RecognisedLine, body: float) -> RecognisedLine:
    """Sets a line's height to that of its neighbours if it is about equal."""
    if not _LIKE_BODY[0] * body <= line.height <= _LIKE_BODY[1] * body:
        return line
    return replace(line, top=line.middle - body / 2, bottom=line.middle + body / 2)


def _block(
    picture: Recognised, kind: str, text: str, lines: Sequence[RecognisedLine], level: int = 0, html: str = ""
) -> Block:
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    top, bottom = min(line.top for line in lines), max(line.bottom for line in lines)
    box = picture.box(left, top, right, bottom)
    return Block(0, 0, kind, text, level, box, html, mean_confidence(lines))


def mean_confidence(lines: Sequence[RecognisedLine]) -> float:
    """Mean over the characters."""
    characters = sum(len(line.text) for line in lines)
    return round(sum(line.confidence * len(line.text) for line in lines) / characters, 3) if characters else 0.0


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
    return RecognisedLine(text, table.left, table.top, table.right, table.bottom, mean_confidence(lines))


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
