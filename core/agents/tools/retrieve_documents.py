"""Searches the documents for a plan: precise first, then wider."""

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from core.agents.nodes.search.retrieve import THRESHOLDS, retrieved
from core.agents.state import Deps, State
from core.agents.tools.tool import Tool, ToolArguments, ToolOutcome, Toolset, ToolSituation


class RetrieveDocuments(ToolArguments):
    query: str = Field(description="what to search for")
    thresholds: Annotated[tuple[float, ...], Field(min_length=1)] = Field(
        default=THRESHOLDS, description="least similarities, tried one after another"
    )


def retrieve_documents(arguments: RetrieveDocuments, state: State, deps: Deps) -> ToolOutcome:
    asked = replace(state, search=replace(state.search, query=arguments.query))
    update = retrieved(asked, deps, arguments.thresholds, weakest=None)
    threshold = dict(update["note"].details).get("threshold", "")
    found = update["search"]
    said = f"{len(found.hits)} passages at threshold {threshold} by {found.route}"
    return ToolOutcome(said, found.hits, found.rejected, found.route)


def _next(situation: ToolSituation) -> RetrieveDocuments:
    return RetrieveDocuments(query=situation.query)


TOOL = Tool(
    name="retrieve_documents",
    description="searches the documents",
    toolset=Toolset.DOCUMENTS,
    order=10,
    arguments=RetrieveDocuments,
    call=retrieve_documents,
    next=_next,
)
