"""Lays out all entities of a graph, keeping the places that they had in an earlier drawing."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.graph.layout.force_layout import STEPS, layout
from core.graph.model import Entity, WholeGraph
from core.graph.network.communities import clusters
from core.graph.network.network import Network

MOST_ENTITIES = 50_000
"""Drawn at once, most mentioned first."""
PER_ENTITY = 4
"""Strongest relations of an entity that are drawn however weak they are for the other end."""
_KNOWN = 0.9
"""Share of the entities that must have had a place for the drawing to keep its shape."""
_STEPS_OF_MANY = 60
_MANY = 20_000
ROUGH_FROM = 2_000
"""Entities; a smaller graph is laid out while its reader waits."""
_ROUGH_STEPS = 8
_NEARBY = 0.6
_CROWD = 200
_EVENNESS = 0.7
_FAR = 0.98
_RANKINGS = 30
_RANKED = 1e-3
"""Share of the greatest rank that another round changes at most, when it is left out."""
_DAMPING = 0.85
_HUBS = 200
_HUB_ROOM = 2.2
_PUSHES = 25
_GOLDEN_ANGLE = 2.399963
Numbers = NDArray[np.int64]
Weights = NDArray[np.float64]
Points = NDArray[np.float64]
Places = Mapping[str, tuple[float, float]]
"""Positions by entity id."""


@dataclass(frozen=True)
class Lines:
    """Relations as places of entities."""

    first: Numbers
    second: Numbers
    weights: Weights
    stated: NDArray[np.bool_]
    near: NDArray[np.bool_]
    """Whether a sentence names both, or states the relation."""


def whole_graph(version: str, entities: Sequence[Entity], network: Network, before: Places) -> WholeGraph:
    """entities: most mentioned first; before: where they were in an earlier drawing.

    A large graph without an earlier drawing is laid out roughly; laid_out() does the rest.
    """
    shown = tuple(entities[:MOST_ENTITIES])
    every = _lines([entity.id for entity in shown], network)
    lines = _strong(len(shown), every)
    known = np.array([entity.id in before for entity in shown], dtype=np.bool_)
    continued = bool(len(shown)) and known.mean() >= _KNOWN
    rough = not continued and len(shown) >= ROUGH_FROM
    if continued:
        positions = _beside_neighbours(shown, lines, before, known)
    else:
        ends = np.stack([lines.first, lines.second], axis=1)
        positions = _positions(shown, ends, lines.weights, _ROUGH_STEPS if rough else STEPS)
    links = np.bincount(np.concatenate([every.first, every.second]), minlength=len(shown))
    return WholeGraph(
        version,
        shown,
        _fractions(positions[:, 0]),
        _fractions(positions[:, 1]),
        links=_numbers(links),
        centrality=_fractions(_centrality(len(shown), every)),
        sources=_numbers(lines.first),
        targets=_numbers(lines.second),
        weights=_fractions(lines.weights),
        stated=_numbers(lines.stated),
        said=_said(shown, network),
        relations=len(every.first),
        rough=rough,
    )


def _said(shown: Sequence[Entity], network: Network) -> tuple[tuple[int, int, str], ...]:
    place = {entity.id: number for number, entity in enumerate(shown)}
    return tuple(
        (place[each.source_id], place[each.target_id], each.relation)
        for each in network.stated
        if each.source_id in place and each.target_id in place
    )


def laid_out(rough: WholeGraph) -> WholeGraph:
    """The same graph with its final layout."""
    ends = np.stack([np.frombuffer(each, np.int32) for each in (rough.sources, rough.targets)], axis=1)
    steps = _STEPS_OF_MANY if len(rough.entities) > _MANY else STEPS
    positions = _positions(rough.entities, ends, np.frombuffer(rough.weights, np.float32).astype(float), steps)
    return replace(rough, x=_fractions(positions[:, 0]), y=_fractions(positions[:, 1]), rough=False)


def _fractions(values: NDArray[np.float64]) -> "array[float]":
    return array("f", values.astype(np.float32).tobytes())


def _numbers(values: Numbers | NDArray[np.bool_]) -> "array[int]":
    return array("i", values.astype(np.int32).tobytes())


@lru_cache(maxsize=4)
def whole_communities(whole: WholeGraph) -> tuple[int, ...]:
    """Number of the community of every entity, the largest first; -1 for none."""
    first, second = (np.frombuffer(each, np.int32).astype(np.int64) for each in (whole.sources, whole.targets))
    weights = np.frombuffer(whole.weights, np.float32).astype(float)
    return tuple(clusters(len(whole.entities), first, second, weights).tolist())


def _lines(entity_ids: Sequence[str], network: Network) -> Lines:
    """Lines of the graph, one for every related pair."""
    place = {id: number for number, id in enumerate(entity_ids)}
    first, second, weights, close = network.shared.pairs()
    places = np.array([place.get(id, -1) for id in network.shared.entity_ids], dtype=np.int64)
    known = [each for each in network.stated if each.source_id in place and each.target_id in place]
    ends = np.array([(place[each.source_id], place[each.target_id]) for each in known], dtype=np.int64).reshape(-1, 2)
    one = np.concatenate([places[first] if len(first) else first, ends[:, 0]])
    other = np.concatenate([places[second] if len(second) else second, ends[:, 1]])
    pull = np.concatenate([weights, np.array([each.weight for each in known])])
    stated = np.concatenate([np.zeros(len(first), dtype=np.bool_), np.ones(len(known), dtype=np.bool_)])
    near = np.concatenate([close, np.ones(len(known), dtype=np.bool_)])
    kept = (one >= 0) & (other >= 0) & (one != other)
    one, other = np.minimum(one, other)[kept], np.maximum(one, other)[kept]
    if not len(known):  # each counted pair is there once
        return Lines(one, other, pull[kept], stated[kept], near[kept])
    count = max(1, len(entity_ids))
    keys, pair = np.unique(one * count + other, return_inverse=True)
    stated_pairs = np.zeros(len(keys), dtype=np.bool_)
    stated_pairs[pair[stated[kept]]] = True
    near_pairs = np.bincount(pair, near[kept], len(keys)) > 0
    pulls = np.bincount(pair, pull[kept], len(keys)).astype(float)
    return Lines(keys // count, keys % count, pulls, stated_pairs, near_pairs)


def _strong(count: int, lines: Lines) -> Lines:
    """All statements, and relations with a common sentence among the strongest of one of their ends.

    The strongest of each entity come first.
    """
    number = np.arange(len(lines.first))
    node = np.concatenate([lines.first, lines.second])
    line = np.concatenate([number, number])
    order = np.lexsort((line, -lines.weights[line], node))
    starts = np.searchsorted(node[order], np.arange(count + 1))
    rank_in_node = np.arange(len(order)) - np.repeat(starts[:-1], np.diff(starts))
    rank = np.full(len(number), len(order), dtype=np.int64)
    np.minimum.at(rank, line[order], rank_in_node)
    kept = np.flatnonzero(((rank < PER_ENTITY) & lines.near) | lines.stated)
    kept = kept[np.lexsort((-lines.weights[kept], rank[kept]))]
    return Lines(lines.first[kept], lines.second[kept], lines.weights[kept], lines.stated[kept], lines.near[kept])


def _centrality(count: int, lines: Lines) -> Weights:
    """PageRank along the weights of the relations, as a share of the greatest."""
    ends = np.concatenate([lines.first, lines.second]), np.concatenate([lines.second, lines.first])
    pull = np.concatenate([lines.weights, lines.weights])
    out = np.maximum(np.bincount(ends[0], pull, count), 1e-12)
    share = pull / out[ends[0]]
    rank: Weights = np.full(count, 1.0 / max(1, count))
    for _ in range(_RANKINGS):
        before = rank
        reached = np.bincount(ends[1], rank[ends[0]] * share, count).astype(float)
        rank = (1 - _DAMPING) / max(1, count) + _DAMPING * reached
        if count and np.abs(rank - before).max() < _RANKED * rank.max():
            break
    return rank / rank.max() if count else rank


def _positions(entities: Sequence[Entity], ends: NDArray[Any], weights: Weights, steps: int) -> Points:
    placed = _evened(layout(len(entities), ends, weights, iterations=steps))
    return _hubs_apart(placed, np.array([entity.mentions for entity in entities], dtype=float))


def _evened(positions: Points) -> Points:
    """Positions with more equal distances from the middle: crowded ones get room, and remote ones come nearer."""
    if len(positions) < _CROWD:
        return positions
    centred = positions - np.median(positions, axis=0)
    distance = np.hypot(*centred.T)
    rank = np.empty(len(distance))
    rank[np.argsort(distance, kind="stable")] = np.arange(len(distance)) + 0.5
    even = np.sqrt(rank / len(rank)) * float(np.quantile(distance, _FAR))
    usual = np.minimum(distance, float(np.quantile(distance, _FAR)))
    wanted = _EVENNESS * even + (1 - _EVENNESS) * usual
    return np.asarray(centred * (wanted / np.maximum(distance, 1e-9))[:, None])


def _beside_neighbours(entities: Sequence[Entity], lines: Lines, before: Places, known: NDArray[np.bool_]) -> Points:
    """Positions: known entities where they were, new ones next to those that they are most related to."""
    positions = np.array([before.get(entity.id, (0.0, 0.0)) for entity in entities])
    low, high = positions[known].min(axis=0), positions[known].max(axis=0)
    new, other = np.concatenate([lines.first, lines.second]), np.concatenate([lines.second, lines.first])
    leads = ~known[new] & known[other]
    new, other, pull = new[leads], other[leads], np.concatenate([lines.weights, lines.weights])[leads]
    total = np.bincount(new, pull, len(entities))
    for axis, away in enumerate(((low[0] + high[0]) / 2, high[1] + 1.0)):
        near = np.bincount(new, pull * positions[other, axis], len(entities))
        near = np.where(total > 0, near / np.maximum(total, 1e-12), away)
        turn = (np.cos, np.sin)[axis](np.arange(len(entities)) * _GOLDEN_ANGLE)
        positions[:, axis] = np.where(known, positions[:, axis], near + _NEARBY * turn)
    return positions


def _hubs_apart(positions: Points, mentions: Weights) -> Points:
    """Positions with the largest entities pushed apart until none covers another."""
    hubs = np.arange(min(_HUBS, len(positions)))
    if len(hubs) < 2:
        return positions
    places = positions[hubs]
    reach = float(np.ptp(positions, axis=0).max()) / np.sqrt(len(hubs)) / 6
    sizes = reach * _HUB_ROOM * np.sqrt(mentions[hubs] / max(mentions.max(), 1.0))
    wanted = (sizes[:, None] + sizes[None, :]) / 2
    for _ in range(_PUSHES):
        apart = places[:, None, :] - places[None, :, :]
        distance = np.maximum(np.hypot(apart[..., 0], apart[..., 1]), 1e-6)
        lacking = np.maximum(wanted - distance, 0.0)
        np.fill_diagonal(lacking, 0.0)
        if not lacking.any():
            break
        places = places + (apart * (lacking / distance * 0.25)[..., None]).sum(axis=1)
    moved = positions.copy()
    moved[hubs] = places
    return moved
