"""The whole graph in sentences: size, entity types, most connected entities, and groups."""

from collections.abc import Iterator, Sequence

from core.agents.state import Deps, State
from core.agents.tools.describe_graph import NAME, describe_graph
from core.agents.tools.results.graph_answers import from_tools, listed
from core.agents.tools.results.graph_evidence import with_citations
from core.agents.tools.tool import NoArguments
from core.graph.model import Entity
from core.graph.network.communities import communities
from core.graph.network.community_summary import salient_sentences
from core.models.agent_ports import ToolUse
from core.platform.texts import text
from core.search.model import Citation

CONSIDERED = 150
"""Entities of the most connected part, in which groups are found."""
GROUPS = 4
NAMED = 3
"""Entities in the name of a group."""


def graph_overview(deps: Deps, state: State) -> tuple[str, tuple[Citation, ...], tuple[str, ...]]:
    """The answer, its citations, and the ids of the entities that it names."""
    described = describe_graph(NoArguments(), state, deps)
    groups = graph_groups(deps, state.base_id, state.language)
    used = ToolUse("", NAME, "{}", described.text)
    said = "".join(from_tools(state.standalone_question, state.language, (), (used,), groups))
    return *with_citations(deps, state.base_id, said), described.entity_ids


def graph_groups(deps: Deps, base_id: str, language: str) -> tuple[str, ...]:
    """A sentence for each group for which the documents have one."""
    view = deps.graph.view(base_id, (), 1, CONSIDERED)
    known = {entity.id: entity for entity in view.entities}
    edges = tuple((each.source_id, each.target_id, max(each.weight, 0.0)) for each in view.relations)
    groups = [[known[id] for id in members] for members in communities(tuple(known), edges)[:GROUPS]]
    return tuple(_sentences(deps, groups, language))


def _sentences(deps: Deps, groups: Sequence[Sequence[Entity]], language: str) -> Iterator[str]:
    for members in groups:
        if found := salient_sentences(deps.graph, deps.passages, members)[:1]:
            names = listed([entity.name for entity in members[:NAMED]], language)
            key = "answer.graph.group" if len(members) > NAMED else "answer.graph.small_group"
            yield text(key, language, names=names, count=len(members) - NAMED, sentence=found[0].sentence)
