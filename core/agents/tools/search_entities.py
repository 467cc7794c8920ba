"""Finds entities by part of their name."""

from collections.abc import Sequence

from pydantic import Field

from core.agents.state import Deps, State
from core.agents.tools.results.graph_cues import found_name, searched_names
from core.agents.tools.results.graph_evidence import evidence, first_entities, in_file_order
from core.agents.tools.tool import Tool, ToolArguments, ToolOutcome, Toolset, ToolSituation
from core.graph.model import Entity
from core.graph.ports import KnowledgeGraph
from core.rulebook.messages import Question

NAME = "search_entities"
SHOWN = 15
SUGGESTED = 8
COUNTED = 1_000
"""Limit for counting matches."""
MAX_QUERY = 200


class SearchEntities(ToolArguments):
    query: str = Field(description="The name of one entity, or a part of it")


def search_entities(arguments: SearchEntities, state: State, deps: Deps) -> ToolOutcome:
    graph, base_id = deps.graph, state.base_id
    query = " ".join(arguments.query.split())[:MAX_QUERY]
    found = in_file_order(graph, graph.search(base_id, query, COUNTED)) if query else []
    if not found and query and (alike := graph.alike(base_id, query, SHOWN)):
        lines = [f"Found {len(alike)} entity(ies) whose names mean about '{query}':", *_listed(graph, alike)]
        return ToolOutcome("\n".join(lines), entity_ids=tuple(entity.id for entity in alike))
    if not found:
        names = ", ".join(entity.name for entity in first_entities(graph, base_id, SUGGESTED))
        hint = f"Some entities of the graph: {names}" if names else "The graph has no entities yet."
        return ToolOutcome(f"No entity matches '{query}'. Try a part of the name. {hint}")
    shown = found[:SHOWN]
    lines = [f"Found {len(found)} entity(ies) matching '{query}':"]
    lines += _listed(graph, shown)
    if len(found) > SHOWN:
        lines.append(f"... and {len(found) - SHOWN} more. Use a longer query to narrow the search.")
    return ToolOutcome("\n".join(lines), entity_ids=tuple(entity.id for entity in shown))


def _listed(graph: KnowledgeGraph, shown: Sequence[Entity]) -> list[str]:
    return [f'  [{entity.type}] "{entity.name}" ({evidence(graph, entity, with_id=True)})' for entity in shown]


def _next(situation: ToolSituation) -> SearchEntities | None:
    """Rule: the question's topic first, then its other names one after another."""
    if not situation.used:
        return SearchEntities(query=Question(situation.question).topic(situation.names))
    last = situation.used[-1]
    if last.tool != NAME or found_name(last):
        return None
    asked = searched_names(situation.used)
    other = next((name for name in situation.names if name not in asked), "")
    return SearchEntities(query=other) if other else None


TOOL = Tool(
    name=NAME,
    description="Finds entities by their name.",
    toolset=Toolset.GRAPH,
    order=10,
    arguments=SearchEntities,
    call=search_entities,
    next=_next,
    last_resort=True,
)
