"""The graph as a whole in sentences: its size, its kinds of names, what is most connected, and its groups."""

from __future__ import annotations

from core.agents.state import Deps, State
from core.agents.tools.describe_graph import NAME, describe_graph
from core.agents.tools.results.graph_answers import from_tools
from core.agents.tools.results.graph_citing import with_citations
from core.agents.tools.results.graph_groups import graph_groups
from core.agents.tools.tool import NoArguments
from core.models.agent_ports import ToolUse
from core.search.model import Citation


def graph_overview(deps: Deps, state: State) -> tuple[str, tuple[Citation, ...], tuple[str, ...]]:
    """The answer, its citations, and the ids of the entities that it names."""
    described = describe_graph(NoArguments(), state, deps)
    groups = graph_groups(deps, state.base_id, state.language)
    used = ToolUse("", NAME, "{}", described.text)
    said = "".join(from_tools(state.standalone_question, state.language, (), (used,), groups))
    return *with_citations(deps, state.base_id, said), described.entity_ids
