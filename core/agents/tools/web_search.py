"""Searches the web if that is switched on."""

from dataclasses import replace
from functools import partial

from core.agents.nodes.search.web_search import FOUND_NOTHING, MAX_TEXT, RESULTS
from core.agents.state import Deps, State
from core.agents.tools.knowledge_search import SearchQuery, next_search
from core.agents.tools.tool import AnyTool, Tool, ToolOutcome, Toolset
from core.platform.errors import InputError, ServiceError
from core.runs.events import Degraded

NAME = "web_search"
UNSCORED = 0.3
"""Similarity assumed for web results without a score."""


def web_search(arguments: SearchQuery, _: State, deps: Deps) -> ToolOutcome:
    query = arguments.plain
    try:
        results = tuple(deps.web.search(query, RESULTS))[:RESULTS] if deps.web else ()
    except (ServiceError, InputError) as error:
        deps.emit(Degraded(NAME, error.key))
        return ToolOutcome(f"Error: {error}", best=0.0, fault=error.key)
    if not results:
        return ToolOutcome(f"Nothing found for '{query}'.", best=0.0, fault=FOUND_NOTHING)
    cut = tuple(replace(result, text=result.text[:MAX_TEXT]) for result in results)
    text = "\n\n".join(f"{result.title} <{result.url}>\n{result.text}" for result in cut)
    return ToolOutcome(text, web=cut, best=max(UNSCORED if it.score is None else it.score for it in cut))


def _for_session(tool: AnyTool, _: State, deps: Deps) -> tuple[AnyTool, ...]:
    return () if deps.web is None else (tool,)


TOOL = Tool(
    name=NAME,
    description="Searches the web, for news and what changes daily.",
    toolset=Toolset.SEARCH,
    order=30,
    arguments=SearchQuery,
    call=web_search,
    next=partial(next_search, NAME),
    for_session=_for_session,
)
