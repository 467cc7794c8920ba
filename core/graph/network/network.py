"""The graph of one version of a knowledge base: derived and stated relations together, and the paths along them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from core.graph.edits import Resolution
from core.graph.model import Relation
from core.graph.network.cooccurrence import CO_OCCURS, Cooccurrence

_CENTRAL = 2.0
"""How many sentences that name an entity a statement about it counts for."""
_STEP = 1e6
"""Cost of a step when few steps are preferred; exceeds the total of the relations on any path."""
DETOUR = 2.5
"""Steps that a relation counts for where two only share a passage: two statements go before it."""
STATEMENT = 10.0
"""Factor by which a statement is stronger than a sentence of the same weight."""
_EQUAL = 1e-9
_BUCKET = 1.25
"""Entities up to this factor farther than the nearest are expanded together."""
Numbers = NDArray[np.int64]
Costs = NDArray[np.float64]


@dataclass(frozen=True)
class Network:
    shared: Cooccurrence
    stated: tuple[Relation, ...] = ()
    """Each (source, target, relation) once."""

    def resolved(self, resolution: Resolution, rejected: Iterable[tuple[str, int, str, str]] = ()) -> "Network":
        """The graph that the edits make of it; rejected as Cooccurrence.resolved() takes it."""
        ends = ((resolution.of(each.source_id), resolution.of(each.target_id), each) for each in self.stated)
        moved = (replace(each, source_id=source, target_id=target) for source, target, each in ends)
        kept = [
            without
            for each in moved
            if each.source_id
            and each.target_id
            and each.source_id != each.target_id
            and (each.source_id, each.target_id, each.relation) not in resolution.denied
            and (without := _without_rejected(each, resolution))
        ]
        return Network(self.shared.resolved(resolution.of, rejected), joined([*kept, *resolution.stated]))

    def ring(self, inner: Collection[str], seen: Set[str]) -> dict[str, float]:
        """Entities one step from the inner ones that were not seen yet, with the sum of their weights to them.

        Those come first of which a relation with an inner one is stated, then the strongest.
        """
        weights = self.shared.ring(inner, seen)
        stated: dict[str, float] = {}
        for entity_id in inner:
            for other, weight in self._stated_ends.get(entity_id, ()):
                if other not in seen:
                    stated[other] = stated.get(other, 0.0) + STATEMENT * weight
        stated = {id: weight + weights.pop(id, 0.0) for id, weight in stated.items()}
        return {id: each[id] for each in (stated, weights) for id in strongest(each)}

    def around(self, roots: Sequence[str], hops: int, limit: int) -> tuple[list[str], int]:
        """The entities to show around the roots, and how many within reach are left out.

        Every hop gets an equal share of the room, so that far ones show too; what a hop does not need goes to the
        strongest that were left out nearer by.
        """
        shown, left = list(roots[:limit]), list(roots[limit:])
        seen, inner = set(roots), shown
        for hop in range(hops):
            share = (limit - len(shown)) // (hops - hop)
            order = list(self.ring(inner, seen))
            seen.update(order)
            inner = order[:share]
            shown = shown + inner
            left += order[share:]
        room = limit - len(shown)
        return shown + left[:room], len(left[room:])

    def centre(self, limit: int, order: Mapping[str, int] = MappingProxyType({})) -> tuple[list[str], int]:
        """The entities of which most is stated and that are named most, and the number of all others.

        Ties in the given order.
        """
        stated: defaultdict[str, float] = defaultdict(float)
        for relation in self.stated:
            stated[relation.source_id] += relation.weight
            stated[relation.target_id] += relation.weight
        weights = self.shared.most_named(limit, stated)
        for id, weight in stated.items():
            weights[id] = weights.get(id, 0.0) + _CENTRAL * weight
        unmentioned = sum(id not in self.shared.place for id in stated)
        shown = strongest(weights, order)[:limit]
        return shown, len(self.shared.entity_ids) + unmentioned - len(shown)

    def relations(self, entity_ids: Iterable[str]) -> list[Relation]:
        """Relations between the entities, what is stated first, then the strongest."""
        wanted = frozenset(entity_ids)
        found = self.shared.relations(wanted)
        found += [each for each in self.stated if each.source_id in wanted and each.target_id in wanted]
        return sorted(
            found, key=lambda each: (each.relation == CO_OCCURS, -each.weight, each.source_id, each.target_id)
        )

    def path(self, source_id: str, target_id: str, strongest: bool) -> list[str]:
        """Ids from one entity to another, empty where no way leads there."""
        return self._path_finder.path(source_id, target_id, strongest)

    @cached_property
    def _path_finder(self) -> "PathFinder":
        return PathFinder(self.shared, self.stated)

    @property
    def relation_count(self) -> int:
        return self.shared.pair_count + len(self.stated)

    @cached_property
    def _stated_ends(self) -> dict[str, list[tuple[str, float]]]:
        ends: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
        for relation in self.stated:
            ends[relation.source_id].append((relation.target_id, relation.weight))
            ends[relation.target_id].append((relation.source_id, relation.weight))
        return dict(ends)


def _without_rejected(stated: Relation, resolution: Resolution) -> Relation | None:
    """The relation without sentences of rejected passages, and without documents all of whose sentences are rejected;
    None if no document is left."""
    pair = sorted((stated.source_id, stated.target_id))
    kept = tuple(each for each in stated.sayings if (each.chunk_id, *pair) not in resolution.rejected)
    gone = {each.document_id for each in stated.sayings} - {each.document_id for each in kept}
    pages = tuple(page for page in stated.pages if page[0] not in gone)
    return replace(stated, sayings=kept, pages=pages) if pages or not gone else None


def joined(stated: Iterable[Relation]) -> tuple[Relation, ...]:
    """What several sources state once, with the places of all of them and the best weight."""
    found: dict[tuple[str, str, str], Relation] = {}
    for each in stated:
        key = (each.source_id, each.target_id, each.relation)
        known = found.get(key) or Relation(*key, 0.0, by_hand=True)
        pages, sayings = sorted({*known.pages, *each.pages}), dict.fromkeys([*known.sayings, *each.sayings])
        by_hand = known.by_hand and each.by_hand
        found[key] = Relation(*key, max(known.weight, each.weight), tuple(pages), tuple(sayings), by_hand=by_hand)
    return tuple(found.values())


def strongest(weights: Mapping[str, float], order: Mapping[str, int] = MappingProxyType({})) -> list[str]:
    """Ties in the given order, then by id."""
    first = sorted(weights, key=lambda id: (order.get(id, len(order)), id)) if order else sorted(weights)
    return sorted(first, key=weights.__getitem__, reverse=True)


class PathFinder:
    """Every relation in both directions, ordered by the entity that it leaves."""

    def __init__(self, shared: Cooccurrence, stated: Iterable[Relation]) -> None:
        self._ids = list(shared.entity_ids)
        self._place: Mapping[str, int] = shared.place
        first, second, weights, near = shared.pairs()
        extra = [each for each in stated if each.source_id != each.target_id]
        unmentioned = {end for each in extra for end in (each.source_id, each.target_id)} - self._place.keys()
        if unmentioned:
            self._ids += sorted(unmentioned)
            self._place = {id: place for place, id in enumerate(self._ids)}
        sources, targets = (
            np.array([self._place[id] for id in ends], dtype=np.int64)
            for ends in ([each.source_id for each in extra], [each.target_id for each in extra])
        )
        stated_weights = STATEMENT * np.array([each.weight for each in extra])
        apart = np.concatenate([~near, ~near, np.zeros(2 * len(extra), dtype=np.bool_)])
        leaves = np.concatenate([first, second, sources, targets])
        order = np.argsort(leaves, kind="stable")
        self._to = np.concatenate([second, first, targets, sources])[order]
        all_weights = np.concatenate([weights, weights, stated_weights, stated_weights])[order]
        self._cost = 1 / np.maximum(all_weights, 1e-6)
        self._steps = np.where(apart[order], _STEP * DETOUR, _STEP)
        self._starts = np.searchsorted(leaves[order], np.arange(len(self._ids) + 1))

    def path(self, source: str, target: str, strongest: bool) -> list[str]:
        """Ids from source to target, empty where no relations lead there.

        The fewest steps, and of those the strongest; or the least sum of 1/weight, however many steps.
        """
        if source not in self._place or target not in self._place or source == target:
            return []
        cost = self._cost if strongest else self._cost + self._steps
        ends = (_Side(len(self._ids), self._place[source]), _Side(len(self._ids), self._place[target]))
        least, middle = np.inf, -1
        while ends[0].nearest + ends[1].nearest < least - _EQUAL:
            side, other = sorted(ends, key=lambda each: len(each.open))
            reached = self._step(side, cost, least)
            met = side.best[reached] + other.best[reached]
            if len(met) and met.min() < least:
                least, middle = float(met.min()), int(reached[np.argmin(met)])
        if middle < 0:
            return []
        way = [*reversed(self._back(ends[0], middle, cost)), middle, *self._back(ends[1], middle, cost)]
        return [self._ids[place] for place in way]

    def _step(self, side: "_Side", cost: Costs, least: float) -> Numbers:
        """Follows the relations of the nearest open entities; those that are reached at less cost than before."""
        leaving = side.take()
        counts = self._starts[leaving + 1] - self._starts[leaving]
        offsets = np.cumsum(counts) - counts
        relations = np.repeat(self._starts[leaving] - offsets, counts) + np.arange(counts.sum())
        reached = self._to[relations]
        found = np.repeat(side.best[leaving], counts) + cost[relations]
        better = (found < side.best[reached] - _EQUAL) & (found < least)
        reached, found = reached[better], found[better]
        np.minimum.at(side.best, reached, found)
        changed: Numbers = np.unique(reached)
        side.open = np.union1d(side.open, changed)
        return changed

    def _back(self, side: "_Side", place: int, cost: Costs) -> list[int]:
        """Places from this one, which is left out, to where the side started."""
        way: list[int] = []
        while place != side.start:
            around = slice(self._starts[place], self._starts[place + 1])
            place = int(self._to[around][np.argmin(side.best[self._to[around]] + cost[around])])
            way.append(place)
        return way


class _Side:
    """The places that one end of a path has reached, and their costs."""

    def __init__(self, entities: int, start: int) -> None:
        self.start = start
        self.best = np.full(entities, np.inf)
        self.best[start] = 0.0
        self.open: Numbers = np.array([start])
        """Places that are reached, but not expanded yet."""

    @property
    def nearest(self) -> float:
        """Least cost of the open places; unreached ones cost at least as much."""
        return float(self.best[self.open].min()) if len(self.open) else np.inf

    def take(self) -> Numbers:
        """Removes and returns the open places that are about as near as the nearest."""
        costs = self.best[self.open]
        near = costs <= costs.min() * _BUCKET
        taken: Numbers = self.open[near]
        self.open = self.open[~near]
        return taken
