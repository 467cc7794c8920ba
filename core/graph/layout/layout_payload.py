"""What of a whole graph is drawn, as the bytes that the browser reads: a head in JSON and arrays of 4-byte numbers."""

import json
import struct
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.graph.layout.force_layout import layout
from core.graph.layout.full_layout import whole_communities
from core.graph.model import WholeGraph

LONGEST_NAME = 120
NAMED = 2
"""Entities in the name of a community."""
Numbers = NDArray[np.int64]
Fractions = NDArray[np.float64]
_AROUND = 0.3
"""Size of an opened community as a share of that of the drawing."""


@dataclass(frozen=True, slots=True)
class DrawingSelection:
    """Which entities and relations are drawn, and how."""

    kept: bytes
    """One byte an entity, 0 where it is left out."""
    kinds: tuple[int, ...] = (0, 1)
    """Counted relations are 0, stated ones 1."""
    coloured: bool = False
    """Colours by community instead of by type."""
    folded: bool = False
    """Draws each community as one node."""
    unfolded: Collection[str] = ()
    """Communities that are drawn in full, by the id of their first entity."""


@dataclass(frozen=True, slots=True)
class DrawnPart:
    data: bytes
    entities: int
    relations: int
    folded: int = 0
    """Communities drawn as one node."""
    inside: int = 0
    """Entities of these communities."""
    left_out: int = 0
    """Entities that are not drawn because they are in no community."""


@dataclass(frozen=True)
class _Nodes:
    """Arrays of the same length; an index beyond the entities is that of a community."""

    index: Numbers
    size: Fractions
    type: Numbers
    group: Numbers
    names: list[str]


def first_of(whole: WholeGraph, community: int) -> str:
    """The id of the most mentioned entity of a community, by which it is known; empty for an unknown one."""
    groups = whole_communities(whole)
    return whole.entities[groups.index(community)].id if community in groups else ""


def draw_part(whole: WholeGraph, choice: DrawingSelection) -> DrawnPart:
    types = sorted({entity.type for entity in whole.entities})
    groups = np.array(whole_communities(whole) if choice.coloured or choice.folded else [], dtype=np.int64)
    if not len(groups):
        groups = np.full(len(whole.entities), -1)
    chosen_by_filters = np.frombuffer(choice.kept, np.uint8).astype(np.bool_)
    kept = chosen_by_filters & (groups >= 0) if choice.folded else chosen_by_filters
    into = _folded(whole, groups, choice) if choice.folded else np.arange(len(whole.entities))
    alone = np.flatnonzero(kept & (into == np.arange(len(into))))
    x, y = _folded_places(whole) if choice.folded else _places(whole)
    chosen = np.concatenate([alone, np.unique(into[kept & (into >= len(into))])])
    nodes = _nodes(whole, chosen, types, groups)
    lines = _lines(whole, kept, into, choice.kinds)
    place = np.full(len(whole.entities) + int(groups.max(initial=-1)) + 1, -1)
    place[nodes.index] = np.arange(len(nodes.index))
    ends = [place[each] for each in lines[:2]]
    head = {"names": nodes.names, "types": types, "lines": len(ends[0]), "said": _said(whole, into, lines)}
    data = _written(head, [nodes.index, nodes.type, nodes.group, *ends], [x[chosen], y[chosen], nodes.size, lines[2]])
    inside, left_out = int(kept.sum()) - len(alone), int(chosen_by_filters.sum() - kept.sum())
    return DrawnPart(data, len(alone), len(ends[0]), len(chosen) - len(alone), inside, left_out)


def _folded(whole: WholeGraph, groups: Numbers, choice: DrawingSelection) -> Numbers:
    """Index of the node that every entity is part of."""
    count = len(whole.entities)
    opened = {int(groups[place]) for place, each in enumerate(whole.entities) if each.id in choice.unfolded}
    inside = (groups >= 0) & ~np.isin(groups, list(opened))
    into: Numbers = np.where(inside, count + groups, np.arange(count))
    return into


def _places(whole: WholeGraph) -> tuple[Fractions, Fractions]:
    return np.frombuffer(whole.x, np.float32).astype(float), np.frombuffer(whole.y, np.float32).astype(float)


