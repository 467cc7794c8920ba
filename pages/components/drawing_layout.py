"""Where the nodes and arrows of a workflow's picture go: rows from top to bottom, loops led round outside."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.workflows.drawing import Drawing, DrawnEdge

HEIGHT = 22.0
ROW_GAP = 20.0
NODE_GAP = 14.0
MARGIN = 14.0
_BEND_WIDTH = 10.0
_SWEEPS = 6


@dataclass(frozen=True, slots=True)
class Place:
    """Centre and size in pixels."""

    x: float
    y: float
    width: float
    height: float = HEIGHT


@dataclass(frozen=True, slots=True)
class Route:
    """An arrow with the points it passes, from its source's edge to its target's."""

    edge: DrawnEdge
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Layout:
    places: Mapping[str, Place]
    routes: tuple[Route, ...]
    width: float
    height: float


def lay_out(drawing: Drawing, widths: Mapping[str, float]) -> Layout:
    """Deterministic: the same workflow looks the same everywhere. Widths are in pixels, by node."""
    levels = {node.name: node.level for node in drawing.nodes}
    chains = {edge: _chain(edge, levels) for edge in drawing.edges}
    links = [link for chain in chains.values() for link in pairwise(chain)]
    rows = _ordered(_rows(levels, chains.values()), links)
    sizes = defaultdict(lambda: _BEND_WIDTH, widths)
    xs = _columns(rows, links, sizes)
    shift = 2 * MARGIN - min(x - sizes[name] / 2 for name, x in xs.items())
    ys = {name: MARGIN + HEIGHT / 2 + row * (HEIGHT + ROW_GAP) for row, names in enumerate(rows) for name in names}
    places = {name: Place(x + shift, ys[name], sizes[name], min(HEIGHT, sizes[name])) for name, x in xs.items()}
    routes = tuple(
        (_loop_route if edge.back else _route)(edge, [places[name] for name in chain]) for edge, chain in chains.items()
    )
    width = max(place.x + place.width / 2 for place in places.values()) + 2 * MARGIN
    height = 2 * MARGIN + len(rows) * (HEIGHT + ROW_GAP) - ROW_GAP
    return Layout({name: places[name] for name in levels}, routes, width, height)


def _chain(edge: DrawnEdge, levels: Mapping[str, int]) -> list[str]:
    """The arrow's ends with a bend for every row that it crosses, in the order in which it runs."""
    start, end = levels[edge.source], levels[edge.target]
    step = 1 if end >= start else -1
    bends = [f"{edge.source}>{edge.target}@{level}" for level in range(start + step, end, step)]
    return [edge.source, *bends, edge.target]


def _rows(levels: Mapping[str, int], chains: Iterable[list[str]]) -> list[list[str]]:
    rows: list[list[str]] = [[] for _ in range(max(levels.values()) + 1)]
    for name, level in levels.items():
        rows[level].append(name)
    for chain in chains:
        for bend in chain[1:-1]:
            rows[int(bend.rsplit("@", 1)[1])].append(bend)
    return rows


def _ordered(rows: list[list[str]], links: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Rows sorted by the mean place of their neighbours, down and up again, so that few arrows cross."""
    near = _neighbours(links)
    place = {name: float(index) for row in rows for index, name in enumerate(row)}
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            means = {name: _mean([place[other] for other in near[name]], place[name]) for name in row}
            row.sort(key=lambda name: (means[name], name))
            place.update({name: index - len(row) / 2 for index, name in enumerate(row)})
    return rows


def _columns(
    rows: Sequence[Sequence[str]], links: Sequence[tuple[str, str]], sizes: Mapping[str, float]
) -> dict[str, float]:
    """Pulls everything towards its neighbours, keeping the order and the gaps of each row."""
    near = _neighbours(links)
    x: dict[str, float] = {}
    for row in rows:
        x.update(_spread(row, dict.fromkeys(row, 0.0), sizes))
    for sweep in range(2 * _SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted = {name: _pull(name, near[name], x) for name in row}
            x.update(_spread(row, wanted, sizes))
    return x


def _pull(name: str, near: Sequence[str], x: Mapping[str, float]) -> float:
    """Towards the neighbours; of a node the neighbouring nodes only, so that the main way stays straight."""
    nodes = [other for other in near if "@" not in other] if "@" not in name else []
    return _mean([x[other] for other in nodes or near], x[name])


def _spread(row: Sequence[str], wanted: Mapping[str, float], sizes: Mapping[str, float]) -> dict[str, float]:
    """As near to the wanted places as the gaps allow; where nodes need room, the bends beside them give way."""
    nodes = [index for index, name in enumerate(row) if "@" not in name] or list(range(len(row)))
    placed: dict[str, float] = {}
    edge = float("-inf")
    for name in row:
        placed[name] = max(wanted[name], edge + sizes[name] / 2)
        edge = placed[name] + sizes[name] / 2 + NODE_GAP
    shift = _mean([wanted[row[index]] - placed[row[index]] for index in nodes], 0.0)
    placed = {name: x + shift for name, x in placed.items()}
    for name, outer in pairwise(reversed(row[: nodes[0] + 1])):
        placed[outer] = min(wanted[outer], placed[name] - _apart(name, outer, sizes))
    for name, outer in pairwise(row[nodes[-1] :]):
        placed[outer] = max(wanted[outer], placed[name] + _apart(name, outer, sizes))
    return placed


def _apart(one: str, other: str, sizes: Mapping[str, float]) -> float:
    return (sizes[one] + sizes[other]) / 2 + NODE_GAP


def _neighbours(links: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    near: dict[str, list[str]] = defaultdict(list)
    for source, target in links:
        near[source].append(target)
        near[target].append(source)
    return near


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _route(edge: DrawnEdge, passed: Sequence[Place]) -> Route:
    """Down from the source's lower edge to the target's upper one."""
    first, *bends, last = passed
    start, end = (first.x, first.y + first.height / 2), (last.x, last.y - last.height / 2)
    return Route(edge, (start, *((bend.x, bend.y) for bend in bends), end))


def _loop_route(edge: DrawnEdge, passed: Sequence[Place]) -> Route:
    """Out at a side of the source, up, and in at the same side of the target."""
    first, *bends, last = passed
    outside = max(first.x + first.width / 2, last.x + last.width / 2) + MARGIN
    points = [(bend.x, bend.y) for bend in bends] or [(outside, (first.y + last.y) / 2)]
    side = 1 if points[0][0] >= first.x else -1
    end_side = 1 if points[-1][0] >= last.x else -1
    start, end = (first.x + side * first.width / 2, first.y), (last.x + end_side * last.width / 2, last.y)
    return Route(edge, (start, *points, end))
