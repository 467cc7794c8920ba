"""Finds where a parser cut a Chinese paragraph in the middle of a sentence, by the places of the blocks on the page.

Elsewhere a small letter tells that a sentence goes on, and blocks are joined when a document is read.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.documents.model import CELL_BREAK, Chunk, Span
from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN

SLACK = 10
"""Thousandths of the page by which lines of one paragraph may differ at the margins."""
INDENT = 60
"""The same for the first line of a paragraph."""
GAP = 0.6
"""Share of a line's height: more space than this between two blocks separates paragraphs."""
WIDTH = 300
"""Thousandths of the page that the last line before the cut fills at least."""
_ENDED = pattern(r"[.!?。！？；;:：]\W*$")
_AT_A_CUT = pattern(rf"[{HAN}，、][”’」』）)]?$")
_BULLET = pattern(r"^\W*[-•*·▪●○–|]")


def run_on(chunk: Chunk) -> list[tuple[int, int]]:
    """(end, start) of neighbouring blocks of which the first breaks off at the right margin and the second goes on."""
    return [(one.end, other.start) for one, other in _neighbours(chunk.spans) if _goes_on(chunk.text, one, other)]


def joined(text: str, gaps: Sequence[tuple[int, int]]) -> str:
    """The text, of the same length, with line breaks at none of the gaps."""
    for end, start in gaps:
        text = text[:end] + " " * (start - end) + text[start:]
    return text


def _neighbours(spans: Sequence[Span]) -> Iterator[tuple[Span, Span]]:
    for one, other in pairwise(spans):
        if one.box and other.box and one.page == other.page and one.end < other.start:
            yield one, other


def _goes_on(text: str, one: Span, other: Span) -> bool:
    left, top, right, bottom = one.box or (0, 0, 0, 0)
    other_left, other_top, other_right, other_bottom = other.box or (0, 0, 0, 0)
    line = min(bottom - top, other_bottom - other_top)
    return (
        0 <= other_top - bottom + SLACK <= GAP * line + SLACK
        and right >= other_right - SLACK
        and left - INDENT <= other_left <= left + SLACK / 2
        and right - left >= WIDTH
        and _breaks_off(text[one.start : one.end], text[other.start : other.end])
    )


def _breaks_off(before: str, after: str) -> bool:
    if _ENDED.search(before) or _BULLET.search(after) or CELL_BREAK in before + after:
        return False
    return bool(_AT_A_CUT.search(before) or _AT_A_CUT.search(after[:1]))
