"""The groups of the most connected part of a graph, each with a sentence of the documents."""

from collections.abc import Iterator, Sequence

from core.agents.state import Deps
from core.agents.tools.results.graph_answers import listed
from core.graph.model import Entity
from core.graph.network.communities import communities
from core.graph.network.community_summary import salient_sentences
from core.platform.texts import text

LOOKED_AT = 150
"""Entities of the most connected part, among which groups are found."""
GROUPS = 4
NAMED = 3
"""Entities in the name of a group."""


def graph_groups(deps: Deps, base_id: str, language: str) -> tuple[str, ...]:
    """A sentence each; groups of which no passage tells something are left out."""
    view = deps.graph.view(base_id, (), 1, LOOKED_AT)
    known = {entity.id: entity for entity in view.entities}
    edges = tuple((each.source_id, each.target_id, max(each.weight, 0.0)) for each in view.relations)
    groups = [[known[id] for id in members] for members in communities(tuple(known), edges)[:GROUPS]]
    return tuple(_told(deps, groups, language))


def _told(deps: Deps, groups: Sequence[Sequence[Entity]], language: str) -> Iterator[str]:
    for members in groups:
        if told := salient_sentences(deps.graph, deps.passages, members)[:1]:
            names = listed([entity.name for entity in members[:NAMED]], language)
            key = "answer.graph.group" if len(members) > NAMED else "answer.graph.small_group"
            yield text(key, language, names=names, count=len(members) - NAMED, sentence=told[0].sentence)
