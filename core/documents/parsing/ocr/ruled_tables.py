"""Tables drawn with lines, found in a picture by its long straight strokes (OpenCV). Runs in the parser's child."""

from dataclasses import replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from core.documents.reading.layout import Recognised, RuledTable

_MOST_TABLES = 20
_MOST_CELLS = 2_000
_LEAST_CELLS = 4
_LEAST_STROKE = 1 / 40
"""Share of the picture's longer side; shorter strokes are letters."""
_LEAST_SIDE = 8
"""Pixels of a cell that can hold letters."""
_LARGEST_CELL = 0.9
"""Share of the table; a cell that fills more of it is a frame around a text."""


def with_ruled_tables(read: Recognised, picture: NDArray[np.uint8]) -> Recognised:
    """The OCR output of a picture with its tables."""
    return replace(read, tables=ruled_tables(np.ascontiguousarray(np.rot90(picture, read.turned))))


def ruled_tables(picture: NDArray[np.uint8]) -> tuple[RuledTable, ...]:
    """picture: upright, height x width x 3."""
    strokes = _strokes(picture)
    count, _, found, _ = cv2.connectedComponentsWithStats(strokes, connectivity=8)
    tables: list[RuledTable] = []
    for left, top, width, height, _ in sorted(found[1:count].tolist(), key=lambda it: -it[2] * it[3])[:_MOST_TABLES]:
        if width * 8 >= picture.shape[1] and height >= 3 * _LEAST_SIDE:
            table = _table(strokes[top : top + height, left : left + width], left, top)
            if table and not any(_is_inside(table, known) for known in tables):
                tables.append(table)
    return tuple(tables)


def _strokes(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """White where a long horizontal or vertical stroke is."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    dark = cv2.adaptiveThreshold(grey, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, 25, 12)
    length = max(20, round(max(picture.shape[:2]) * _LEAST_STROKE))
    across = _opened(dark, (length, 1))
    down = _opened(dark, (1, length))
    return np.asarray(cv2.dilate(cv2.bitwise_or(across, down), np.ones((5, 5), np.uint8)), dtype=np.uint8)


def _opened(dark: Any, size: tuple[int, int]) -> Any:
    return cv2.morphologyEx(dark, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_RECT, size))


def _table(strokes: NDArray[np.uint8], left: int, top: int) -> RuledTable | None:
    """A table whose cells are the white fields between strokes; a field that is open to a side is closed there."""
    height, width = strokes.shape
    framed = strokes.copy()
    framed[[0, -1], :] = 255
    framed[:, [0, -1]] = 255
    count, _, found, _ = cv2.connectedComponentsWithStats(cv2.bitwise_not(framed), connectivity=4)
    cells = [
        (float(left + x), float(top + y), float(left + x + w), float(top + y + h))
        for x, y, w, h, _ in found[1:count].tolist()
        if w >= _LEAST_SIDE and h >= _LEAST_SIDE and w * h < _LARGEST_CELL * width * height
    ]
    if not _LEAST_CELLS <= len(cells) <= _MOST_CELLS or not _fills(cells, width * height):
        return None
    return RuledTable(float(left), float(top), float(left + width), float(top + height), tuple(cells))


def _fills(cells: list[tuple[float, float, float, float]], area: int) -> bool:
    """Whether the cells make up the table; the fields of a drawing leave much out."""
    return sum((right - left) * (bottom - top) for left, top, right, bottom in cells) > 0.6 * area


def _is_inside(table: RuledTable, known: RuledTable) -> bool:
    return (
        known.left <= table.left
        and known.top <= table.top
        and table.right <= known.right
        and table.bottom <= known.bottom
    )
