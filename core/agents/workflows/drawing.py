"""The picture of a workflow, read from its compiled graph: nodes on levels, edges with their outcomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from core.agents.workflows.workflow import Compiled, Workflow, compile_workflow

START, END = "__start__", "__end__"


@dataclass(frozen=True, slots=True)
class DrawnNode:
    name: str
    level: int
    """Row from the top, 0-based."""
    column: int
    """Place in the row from the left, 0-based."""


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    source: str
    target: str
    outcomes: tuple[str, ...]
    """Empty for an unconditional edge."""
    back: bool
    """Whether it leads back to an earlier node (a loop)."""


@dataclass(frozen=True, slots=True)
class Drawing:
    workflow: str
    nodes: tuple[DrawnNode, ...]
    """In the order in which a run can first reach them, from START."""
    edges: tuple[DrawnEdge, ...]


@cache
def draw(workflow: Workflow) -> Drawing:
    arrows = _arrows(compile_workflow(workflow))
    order = _first_visits(arrows)
    levels = _levels(order, arrows)
    edges = [
        DrawnEdge(source, target, outcomes, levels[target] <= levels[source])
        for (source, target), outcomes in arrows.items()
    ]
    edges.sort(key=lambda edge: (order.index(edge.source), order.index(edge.target)))
    return Drawing(workflow.name, _placed(order, levels), tuple(edges))


def path_taken(drawing: Drawing, path: Sequence[str], outcomes: Sequence[str]) -> Drawing:
    """The part that a run passed through. path: START, then the visited nodes in order; outcomes: of each visit."""
    arrows: dict[tuple[str, str], tuple[str, ...]] = {}
    known = {(edge.source, edge.target): edge for edge in drawing.edges}
    for arrow, outcome in zip(pairwise(path), outcomes, strict=False):
        chosen = outcome and arrow in known and outcome in known[arrow].outcomes
        arrows[arrow] = tuple(dict.fromkeys((*arrows.get(arrow, ()), *([outcome] if chosen else []))))
    order = list(dict.fromkeys(path))
    nodes = tuple(DrawnNode(name, level, 0) for level, name in enumerate(order))
    edges = [
        DrawnEdge(source, target, said, order.index(target) <= order.index(source))
        for (source, target), said in arrows.items()
    ]
    return Drawing(drawing.workflow, nodes, tuple(edges))


def _arrows(compiled: Compiled) -> dict[tuple[str, str], tuple[str, ...]]:
    """(source, target) -> outcomes that lead there; empty for an unconditional edge."""
    builder = compiled.builder
    arrows: dict[tuple[str, str], tuple[str, ...]] = dict.fromkeys(sorted(builder.edges), ())
    for source, branches in builder.branches.items():
        for branch in branches.values():
            for outcome, target in (branch.ends or {}).items():
                arrows[source, target] = (*arrows.get((source, target), ()), str(outcome))
    return arrows


def _first_visits(arrows: Mapping[tuple[str, str], object]) -> list[str]:
    """Reachable nodes, breadth first."""
    order = [START]
    for name in order:
        order += [target for source, target in arrows if source == name and target not in order]
    return order


def _levels(order: list[str], arrows: Mapping[tuple[str, str], object]) -> dict[str, int]:
    """Length of the longest path from START without loops."""
    forward = _without_loops(order[0], arrows)
    levels = dict.fromkeys(order, 0)
    for _ in order:
        for source, target in forward:
            levels[target] = max(levels[target], levels[source] + 1)
    return levels


def _without_loops(start: str, arrows: Mapping[tuple[str, str], object]) -> list[tuple[str, str]]:
    """Edges that do not lead back to an earlier node."""
    forward: list[tuple[str, str]] = []
    done: set[str] = set()

    def visit(name: str, way: tuple[str, ...]) -> None:
        for source, target in arrows:
            if source == name and target not in way:
                forward.append((source, target))
                if target not in done:
                    visit(target, (*way, target))
        done.add(name)

    visit(start, (start,))
    return forward


def _placed(order: list[str], levels: dict[str, int]) -> tuple[DrawnNode, ...]:
    """Places the first node of a level in column 0, the others to its right."""
    columns: dict[int, int] = {}
    placed = []
    for name in order:
        column = columns.get(levels[name], 0)
        columns[levels[name]] = column + 1
        placed.append(DrawnNode(name, levels[name], column))
    return tuple(placed)
