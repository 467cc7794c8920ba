"""Builds paragraphs and headings with boxes from lines of a text layer or of OCR, by geometry only. Pure functions."""

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from core.documents.model import Block, Box
from core.documents.reading.headings import TOP, numbered_level
from core.documents.reading.normalise import is_han, one_line

_HEADING_RATIO = 1.15
"""Height of a heading's letters relative to the body's, at least."""
_PARAGRAPH_GAP = 0.8
"""A larger gap between two lines, relative to the line height, ends a paragraph."""
_MARKS = tuple("•◦▪■□●○‣·➢✓")
"""A line that begins with one of these is a list item."""


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of a text layer in points, or of a picture in pixels; origin top left."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    @property
    def height(self) -> float:
        return self.bottom - self.top


AnyLine = TypeVar("AnyLine", bound=TextLine)


@dataclass(frozen=True, slots=True)
class PageLines:
    page: int
    width: float
    height: float
    lines: tuple[TextLine, ...]


def blocks_of_pages(pages: Sequence[PageLines]) -> list[Block]:
    """Paragraphs and headings in the order of the text layer; indexes count from 0."""
    body = body_height([line for page in pages for line in page.lines])
    blocks: list[Block] = []
    for page in pages:
        for group in paragraphs(page.lines, body):
            blocks.append(_block(len(blocks), page, group, body))
    return blocks


def body_height(lines: Sequence[TextLine]) -> float:
    """Height of the lines that hold most characters."""
    heights = [line.height for line in lines for _ in range(min(len(line.text), 80))]
    return statistics.median(heights) if heights else 0.0


def paragraphs(lines: Sequence[AnyLine], body: float) -> Iterator[list[AnyLine]]:
    """Splits lines in reading order into paragraphs. body: height of body lines."""
    group: list[AnyLine] = []
    for line in lines:
        if group and _breaks(group, line, body):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _breaks(group: Sequence[TextLine], line: TextLine, body: float) -> bool:
    """Whether a paragraph ends: by a gap, a new column, another letter size, a list mark or an indented line."""
    last = group[-1]
    if line.text.startswith(_MARKS):
        return True
    gap = line.top - last.bottom
    if gap > _PARAGRAPH_GAP * body or gap < -0.5 * body:
        return True
    if line.left > last.right or line.right < last.left:
        return True
    if max(line.height, last.height) > 1.3 * min(line.height, last.height):
        return True
    if _would_have_fit(group, line, body):
        return True
    return len(group) > 1 and line.left > last.left + body and last.right < max(member.right for member in group) - body


def _would_have_fit(group: Sequence[TextLine], line: TextLine, body: float) -> bool:
    """Whether the line's first word would have fitted on the line before, so that a new paragraph begins here."""
    words = line.text.split(maxsplit=1)
    first = 1 if is_han(line.text[:1]) or not words else len(words[0])
    word = (line.right - line.left) * first / max(1, len(line.text))
    edge = max(line.right, *(member.right for member in group))
    return edge - group[-1].right > word + 1.5 * body


def _block(index: int, page: PageLines, group: list[TextLine], body: float) -> Block:
    text = paragraph_text(group)
    return Block(index, page.page, "text", text, heading_level(text, group, body), _box(page, group))


def paragraph_text(group: Sequence[TextLine]) -> str:
    """Joins the lines and the words hyphenated at line ends."""
    return one_line("\n".join(line.text.strip() for line in group).replace("\u00ad\n", ""))


def heading_level(text: str, group: Sequence[TextLine], body: float) -> int:
    """Heading level of a short paragraph in taller letters than the body's; 0 for all others."""
    if text.startswith(_MARKS):
        return 0
    tall = statistics.median(line.height for line in group) >= _HEADING_RATIO * body
    return (numbered_level(text) or TOP) if tall and len(group) <= 3 and len(text) <= 120 else 0


def _box(page: PageLines, group: list[TextLine]) -> Box:
    left, right = min(line.left for line in group), max(line.right for line in group)
    top, bottom = min(line.top for line in group), max(line.bottom for line in group)
    return (
        _thousandths(left, page.width),
        _thousandths(top, page.height),
        _thousandths(right, page.width),
        _thousandths(bottom, page.height),
    )


def _thousandths(value: float, whole: float) -> int:
    return min(1000, max(0, round(1000 * value / whole))) if whole else 0


@dataclass(frozen=True, slots=True)
class RecognisedLine(TextLine):
    """A line in pixels of the upright picture."""

    confidence: float
    """0 to 1."""

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


@dataclass(frozen=True, slots=True)
class RuledTable:
    """A table with drawn cell borders."""

    left: float
    top: float
    right: float
    bottom: float
    cells: tuple[tuple[float, float, float, float], ...]
    """left, top, right, bottom of each, in pixels of the upright picture."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """The OCR output of a picture."""

    width: int
    height: int
    """In pixels, upright."""
    lines: tuple[RecognisedLine, ...]
    turned: int = 0
    """Quarter turns counter-clockwise that made the picture upright."""
    tables: tuple[RuledTable, ...] = ()

    def box(self, left: float, top: float, right: float, bottom: float) -> Box:
        """Converts a rectangle of the upright picture to thousandths of the original picture."""
        x0, x1 = left / max(1, self.width), right / max(1, self.width)
        y0, y1 = top / max(1, self.height), bottom / max(1, self.height)
        for _ in range(self.turned):  # back, clockwise
            x0, y0, x1, y1 = 1 - y1, x0, 1 - y0, x1
        return _thousandths(x0, 1), _thousandths(y0, 1), _thousandths(x1, 1), _thousandths(y1, 1)


def likeness(one: str, other: str) -> float:
    """Dice coefficient of character bigrams, 0 to 1; ignores blanks and case."""
    pairs, others = _pairs(one), _pairs(other)
    total = pairs.total() + others.total()
    return 2 * (pairs & others).total() / total if total else 1.0


def _pairs(text: str) -> Counter[tuple[str, str]]:
    return Counter(pairwise("".join(text.casefold().split())))
