"""Builds blocks from OCR output: paragraphs, headings and tables in reading order. Pure functions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from core.documents.model import Block
from core.documents.reading.layout import body_height, heading_level, paragraph_text, paragraphs
from core.documents.reading.reading_order import Row, regions
from core.documents.reading.recognised import Recognised, RecognisedLine
from core.documents.reading.ruled_cells import FilledTable, filled_tables
from core.documents.reading.tables import rows_text, table_rows

_LIKE_BODY = (0.72, 1.35)
"""Range of line heights that count as equal: OCR boxes follow the letters, and not every line has descenders."""
_CELL_GAP = 1.2
"""A wider gap, in line heights, separates cells."""
_LEAST_ROWS = 3
_TALLER = 1.12
"""A heading's relative height; boxes vary with the letters, so the bar is higher than for text layers."""


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
