"""Communities: groups of entities that are more closely connected with each other than with the rest."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx as nx

_SEED = 7
_LEAST = 3
"""Fewest entities of a community."""
Edges = tuple[tuple[str, str, float], ...]


@lru_cache(maxsize=32)
def communities(entity_ids: tuple[str, ...], edges: Edges) -> tuple[tuple[str, ...], ...]:
    """Ids, the largest community first and in each the most central entity; the same for the same graph.

    edges: (entity, other entity, weight).
    """
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(entity_ids)
    for one, other, weight in edges:
        known = graph.get_edge_data(one, other, {"weight": 0.0})["weight"]
        graph.add_edge(one, other, weight=known + weight)
    order = {id: place for place, id in enumerate(entity_ids)}
    found = nx.community.louvain_communities(graph, weight="weight", seed=_SEED)
    ranked = [_by_centrality(graph, sorted(each, key=order.__getitem__)) for each in found if len(each) >= _LEAST]
    return tuple(sorted(ranked, key=lambda each: (-len(each), order[each[0]])))


def _by_centrality(graph: "nx.Graph[str]", members: Sequence[str]) -> tuple[str, ...]:
    inside = graph.subgraph(members)
    weight = dict(inside.degree(weight="weight"))
    return tuple(sorted(members, key=lambda id: -weight[id]))
