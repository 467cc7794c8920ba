"""What a workflow is: a name, its texts, and the wiring of nodes; compiled when it is first run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.state import Deps, State

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph, StateGraph

    Graph = StateGraph[State, Deps, State, State]
    Compiled = CompiledStateGraph[State, Deps, State, State]


@dataclass(frozen=True, slots=True)
class Workflow:
    name: str
    order: int
    """Place in the picker; the first is the default."""
    wire: Callable[[Graph], None]
    last: tuple[str, ...]
    """The nodes after which a run may end; a node without a way on that is not here is a mistake in the wiring."""
    title: str
    summary: str
    welcome: str
    """Catalogue keys."""
    searches_web: bool = False
    """Whether it searches the web where that is switched on."""
    history_turns: int = 6
    """How much of the conversation it is told: questions and answers, the newest."""


def compile_workflow(workflow: Workflow) -> Compiled:
    """Raises ValueError when a node has no way on and is not declared as a last one."""
    from langgraph.graph import END, StateGraph

    graph: Graph = StateGraph(State, context_schema=Deps)
    workflow.wire(graph)
    for name in workflow.last:
        graph.add_edge(name, END)
    leaving = {source for source, _ in graph.edges} | graph.branches.keys()
    if stuck := graph.nodes.keys() - leaving:
        raise ValueError(f"workflow {workflow.name}: no way on from {sorted(stuck)}")
    return graph.compile(name=workflow.name)


def recursion_limit(compiled: Compiled, corrections: int) -> int:
    """Every node once for the first try and once for each correction, and a last step: more is a loop without end."""
    return len(compiled.builder.nodes) * (1 + corrections) + 2
