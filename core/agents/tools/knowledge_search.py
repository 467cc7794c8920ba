"""Searches the knowledge base of the session."""

from dataclasses import replace
from functools import partial

from core.agents.state import Deps, State
from core.agents.tools.passage_search import SearchQuery, next_search, search_passages
from core.agents.tools.tool import AnyTool, Tool, ToolOutcome, Toolset

NAME = "knowledge_search"


def knowledge_search(arguments: SearchQuery, state: State, deps: Deps) -> ToolOutcome:
    return search_passages(state.base_id, arguments.plain, deps)


def _for_session(tool: AnyTool, state: State, deps: Deps) -> tuple[AnyTool, ...]:
    base = deps.bases.get(state.base_id)
    return (replace(tool, description=f"{tool.description} {base.name}"),)


TOOL = Tool(
    name=NAME,
    description="Searches the documents of",
    toolset=Toolset.SEARCH,
    order=10,
    arguments=SearchQuery,
    call=knowledge_search,
    next=partial(next_search, NAME),
    for_session=_for_session,
)
