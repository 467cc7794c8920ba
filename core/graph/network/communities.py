"""Communities: groups of entities that are more closely connected with each other than with the rest.

Those of a part of the graph by networkx; those of a large one on arrays, by moving entities between groups while
modularity rises.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import networkx as nx

Numbers = NDArray[np.int64]
Weights = NDArray[np.float64]
_SEED = 7
_LEAST = 3
"""Fewest entities of a community."""
_LEVELS = 6
_ROUNDS = 16
_AWAKE = 0.6
"""Share of the nodes that may move in a round: neighbours that move at once would only swap."""
_SETTLED = 2e-3
"""Share of the nodes; a level ends when fewer move."""
_EQUAL = 1e-12
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


def clusters(count: int, first: Numbers, second: Numbers, weights: Weights) -> Numbers:
    """Number of the community of every node, the largest first, -1 for none; deterministic."""
    group = np.arange(count)
    size, ends, pull = count, (first, second), weights
    own: Weights = np.zeros(count)
    """Weight of the relations inside what is one node by now, both ends counted."""
    for _ in range(_LEVELS):
        moved = _moved(size, *ends, pull, own)
        found, moved = np.unique(moved, return_inverse=True)
        group = moved[group]
        if len(found) == size:
            break
        inner = moved[ends[0]] == moved[ends[1]]
        within = np.bincount(moved[ends[0]][inner], 2 * pull[inner], len(found))
        own = np.bincount(moved, own, len(found)).astype(float) + within
        size, ends, pull = (
            len(found),
            *_between(len(found), moved[ends[0]][~inner], moved[ends[1]][~inner], pull[~inner]),
        )
    return _ranked(group)


def _between(size: int, first: Numbers, second: Numbers, weights: Weights) -> tuple[tuple[Numbers, Numbers], Weights]:
    """One relation a pair."""
    keys, place = np.unique(np.minimum(first, second) * size + np.maximum(first, second), return_inverse=True)
    return (keys // size, keys % size), np.bincount(place, weights, len(keys)).astype(float)


def _moved(size: int, first: Numbers, second: Numbers, weights: Weights, own: Weights) -> Numbers:
    """Every node with the group that gains most by it."""
    sources, targets = np.concatenate([first, second]), np.concatenate([second, first])
    pull = np.concatenate([weights, weights])
    degree = np.bincount(sources, pull, size) + own
    total = float(degree.sum()) or 1.0
    chance = np.random.default_rng(_SEED)
    group = np.arange(size)
    for _ in range(_ROUNDS):
        awake = chance.random(size) < _AWAKE
        asked = awake[sources]
        keys, place = np.unique(sources[asked] * size + group[targets[asked]], return_inverse=True)
        if not len(keys):
            break
        towards = np.bincount(place, pull[asked], len(keys))
        node, other = keys // size, keys % size
        weight_of = np.bincount(group, degree, size)
        staying = group[node] == other
        gain = towards - degree[node] * (weight_of[other] - np.where(staying, degree[node], 0.0)) / total
        stay = -degree * (weight_of[group] - degree) / total
        stay[node[staying]] = gain[staying]
        starts = np.flatnonzero(np.diff(node, prepend=-1))
        most = np.repeat(np.maximum.reduceat(gain, starts), np.diff(starts, append=len(node)))
        best = np.flatnonzero(gain == most)
        best = best[np.flatnonzero(np.diff(node[best], prepend=-1))]
        better = best[gain[best] > stay[node[best]] + _EQUAL]
        group[node[better]] = other[better]
        if len(better) < size * _SETTLED:
            break
    return group


def _ranked(group: Numbers) -> Numbers:
    sizes = np.bincount(group)
    order = np.argsort(-sizes, kind="stable")
    number = np.empty(len(sizes), dtype=np.int64)
    number[order] = np.arange(len(sizes))
    ranked: Numbers = np.where(sizes[group] >= _LEAST, number[group], -1)
    return ranked
