"""A workflow as inline SVG: nodes light up as they run, edges show the outcome that takes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal
from unicodedata import east_asian_width

from core.agents.workflows.drawing import END, START, Drawing
from pages.components.run.drawing_labels import Label, labels_of
from pages.components.run.drawing_layout import HEIGHT, ArrowPath, Layout, NodeBox, lay_out
from pages.components.run.run_words import node_words, shown_name
from pages.components.shell.language import language, use_language
from pages.components.shell.text import html_of

_CHARACTER, _WIDE_CHARACTER = 5.5, 10.5
_PADDING = 18.0
_DOT = 9.0
_RADIUS = 8.0

Point = tuple[float, float]
StepState = Literal["active", "done", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class Lit:
    """How a node looks now."""

    status: StepState | Literal[""] = ""
    """Empty for one that has not run."""
    times: int = 0
    """How often it ran, shown from 2 on."""


def drawing_svg(drawing: Drawing, title: str, lit: Mapping[str, Lit] | None = None, path: Sequence[str] = ()) -> str:
    """`path` lists the nodes in the order they ran (END last, if reached); their edges are drawn as taken."""
    words = {node.name: node_words(node.name) for node in drawing.nodes}
    layout, labels = _laid_out(drawing, tuple(_width(name, words[name]) for name in words), language())
    taken = set(pairwise((START, *path)))
    drawn = "".join(_arrow(route, (route.edge.source, route.edge.target) in taken) for route in layout.routes)
    boxes = "".join(
        _node(name, words[name], place, (lit or {}).get(name, Lit())) for name, place in layout.places.items()
    )
    left = min([0.0, *(label.box[0] for label in labels)])
    right = max([layout.width, *(label.box[2] for label in labels)])
    return (
        f'<svg viewBox="{left:.0f} 0 {right - left:.0f} {layout.height:.0f}" role="img" aria-label="{html_of(title)}" '
        f'style="max-width:{(right - left) * 1.35:.0f}px">{drawn}{boxes}{"".join(map(_outcome, labels))}</svg>'
    )


@lru_cache(maxsize=64)
def _laid_out(drawing: Drawing, widths: tuple[float, ...], interface: str) -> tuple[Layout, list[Label]]:
    """interface: the language of the labels, which takes longer to place than all the rest."""
    layout = lay_out(drawing, {node.name: width for node, width in zip(drawing.nodes, widths, strict=True)})
    with use_language(interface):
        return layout, labels_of(layout)


def _width(name: str, words: str) -> float:
    if name in (START, END):
        return _DOT
    return _PADDING + sum(_WIDE_CHARACTER if east_asian_width(sign) in "WF" else _CHARACTER for sign in words)


def _node(name: str, words: str, place: NodeBox, lit: Lit) -> str:
    """Labelled as in the list of steps, followed by its name in the code."""
    if name in (START, END):
        return f'<circle class="gt-end" cx="{place.x:.1f}" cy="{place.y:.1f}" r="{_DOT / 2}"/>'
    title = f"<title>{html_of(shown_name(name))}</title>"
    left, top = place.x - place.width / 2, place.y - HEIGHT / 2
    times = f'<text class="gt-times" x="{left + place.width - 4:.1f}" y="{top - 1:.1f}">×{lit.times}</text>'
    return (
        f'<g class="gt-node{f" is-{lit.status}" if lit.status else ""}">{title}<rect x="{left:.1f}" y="{top:.1f}" '
        f'width="{place.width:.1f}" height="{HEIGHT}" rx="6"/><text x="{place.x:.1f}" y="{place.y:.1f}">'
        f"{html_of(words)}</text>{times if lit.times > 1 else ''}</g>"
    )


def _arrow(route: ArrowPath, taken: bool) -> str:
    looks = f"{' is-loop' if route.edge.back else ''}{' is-taken' if taken else ''}"
    path = _loop_path(route.points) if route.edge.back else _down_path(route.points)
    return f'<path class="gt-arrow{looks}" d="{path}"/>{_head(route, looks)}'


def _down_path(points: Sequence[Point]) -> str:
    curves = "".join(_curve(start, end) for start, end in pairwise(points))
    return f"M{points[0][0]:.1f} {points[0][1]:.1f}{curves}"


def _loop_path(points: Sequence[Point]) -> str:
    """Leaves and arrives horizontally, runs vertically in between, with round corners."""
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


def _head(route: ArrowPath, looks: str) -> str:
    x, y = route.points[-1]
    if route.edge.back:
        side = 5 if route.points[-2][0] > x else -5
        corners = f"M{x:.1f} {y:.1f}l{side} -3v6z"
    else:
        corners = f"M{x:.1f} {y:.1f}l-3 -5h6z"
    return f'<path class="gt-head{looks}" d="{corners}"/>'


def _outcome(label: Label) -> str:
    place = f'text-anchor="{label.anchor}" x="{label.x:.1f}" y="{label.y:.1f}"'
    return f'<text class="gt-outcome" {place}>{html_of(label.words, 40)}</text>'
