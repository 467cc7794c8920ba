"""Which of the memories found for a question are recalled; conclusions lose weight as their documents change."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.memory.model import Found, Memory, MemoryKind
from core.memory.relevance import RELEVANT

BEST = 3
STALE_WEIGHT = 0.5
"""Factor for a memory whose knowledge base has changed since; further changes reduce it a little more."""


@dataclass(frozen=True, slots=True)
class Recalled:
    memory: Memory
    stale: bool
    """Its knowledge base has changed since it was created."""


def best_of(found: Sequence[Found], versions: Mapping[str, int], limit: int = BEST) -> list[Recalled]:
    """The pinned first, then those that bear on the question, best first, then preferences.

    `versions` are the current index versions of knowledge bases by id.
    """
    fresh = [(freshness(one.memory, versions.get(one.memory.base_id, 0)), one) for one in found]
    ordered = sorted(fresh, key=lambda pair: (_rank(pair[1]), -pair[0] * pair[1].score, pair[1].memory.id))
    return [Recalled(one.memory, factor < 1) for factor, one in ordered if _rank(one) < _NOT][:limit]


def freshness(memory: Memory, version: int) -> float:
    """1 while the memory's knowledge base is unchanged; less with every change. The user's own words do not age."""
    changes = version - memory.index_version
    if memory.kind is not MemoryKind.CONCLUSION or not memory.base_id or changes <= 0:
        return 1.0
    return STALE_WEIGHT / (1 + math.log(changes))


_NOT = 3


def _rank(found: Found) -> int:
    if found.memory.pinned:
        return 0
    if found.score >= RELEVANT:
        return 1
    return 2 if found.memory.kind is MemoryKind.PREFERENCE else _NOT
