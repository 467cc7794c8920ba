"""Locates words on a PDF page by its text layer. Runs in the restricted child process that renders pages."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from core.documents.parsing.pdf.text_layer import on_device

MAX_CHARACTERS = 100_000
"""Limit for the text layer of a page."""
SHORTEST = 4
"""Fewest characters of a quote to look for; shorter ones occur anywhere."""
Box = tuple[int, int, int, int]
"""Left, top, right, bottom in thousandths of the displayed page."""


def quote_boxes(page: Any, quote: str, within: Sequence[Box]) -> list[Box]:
    """One box per line of the quote; empty if it is not in the text layer. within: boxes to look in first.

    Of several places the one in a box of `within` counts; blanks, hyphens, case and the form of signs do not.
    """
    with closing(page.get_textpage()) as layer:
        signs, places = _signs(layer)
        found: list[Box] = []
        for piece in _pieces(quote):
            spots = [_lines(page, layer, places[at], places[at + len(piece) - 1]) for at in _found(signs, piece)]
            found += next((spot for spot in spots if _inside(spot, within)), spots[0] if spots else [])
    return found


def _pieces(quote: str) -> list[str]:
    return [signs for piece in quote.split("…") if len(signs := _plain(piece)) >= SHORTEST]


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).casefold())


def _signs(layer: Any) -> tuple[str, list[int]]:
    """The letters and digits of the layer, and the index in it of each."""
    signs: list[str] = []
    places: list[int] = []
    count = min(layer.count_chars(), MAX_CHARACTERS)
    text = layer.get_text_range(0, count) if count else ""
    if len(text) != count:  # signs outside of the first plane count twice in the layer
        return "", []
    for index, character in enumerate(text):
        for sign in _plain(character):
            signs.append(sign)
            places.append(index)
    return "".join(signs), places


def _found(signs: str, piece: str) -> Iterator[int]:
    at = signs.find(piece)
    while at >= 0:
        yield at
        at = signs.find(piece, at + 1)


def _lines(page: Any, layer: Any, first: int, last: int) -> list[Box]:
    width, height = page.get_size()
    boxes = []
    for number in range(layer.count_rects(first, last - first + 1)):
        left, bottom, right, top = layer.get_rect(number)
        (x0, y0), (x1, y1) = on_device(page, left, top), on_device(page, right, bottom)
        horizontal = sorted((round(1000 * x0 / width), round(1000 * x1 / width)))
        vertical = sorted((round(1000 * y0 / height), round(1000 * y1 / height)))
        boxes.append((horizontal[0], vertical[0], horizontal[1], vertical[1]))
    return _joined(boxes)


def _joined(boxes: Sequence[Box]) -> list[Box]:
    """Boxes of words, in reading order, as boxes of lines."""
    lines: list[Box] = []
    for box in boxes:
        known = lines[-1] if lines else None
        if known and min(box[3], known[3]) > max(box[1], known[1]):
            lines[-1] = (min(box[0], known[0]), min(box[1], known[1]), max(box[2], known[2]), max(box[3], known[3]))
        else:
            lines.append(box)
    return lines


def _inside(lines: Sequence[Box], boxes: Sequence[Box]) -> bool:
    """The middle of the first line lies in one of the boxes."""
    if not lines or not boxes:
        return bool(lines)
    x, y = (lines[0][0] + lines[0][2]) / 2, (lines[0][1] + lines[0][3]) / 2
    return any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in boxes)
