"""Reading order of the lines of a picture: column by column, else row by row. Pure functions."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from core.documents.reading.normalise import weight
from core.documents.reading.recognised import RecognisedLine

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
