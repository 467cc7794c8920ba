"""Searches another knowledge base than that of the session; one tool for each."""

from dataclasses import replace
from functools import partial

from core.agents.state import Deps, State
from core.agents.tools.knowledge_search import SearchQuery, next_search, search_passages
from core.agents.tools.tool import AnyTool, Tool, ToolOutcome, Toolset

NAME = "search_documents"
MOST_SETS = 8


def search_documents(base_id: str, arguments: SearchQuery, _: State, deps: Deps) -> ToolOutcome:
    return search_passages(base_id, arguments.plain, deps)


def _for_session(tool: AnyTool, state: State, deps: Deps) -> tuple[AnyTool, ...]:
    """search_documents_1, search_documents_2, ... for the sets with documents."""
    bases = [base for base in deps.bases.all() if base.id != state.base_id]
    others = [base for base in bases if deps.documents.find(base.id, limit=1)]
    return tuple(
        replace(
            tool,
            name=f"{NAME}_{number}",
            description=f"{tool.description} {base.name}",
            call=partial(search_documents, base.id),
            next=partial(next_search, f"{NAME}_{number}"),
        )
        for number, base in enumerate(others[:MOST_SETS], 1)
    )


TOOL = Tool(
    name=NAME,
    description="Searches the documents of",
    toolset=Toolset.SEARCH,
    order=20,
    arguments=SearchQuery,
    call=partial(search_documents, ""),
    next=partial(next_search, NAME),
    for_session=_for_session,
)
