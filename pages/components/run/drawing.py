"""A workflow as inline SVG: nodes light up as they run, edges show the outcome that takes them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal
from unicodedata import east_asian_width

from core.agents.workflows.drawing import END, START, Drawing
from pages.components.run.drawing_layout import ArrowPath, Layout, NodeBox, lay_out
from pages.components.run.run_words import node_words, outcome_words, shown_name
from pages.components.shell.language import language, use_language
from pages.components.shell.text import Html, render

_IN_NODE, _IN_LABEL = (5.5, 10.5), (4.3, 8.7)
"""Widths of a narrow and a wide character in pixels."""
_PADDING = 18.0
_DOT = 9.0
_RADIUS = 8.0
_ABOVE, _BELOW = 7.0, 2.5
"""Extent above and below the baseline."""
_ALONG = (0.78, 0.5, 0.3, 0.9, 0.65, 0.4)
"""Shares of the way to the next node or to the upright line, in order of preference."""
_LINES = (0.0, 10.0, -10.0, 20.0)
_SIDES = {"middle": 0.5, "start": 0.0, "end": 1.0}

Point = tuple[float, float]
StepState = Literal["active", "done", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class Lit:
    """State of a node in a run."""

    status: StepState | Literal[""] = ""
    """Empty for a node that has not run."""
    times: int = 0
    """Number of visits, shown from 2 on."""


@dataclass(frozen=True, slots=True)
class Label:
    """The outcomes on an arrow."""

    words: str
    x: float
    y: float
    """Baseline."""
    anchor: str
    """`start`, `middle` or `end`, as in SVG."""

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Bounding box: left, top, right, bottom."""
        width = _length(self.words, _IN_LABEL)
        left = self.x - _SIDES[self.anchor] * width
        return left, self.y - _ABOVE, left + width, self.y + _BELOW


def drawing_svg(drawing: Drawing, title: str, lit: Mapping[str, Lit] | None = None, path: Sequence[str] = ()) -> Html:
    """SVG of a workflow. path: the nodes in the order in which they ran (END last, if reached)."""
    words = {node.name: node_words(node.name) for node in drawing.nodes}
    layout, labels = _laid_out(drawing, tuple(_width(name, words[name]) for name in words), language())
    taken = set(pairwise((START, *path)))
    left = min([0.0, *(label.box[0] for label in labels)])
    width = max([layout.width, *(label.box[2] for label in labels)]) - left
    return render(
        "run/drawing.html",
        "workflow",
        title=title,
        view_box=f"{left:.0f} 0 {width:.0f} {layout.height:.0f}",
        width=f"{width * 1.35:.0f}",
        arrows=[_arrow(route, (route.edge.source, route.edge.target) in taken) for route in layout.routes],
        nodes=[_node(name, words[name], place, (lit or {}).get(name, Lit())) for name, place in layout.places.items()],
        labels=labels,
    )


@lru_cache(maxsize=64)
def _laid_out(drawing: Drawing, widths: tuple[float, ...], interface: str) -> tuple[Layout, list[Label]]:
    """Layout and labels, cached because placing labels takes the longest. interface: language of the labels."""
    layout = lay_out(drawing, {node.name: width for node, width in zip(drawing.nodes, widths, strict=True)})
    with use_language(interface):
        return layout, labels_of(layout)


def _width(name: str, words: str) -> float:
    if name in (START, END):
        return _DOT
    return _PADDING + _length(words, _IN_NODE)


def _length(words: str, widths: tuple[float, float]) -> float:
    return sum(widths[east_asian_width(sign) in "WF"] for sign in words)


def _node(name: str, words: str, place: NodeBox, lit: Lit) -> Html:
    if name in (START, END):
        return render("run/drawing.html", "dot", place=place, radius=_DOT / 2)
    return render("run/drawing.html", "node", name=shown_name(name), words=words, place=place, lit=lit)


def _arrow(route: ArrowPath, taken: bool) -> tuple[str, str, str]:
    """Further classes, the line and its head."""
    looks = f"{' is-loop' if route.edge.back else ''}{' is-taken' if taken else ''}"
    path = _loop_path(route.points) if route.edge.back else _down_path(route.points)
    return looks, path, _head(route)


def _down_path(points: Sequence[Point]) -> str:
    curves = "".join(_curve(start, end) for start, end in pairwise(points))
    return f"M{points[0][0]:.1f} {points[0][1]:.1f}{curves}"


def _loop_path(points: Sequence[Point]) -> str:
    """Path that leaves and arrives horizontally and runs vertically in between, with round corners."""
    (x0, y0), (xa, ya), (_, yb), (x1, y1) = points
    radius = min(_RADIUS, abs(ya - yb) / 2, abs(xa - x0), abs(xa - x1))
    out, back = (radius if xa > x else -radius for x in (x0, x1))
    return (
        f"M{x0:.1f} {y0:.1f}H{xa - out:.1f}Q{xa:.1f} {ya:.1f} {xa:.1f} {ya - radius:.1f}V{yb + radius:.1f}"
        f"Q{xa:.1f} {yb:.1f} {xa - back:.1f} {y1:.1f}H{x1:.1f}"
    )


def _curve(start: Point, end: Point) -> str:
    (x0, y0), (x1, y1) = start, end
    middle = (y0 + y1) / 2
    return f"C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}"


def _head(route: ArrowPath) -> str:
    x, y = route.points[-1]
    if not route.edge.back:
        return f"M{x:.1f} {y:.1f}l-3 -5h6z"
    side = 5 if route.points[-2][0] > x else -5
    return f"M{x:.1f} {y:.1f}l{side} -3v6z"


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
