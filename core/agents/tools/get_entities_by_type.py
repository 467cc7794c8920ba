"""All entities of one type."""

from pydantic import Field

from core.agents.state import Deps, State
from core.agents.tools.results.graph_cues import asks_overview, listed_type
from core.agents.tools.results.graph_evidence import evidence, in_file_order
from core.agents.tools.tool import Tool, ToolArguments, ToolOutcome, Toolset, ToolSituation

NAME = "get_entities_by_type"
SHOWN = 200


class GetEntitiesByType(ToolArguments):
    entity_type: str = Field(description="One of the entity types, such as TECHNOLOGY or PERSON")


def get_entities_by_type(arguments: GetEntitiesByType, state: State, deps: Deps) -> ToolOutcome:
    graph, base_id = deps.graph, state.base_id
    wanted = "_".join(arguments.entity_type.split()).upper()
    types = dict(graph.stats(base_id).types)
    if wanted not in types:
        known = ", ".join(sorted(types)) or "none yet"
        return ToolOutcome(f"Error: unknown entity type '{wanted}'. Types in the graph: {known}")
    everything = types[wanted] if graph.file_order(base_id) else SHOWN
    found = sorted(graph.search(base_id, "", everything, wanted), key=lambda it: (it.name.casefold(), it.name))
    lines = [f"{wanted} entities ({types[wanted]} total):"]
    ordered = in_file_order(graph, found)[:SHOWN]
    lines += [f"  • {entity.name} ({evidence(graph, entity)})" for entity in ordered]
    if types[wanted] > len(ordered):
        lines.append(f"... and {types[wanted] - len(ordered)} more")
    return ToolOutcome("\n".join(lines), entity_ids=tuple(entity.id for entity in ordered))


def _next(situation: ToolSituation) -> GetEntitiesByType | None:
    if situation.used or asks_overview(situation.question):
        return None
    wanted = listed_type(situation.question, situation.names, situation.types)
    return GetEntitiesByType(entity_type=wanted) if wanted else None


TOOL = Tool(
    name=NAME,
    description="Lists all entities of one type.",
    toolset=Toolset.GRAPH,
    order=30,
    arguments=GetEntitiesByType,
    call=get_entities_by_type,
    next=_next,
)
