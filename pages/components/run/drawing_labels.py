"""Placement of the outcomes on a drawing's arrows: near the node that they leave, without overlaps."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width

from pages.components.run.drawing_layout import ArrowPath, Layout
from pages.components.run.run_words import outcome_words

_CHARACTER, _WIDE_CHARACTER = 4.3, 8.7
_ABOVE, _BELOW = 7.0, 2.5
"""Extent above and below the baseline."""
_ALONG = (0.78, 0.5, 0.3, 0.9, 0.65, 0.4)
"""Shares of the way to the next node or to the upright line, in order of preference."""
_LINES = (0.0, 10.0, -10.0, 20.0)
_SIDES = {"middle": 0.5, "start": 0.0, "end": 1.0}


@dataclass(frozen=True, slots=True)
class Label:
    words: str
    x: float
    y: float
    """Baseline."""
    anchor: str
    """`start`, `middle` or `end`, as in SVG."""

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Bounding box: left, top, right, bottom."""
        width = sum(_WIDE_CHARACTER if east_asian_width(sign) in "WF" else _CHARACTER for sign in self.words)
        left = self.x - _SIDES[self.anchor] * width
        return left, self.y - _ABOVE, left + width, self.y + _BELOW


def labels_of(layout: Layout) -> list[Label]:
    """Labels of the arrows with outcomes, each in its first free place, or in the one with the least overlap."""
    covered = [
        (place.x - place.width / 2, place.y - place.height / 2, place.x + place.width / 2, place.y + place.height / 2)
        for place in layout.places.values()
    ]
    labels: list[Label] = []
    for route in layout.routes:
        if route.edge.outcomes:
            best = min(_candidates(route), key=lambda label: _hidden(label.box, covered))
            covered.append(best.box)
            labels.append(best)
    return labels


def _candidates(route: ArrowPath) -> Iterator[Label]:
    words = " / ".join(outcome_words(outcome) for outcome in route.edge.outcomes)
    (x0, y0), (x1, y1) = route.points[:2]
    outward = "start" if x1 > x0 else "end"
    if route.edge.back:
        for line in _LINES:
            yield Label(words, x0 + (6 if x1 > x0 else -6), y0 - 4 + line, outward)
        return
    straight = len(route.points) == 2
    for anchor in ("middle", "start", "end") if straight else (outward, "middle"):
        for share in _ALONG:
            x, y = _point((x0, y0), (x1, y1), share)
            yield Label(words, x, y + 2, anchor)
    if not straight:
        for line in _LINES:
            yield Label(words, x1, y1 + 10 + abs(line), "middle")


def _point(start: tuple[float, float], end: tuple[float, float], share: float) -> tuple[float, float]:
    """Point on the curve of an arrow, which leaves and arrives vertically."""
    (x0, y0), (x1, y1) = start, end
    bend = share * share * (3 - 2 * share)
    return x0 + (x1 - x0) * bend, y0 + (y1 - y0) * share


def _hidden(box: tuple[float, float, float, float], covered: Sequence[tuple[float, float, float, float]]) -> float:
    """Area of a label that overlaps something else."""
    left, top, right, bottom = box
    return sum(
        max(0.0, min(right, other[2]) - max(left, other[0])) * max(0.0, min(bottom, other[3]) - max(top, other[1]))
        for other in covered
    )
