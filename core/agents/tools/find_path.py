"""The way between two entities, for programs; the graph agent goes step by step with get_neighbors."""

from itertools import pairwise

from pydantic import Field

from core.agents.state import Deps, State
from core.agents.tools.tool import Tool, ToolArguments, ToolOutcome, Toolset, ToolSituation
from core.graph.model import Entity
from core.graph.network.cooccurrence import CO_OCCURS

MAX_NAME = 200
_COUNTED = "mentioned together, which states no relation"


class FindPath(ToolArguments):
    source: str = Field(description="the entity to start from: its name, the beginning or a part of it")
    target: str = Field(description="the entity to arrive at, named in the same way")


def find_path(arguments: FindPath, state: State, deps: Deps) -> ToolOutcome:
    source, target = (_named(name, state, deps) for name in (arguments.source, arguments.target))
    if source is None or target is None:
        missing = arguments.source if source is None else arguments.target
        return ToolOutcome(
            f"No entity called '{missing[:MAX_NAME]}'. Use search_entities to find its name in the graph."
        )
    ways = deps.graph.path(state.base_id, [source.id, target.id], strongest=False)
    way = ways[0] if ways else []
    if not way:
        return ToolOutcome(f"There is no way between '{source.name}' and '{target.name}'.")
    lines = [f"The way between '{source.name}' and '{target.name}' has {len(way) - 1} step(s):"]
    lines += [f"  [{entity.type}] {entity.name}" for entity in way]
    lines += _relations(way, deps)
    return ToolOutcome("\n".join(lines), entity_ids=tuple(entity.id for entity in way))


def _named(name: str, state: State, deps: Deps) -> Entity | None:
    words = " ".join(name.split())[:MAX_NAME]
    if not words:
        return None
    found = deps.graph.search(state.base_id, words, 1) or deps.graph.alike(state.base_id, words, 1)
    return found[0] if found else None


def _relations(way: list[Entity], deps: Deps) -> list[str]:
    names = {entity.id: entity.name for entity in way}
    steps = {frozenset((one.id, other.id)) for one, other in pairwise(way)}
    found = deps.graph.relations_between(list(names))
    return [
        f"  {names[it.source_id]} - {_COUNTED if it.relation == CO_OCCURS else it.relation} - {names[it.target_id]}"
        for it in found
        if frozenset((it.source_id, it.target_id)) in steps
    ]


def _never(_: ToolSituation) -> FindPath | None:
    return None


TOOL = Tool(
    name="find_path",
    description="The shortest way between two entities, and the relations on it.",
    toolset=Toolset.PROGRAMS,
    order=50,
    arguments=FindPath,
    call=find_path,
    next=_never,
)
