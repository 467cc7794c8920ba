"""OCR output: lines with boxes and confidence, before ordering, and how alike two readings are."""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from core.documents.model import Box
from core.documents.reading.layout import TextLine


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
        return _thousandths(x0), _thousandths(y0), _thousandths(x1), _thousandths(y1)


def _thousandths(share: float) -> int:
    return min(1000, max(0, round(1000 * share)))


def likeness(one: str, other: str) -> float:
    """Dice coefficient of character bigrams, 0 to 1; ignores blanks and case."""
    pairs, others = _pairs(one), _pairs(other)
    total = pairs.total() + others.total()
    return 2 * (pairs & others).total() / total if total else 1.0


def _pairs(text: str) -> Counter[tuple[str, str]]:
    return Counter(pairwise("".join(text.casefold().split())))
