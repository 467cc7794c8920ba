"""Layout of a workflow's nodes and edges: the main path straight down, edges to distant nodes routed outside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from core.agents.workflows.drawing import Drawing, DrawnEdge

HEIGHT = 22.0
ROW_GAP = 24.0
PLAIN_ROW_GAP = 15.0
"""Gap below a row whose downward arrows have no labels."""
NODE_GAP = 12.0
LANE_GAP = 9.0
MARGIN = 10.0
_WORDS = 54.0
"""Width reserved for the label of a loop."""


@dataclass(frozen=True, slots=True)
class NodeBox:
    """Centre and size in pixels."""

    x: float
    y: float
    width: float
    height: float = HEIGHT


@dataclass(frozen=True, slots=True)
class ArrowPath:
    """An arrow with the points it passes, from its source's edge to its target's."""

    edge: DrawnEdge
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Layout:
    places: Mapping[str, NodeBox]
    routes: tuple[ArrowPath, ...]
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class _Lane:
    """The shared vertical line of all edges to one distant node, which saves room and loses no information."""

    x: float
    first: int
    last: int
    """Rows beside which it runs, inclusive."""

    def meets(self, first: int, last: int) -> bool:
        return self.first <= last and first <= self.last


def lay_out(drawing: Drawing, widths: Mapping[str, float]) -> Layout:
    """Deterministic layout of a workflow. widths: in pixels, by node."""
    levels = {node.name: node.level for node in drawing.nodes}
    rows = [list(names) for _, names in groupby(sorted(levels, key=lambda name: levels[name]), key=levels.__getitem__)]
    xs = _columns(rows, _main_way(drawing, levels), drawing.edges, widths)
    lanes = _lanes(drawing.edges, rows, levels, xs, widths)
    left = min([*(x - widths[name] / 2 for name, x in xs.items()), *(lane.x for lane in lanes.values())])
    right = max([*(x + widths[name] / 2 for name, x in xs.items()), *(lane.x for lane in lanes.values())])
    middles = _row_middles(drawing.edges, levels)
    places = {
        name: NodeBox(x - left + MARGIN, middles[levels[name]], widths[name], min(HEIGHT, widths[name]))
        for name, x in xs.items()
    }
    shifted = {key: _Lane(lane.x - left + MARGIN, lane.first, lane.last) for key, lane in lanes.items()}
    routes = tuple(_route(edge, places, levels, middles, shifted.get(_key(edge, xs))) for edge in drawing.edges)
    return Layout(
        {name: places[name] for name in levels},
        routes,
        right - left + 2 * MARGIN,
        middles[-1] + HEIGHT / 2 + MARGIN,
    )


def _row_middles(edges: Sequence[DrawnEdge], levels: Mapping[str, int]) -> list[float]:
    named = {levels[edge.source] for edge in edges if edge.outcomes and not edge.back}
    gaps = (ROW_GAP if level in named else PLAIN_ROW_GAP for level in range(max(levels.values())))
    return list(accumulate((HEIGHT + gap for gap in gaps), initial=MARGIN + HEIGHT / 2))


def _main_way(drawing: Drawing, levels: Mapping[str, int]) -> set[str]:
    """Nodes of the longest downward path, which is the usual course."""
    longest: dict[str, list[str]] = {}
    for name in sorted(levels, key=lambda name: -levels[name]):
        below = [longest[edge.target] for edge in drawing.edges if edge.source == name and not edge.back]
        longest[name] = [name, *max(below, key=len, default=[])]
    return set(longest[drawing.nodes[0].name])


def _columns(
    rows: Sequence[Sequence[str]], main: set[str], edges: Sequence[DrawnEdge], widths: Mapping[str, float]
) -> dict[str, float]:
    """Centres of the nodes: 0 for the main path; others on the side of their predecessors, else where there is room."""
    xs: dict[str, float] = {}
    for row in rows:
        centre = next((name for name in row if name in main), row[0])
        xs[centre] = 0.0
        taken = {-1: widths[centre] / 2, 1: widths[centre] / 2}
        for name in row:
            if name == centre:
                continue
            drawn_to = sum(xs.get(edge.source, 0.0) for edge in edges if edge.target == name and not edge.back)
            roomier = -1 if taken[-1] <= taken[1] else 1
            side = roomier if drawn_to == 0 else (1 if drawn_to > 0 else -1)
            xs[name] = side * (taken[side] + NODE_GAP + widths[name] / 2)
            taken[side] += NODE_GAP + widths[name]
    return xs


def _lanes(
    edges: Sequence[DrawnEdge],
    rows: Sequence[Sequence[str]],
    levels: Mapping[str, int],
    xs: Mapping[str, float],
    widths: Mapping[str, float],
) -> dict[tuple[str, bool, int], _Lane]:
    """For each key of an edge to a distant node, the innermost position where the line is free."""
    sharing: dict[tuple[str, bool, int], list[DrawnEdge]] = {}
    for edge in edges:
        if _is_far(edge, levels):
            sharing.setdefault(_key(edge, xs), []).append(edge)
    spans = {key: _span(shared, levels) for key, shared in sharing.items()}
    lanes: dict[tuple[str, bool, int], _Lane] = {}
    for key, (first, last) in sorted(spans.items(), key=lambda item: (item[1][1] - item[1][0], item[0])):
        side = key[2]
        beside = [side * xs[name] + widths[name] / 2 for row in rows[first : last + 1] for name in row]
        beside += [side * lane.x for lane in lanes.values() if lane.meets(first, last) and side * lane.x > 0]
        said = [edge.source for edge in sharing[key] if edge.back and edge.outcomes]
        beside += [side * xs[name] + widths[name] / 2 + _WORDS for name in said]
        lanes[key] = _Lane(side * (max(beside) + LANE_GAP), first, last)
    return lanes


def _is_far(edge: DrawnEdge, levels: Mapping[str, int]) -> bool:
    return edge.back or levels[edge.target] - levels[edge.source] > 1


def _key(edge: DrawnEdge, xs: Mapping[str, float]) -> tuple[str, bool, int]:
    """Edges with the same key share a line: target, whether it leads up, and its side (-1 left, 1 right)."""
    at = xs[edge.source] or (xs[edge.target] if not edge.back else 1)
    return edge.target, edge.back, 1 if at > 0 else -1


def _span(edges: Sequence[DrawnEdge], levels: Mapping[str, int]) -> tuple[int, int]:
    """The rows that the line passes; one that leads up leaves and arrives at a side, so their own rows too."""
    target, sources = levels[edges[0].target], [levels[edge.source] for edge in edges]
    return (target, max(sources)) if edges[0].back else (min(sources) + 1, target - 1)


def _route(
    edge: DrawnEdge,
    places: Mapping[str, NodeBox],
    levels: Mapping[str, int],
    middles: Sequence[float],
    lane: _Lane | None,
) -> ArrowPath:
    source, target = places[edge.source], places[edge.target]
    if edge.back and lane:
        side = 1 if lane.x >= source.x else -1
        start, end = (source.x + side * source.width / 2, source.y), (target.x + side * target.width / 2, target.y)
        return ArrowPath(edge, (start, (lane.x, source.y), (lane.x, target.y), end))
    start, end = (source.x, source.y + source.height / 2), (target.x, target.y - target.height / 2)
    if lane is None or not _is_far(edge, levels):
        return ArrowPath(edge, (start, end))
    top = middles[levels[edge.source] + 1] - HEIGHT / 2
    bottom = middles[levels[edge.target] - 1] + HEIGHT / 2
    return ArrowPath(edge, (start, (lane.x, top), (lane.x, bottom), end))
