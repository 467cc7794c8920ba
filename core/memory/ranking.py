"""Ranks memories for a question: similar, important, recently used, and made from the documents as they are now."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.memory.model import Memory, MemoryKind

CANDIDATES = 9
BEST = 3
FARTHEST = 0.8
"""Cosine distance beyond which a memory is irrelevant to a question; preferences are always relevant."""
STALE_WEIGHT = 0.5
"""Factor for a memory whose knowledge base has changed since; further changes reduce it a little more."""


@dataclass(frozen=True, slots=True)
class Ranked:
    memory: Memory
    distance: float
    score: float
    stale: bool
    """Its knowledge base has changed since it was created."""


def rank(
    candidates: Sequence[tuple[Memory, float]], now: datetime, versions: Mapping[str, int], limit: int = BEST
) -> list[Ranked]:
    """The best memories, best first. `versions` are the current index versions of knowledge bases by id."""
    near = [(m, d) for m, d in candidates if d <= FARTHEST or m.kind is MemoryKind.PREFERENCE or m.pinned]
    ranked = [_ranked(memory, distance, now, versions.get(memory.base_id, 0)) for memory, distance in near]
    return sorted(ranked, key=lambda item: (-item.score, item.memory.id))[:limit]


def score(distance: float, importance: int, hours_since_use: float) -> float:
    """1/(1+distance) * (1+0.1*importance) * (1+0.5*recency), recency = 1/(1+ln(1+hours))."""
    recency = 1 / (1 + math.log1p(max(0.0, hours_since_use)))
    return 1 / (1 + max(0.0, distance)) * (1 + 0.1 * importance) * (1 + 0.5 * recency)


def freshness(memory: Memory, version: int) -> float:
    """1 while the memory's knowledge base is unchanged; less with every change. The user's own words do not age."""
    changes = version - memory.index_version
    if memory.kind is not MemoryKind.CONCLUSION or not memory.base_id or changes <= 0:
        return 1.0
    return STALE_WEIGHT / (1 + math.log(changes))


def _ranked(memory: Memory, distance: float, now: datetime, version: int) -> Ranked:
    hours = (now - memory.last_used_at).total_seconds() / 3600
    fresh = freshness(memory, version)
    return Ranked(memory, distance, score(distance, memory.importance, hours) * fresh, fresh < 1)
