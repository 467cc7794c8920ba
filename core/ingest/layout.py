"""Lines of a page's text layer to paragraphs and headings with boxes, by their geometry alone. Pure functions."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.domain.documents import Block, Box
from core.ingest.headings import TOP, numbered_level
from core.ingest.normalise import join_lines

_HEADING_RATIO = 1.15
"""A heading's letters are at least this much taller than the body's."""
_PARAGRAPH_GAP = 0.8
"""More white than this share of a line's height between two lines ends a paragraph."""


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    left: float
    top: float
    right: float
    bottom: float
    """In points, origin top left."""

    @property
    def height(self) -> float:
        return self.bottom - self.top


@dataclass(frozen=True, slots=True)
class PageLines:
    page: int
    width: float
    height: float
    lines: tuple[Line, ...]


def blocks_of_pages(pages: Sequence[PageLines]) -> list[Block]:
    """Paragraphs and headings in the order of the text layer; indexes count from 0."""
    heights = [line.height for page in pages for line in page.lines for _ in range(min(len(line.text), 80))]
    body = statistics.median(heights) if heights else 0.0
    blocks: list[Block] = []
    for page in pages:
        for group in _paragraphs(page.lines, body):
            blocks.append(_block(len(blocks), page, group, body))
    return blocks


def _paragraphs(lines: Sequence[Line], body: float) -> Iterator[list[Line]]:
    group: list[Line] = []
    for line in lines:
        if group and _breaks(group, line, body):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _breaks(group: list[Line], line: Line, body: float) -> bool:
    """A gap, a jump to another column, another size of letters, or a first line that is set in ends the paragraph."""
    last = group[-1]
    gap = line.top - last.bottom
    if gap > _PARAGRAPH_GAP * body or gap < -0.5 * body:
        return True
    if line.left > last.right or line.right < last.left:
        return True
    if max(line.height, last.height) > 1.3 * min(line.height, last.height):
        return True
    return len(group) > 1 and line.left > last.left + body and last.right < max(member.right for member in group) - body


def _block(index: int, page: PageLines, group: list[Line], body: float) -> Block:
    text = ""
    for line in group:
        text = join_lines(text.removesuffix("\u00ad"), line.text.strip())
    tall = statistics.median(line.height for line in group) >= _HEADING_RATIO * body
    level = (numbered_level(text) or TOP) if tall and len(group) <= 3 and len(text) <= 120 else 0
    return Block(index, page.page, "text", text, level, _box(page, group))


def _box(page: PageLines, group: list[Line]) -> Box:
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
