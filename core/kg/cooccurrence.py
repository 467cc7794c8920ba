"""Co-occurrence, derived: entities of one chunk are related, the more the fewer entities share the chunk."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from core.domain.knowledge import Relation

CO_OCCURS = "CO_OCCURS_IN"
"""The name of the derived relation."""


@dataclass(frozen=True, slots=True)
class SharedChunk:
    """A chunk with two or more entities."""

    members: tuple[str, ...]
    """Distinct entity ids; possibly only those of interest."""
    peers: int
    """All distinct entities of the chunk, also those that are not among the members."""
    document_id: str = ""
    page: int = 0

    @property
    def weight(self) -> float:
        """Of each pair in the chunk, so that every entity gets 1 from it however full it is."""
        return 1 / (self.peers - 1)


def relations(chunks: Iterable[SharedChunk]) -> list[Relation]:
    """One undirected relation a pair (source < target), strongest first, with every place that supports it."""
    weights: defaultdict[tuple[str, str], float] = defaultdict(float)
    places: defaultdict[tuple[str, str], set[tuple[str, int]]] = defaultdict(set)
    for chunk in chunks:
        for pair in combinations(sorted(chunk.members), 2):
            weights[pair] += chunk.weight
            places[pair].add((chunk.document_id, chunk.page))
    found = [
        Relation(source, target, CO_OCCURS, weight, tuple(sorted(places[source, target])))
        for (source, target), weight in weights.items()
    ]
    return sorted(found, key=lambda relation: (-relation.weight, relation.source_id, relation.target_id))


def ring(chunks: Iterable[SharedChunk], inner: Set[str], seen: Collection[str]) -> dict[str, float]:
    """What is one step away from the inner entities and not seen yet, with the sum of its weights to them."""
    weights: defaultdict[str, float] = defaultdict(float)
    for chunk in chunks:
        touching = sum(member in inner for member in chunk.members)
        for member in chunk.members:
            if member not in seen:
                weights[member] += touching * chunk.weight
    return dict(weights)


def strongest(weights: dict[str, float]) -> list[str]:
    return sorted(weights, key=lambda entity_id: (-weights[entity_id], entity_id))


def count_pairs(groups: Sequence[Sequence[int]]) -> int:
    """How many different pairs share at least one group; groups hold distinct numbers below 2**31."""
    pairs = [_packed_pairs(group) for group in groups if len(group) > 1]
    return len(np.unique(np.concatenate(pairs))) if pairs else 0


def _packed_pairs(group: Sequence[int]) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    numbers = np.sort(np.asarray(group, dtype=np.int64))
    first, second = np.triu_indices(len(numbers), k=1)
    return (numbers[first] << 31) | numbers[second]
