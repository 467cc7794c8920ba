"""Neighbours of an entity, hop by hop."""

from itertools import groupby
from typing import Annotated

from pydantic import BeforeValidator, Field

from core.agents.state import Deps, State
from core.agents.tools.results.graph_cues import asked_hops, found_name
from core.agents.tools.results.graph_evidence import ranked
from core.agents.tools.tool import Tool, ToolArguments, ToolOutcome, Toolset, ToolSituation

MAX_HOPS = 3
SHOWN = 20
"""Entities listed per hop."""
COUNTED = 5_000
"""Entities counted per hop."""


class GetNeighbors(ToolArguments):
    entity_name: str = Field(description="The name of one entity")
    hops: Annotated[int, BeforeValidator(lambda given: given or 1)] = Field(
        default=1, description=f"Steps away, 1 to {MAX_HOPS}; leave out unless the question says how far"
    )


def get_neighbors(arguments: GetNeighbors, state: State, deps: Deps) -> ToolOutcome:
    graph = deps.graph
    name = " ".join(arguments.entity_name.split())
    found = (graph.search(state.base_id, name, 1) or graph.alike(state.base_id, name, 1)) if name else []
    if not found:
        return ToolOutcome(f"No entity called '{name}'. Use search_entities to find its name in the graph.")
    start, hops = found[0], max(1, min(MAX_HOPS, arguments.hops))
    neighbours = graph.neighbours(start.id, hops, COUNTED)
    lines = [f"Neighbors of '{start.name}' [{start.type}] within {hops} hop(s):", ""]
    touched = [start.id]
    for hop, group in groupby(neighbours, key=lambda neighbour: neighbour.hop):
        weights = {neighbour.entity: neighbour.weight for neighbour in group}
        shown = ranked(graph, list(weights), weights.__getitem__, SHOWN)
        lines.append(f"Hop {hop} — {len(weights)} related entities:")
        lines += [f"  [{entity.type}] {entity.name}" for entity in shown]
        if len(weights) > SHOWN:
            lines.append(f"  ... and {len(weights) - SHOWN} more")
        touched += [entity.id for entity in shown]
    lines.append(f"Total related entities: {len(neighbours)}")
    return ToolOutcome("\n".join(lines), entity_ids=tuple(touched))


def _next(situation: ToolSituation) -> GetNeighbors | None:
    """Rule: called after a search that found the entity."""
    found = found_name(situation.used[-1]) if situation.used else ""
    if not found:
        return None
    return GetNeighbors(entity_name=found, hops=asked_hops(situation.question, situation.names))


TOOL = Tool(
    name="get_neighbors",
    description="Lists the entities that are related to one entity, step by step.",
    toolset=Toolset.GRAPH,
    order=20,
    arguments=GetNeighbors,
    call=get_neighbors,
    next=_next,
)
