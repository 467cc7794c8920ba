"""Shortest and strongest paths between two entities, computed on arrays."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from core.graph.model import Relation
from core.graph.network.cooccurrence import Cooccurrence

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