@lru_cache(maxsize=2)
def _folded_places(whole: WholeGraph) -> tuple[Fractions, Fractions]:
    """Positions of entities, then of communities, which have their own layout; entities lie around theirs."""
    groups = np.array(whole_communities(whole), dtype=np.int64)
    inside = groups >= 0
    count = int(groups.max(initial=-1)) + 1
    if not count:
        return _places(whole)
    first, second, weights = _lines(whole, inside, np.where(inside, groups, 0), (0, 1))
    laid = layout(count, np.stack([first, second], axis=1), weights)
    sizes = np.bincount(groups[inside], minlength=count)
    axes = []
    for own, central in zip(_places(whole), laid.T, strict=True):
        middle = np.bincount(groups[inside], own[inside], count) / np.maximum(sizes, 1)
        reach = float(np.ptp(own)) or 1.0
        spread = _AROUND * (float(np.ptp(central)) or 1.0) / reach
        around = np.where(inside, central[groups] + (own - middle[groups]) * spread, 0.0)
        axes.append(np.concatenate([around, central]))
    return axes[0], axes[1]


def _nodes(whole: WholeGraph, chosen: Numbers, types: list[str], groups: Numbers) -> _Nodes:
    """A community is as large as all of its entities together."""
    count = len(whole.entities)
    found = [whole.entities[place] for place in chosen[chosen < count].tolist()]
    numbers = chosen[chosen >= count] - count
    number = {name: place for place, name in enumerate(types)}
    mentions = np.array([entity.mentions for entity in whole.entities], dtype=float)
    within = np.bincount(groups[groups >= 0], mentions[groups >= 0]) if len(numbers) else mentions
    sizes = np.bincount(groups[groups >= 0]) if len(numbers) else groups
    return _Nodes(
        chosen,
        np.concatenate([mentions[chosen[chosen < count]], within[numbers]]),
        np.array([number[entity.type] for entity in found] + [-1] * len(numbers), dtype=np.int64),
        np.concatenate([groups[chosen[chosen < count]], numbers]),
        [entity.name[:LONGEST_NAME] for entity in found]
        + [_name(whole, groups, each, int(sizes[each])) for each in numbers.tolist()],
    )


def _name(whole: WholeGraph, groups: Numbers, number: int, size: int) -> str:
    """Name of a community: its most central entities and the number of the others."""
    members = np.flatnonzero(groups == number)
    central = members[np.argsort(-np.frombuffer(whole.centrality, np.float32)[members], kind="stable")][:NAMED]
    return f"{', '.join(whole.entities[place].name[:28] for place in central.tolist())} +{size - len(central)}"


def _lines(
    whole: WholeGraph, kept: NDArray[np.bool_], into: Numbers, kinds: Collection[int]
) -> tuple[Numbers, Numbers, Fractions]:
    """Lines between nodes; those of folded entities are combined."""
    first, second = (np.frombuffer(each, np.int32).astype(np.int64) for each in (whole.sources, whole.targets))
    weights = np.frombuffer(whole.weights, np.float32).astype(float)
    shown = kept[first] & kept[second] & np.isin(np.frombuffer(whole.stated, np.int32), list(kinds))
    first, second, weights = into[first[shown]], into[second[shown]], weights[shown]
    different = first != second
    first, second, weights = first[different], second[different], weights[different]
    width = int(max(first.max(initial=0), second.max(initial=0))) + 1
    keys, earliest, pair = np.unique(
        np.minimum(first, second) * width + np.maximum(first, second), return_index=True, return_inverse=True
    )
    order = np.argsort(earliest, kind="stable")
    total: Fractions = np.bincount(pair, weights, len(keys)).astype(float)
    return keys[order] // width, keys[order] % width, total[order]


def _said(whole: WholeGraph, into: Numbers, lines: tuple[Numbers, Numbers, Fractions]) -> list[tuple[int, bool, str]]:
    """(line, whether its first end is the source, words) of what is stated of entities that are not folded."""
    told: dict[tuple[int, int], dict[str, None]] = {}
    for source, target, words in whole.said:
        if into[source] == source and into[target] == target:
            told.setdefault((source, target), {})[words[:LONGEST_NAME]] = None
    found: list[tuple[int, bool, str]] = []
    for number, pair in enumerate(zip(lines[0].tolist(), lines[1].tolist(), strict=True) if told else ()):
        ways = ((True, pair), (False, pair[::-1]))
        found += [(number, forward, ", ".join(told[way])) for forward, way in ways if way in told]
    return found


def _written(head: dict[str, object], numbers: list[Numbers], fractions: list[Fractions]) -> bytes:
    text = json.dumps(head, ensure_ascii=False).encode("utf-8", "replace")
    text += b" " * (-len(text) % 4)
    arrays = [each.astype("<i4").tobytes() for each in numbers] + [each.astype("<f4").tobytes() for each in fractions]
    return struct.pack("<I", len(text)) + text + b"".join(arrays)
