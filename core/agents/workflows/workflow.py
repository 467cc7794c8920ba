"""The definition of a workflow: name, texts and wiring of nodes."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from core.agents.state import Deps, Noted, State

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph, StateGraph

Graph: TypeAlias = "StateGraph[State, Deps, State, State]"
Compiled: TypeAlias = "CompiledStateGraph[State, Deps, State, State]"
Edges: TypeAlias = Mapping[str, str | Mapping[Hashable, str]]
"""Of each node the next one, or the next ones by what it decides."""


@dataclass(frozen=True, slots=True)
class Workflow:
    name: str
    order: int
    """Position in the picker; the first is the default."""
    wire: Callable[[Graph], None]
    last: tuple[str, ...]
    """Nodes that may end a run; any other node without an outgoing edge is a wiring error."""
    title: str = ""
    summary: str = ""
    welcome: str = ""
    """Catalogue keys, which follow from the name; in a plug-in the texts themselves."""
    searches_web: bool = False
    """Whether it searches the web where that is switched on."""
    history_turns: int = 6
    """Number of recent turns (question and answer) that it receives."""

    def __post_init__(self) -> None:
        for part in ("title", "summary", "welcome"):
            object.__setattr__(self, part, getattr(self, part) or f"workflow.{self.name}.{part}")


def connect(graph: Graph, edges: Edges) -> None:
    for node, ways in edges.items():
        if isinstance(ways, str):
            graph.add_edge(node, ways)
        else:
            graph.add_conditional_edges(node, outcome_of, {**ways})


def outcome_of(state: Noted) -> str:
    return state.note.outcome


def compile_workflow(workflow: Workflow, after: str = "") -> Compiled:
    """after: the node whose edges are taken first; empty to begin at the start.

    Raises ValueError if a node has no outgoing edge and is not declared in `last`.
    """
    from langgraph.graph import END, StateGraph

    graph: Graph = StateGraph(State, context_schema=Deps)
    workflow.wire(graph)
    for name in workflow.last:
        graph.add_edge(name, END)
    leaving = {source for source, _ in graph.edges} | graph.branches.keys()
    if stuck := graph.nodes.keys() - leaving:
        raise ValueError(f"workflow {workflow.name}: no way on from {sorted(stuck)}")
    if after:
        _begin_after(graph, after)
    return graph.compile(name=workflow.name)


def _begin_after(graph: Graph, node: str) -> None:
    """Replaces the edges from the start by those of the node.

    LangGraph's own way, a checkpoint that is updated as if by that node, returns the tuples of the state as lists.
    """
    from langgraph.graph import START

    graph.edges = {edge for edge in graph.edges if edge[0] != START}
    for source, target in sorted(graph.edges):
        if source == node:
            graph.add_edge(START, target)
    for branch in graph.branches.get(node, {}).values():
        graph.add_conditional_edges(START, branch.path, branch.ends)


def recursion_limit(compiled: Compiled, corrections: int) -> int:
    """Each node once for the first attempt and once per correction, plus one step; more would be an endless loop."""
    return len(compiled.builder.nodes) * (1 + corrections) + 2
