"""The order of an answer's passages: the surest first, but what better ones hold already counts less. Pure."""

from collections.abc import Mapping
from heapq import heapify, heappop, heappush

from core.retrieval.ranking import Candidate, Weights

REDUNDANCY = 4.0
"""Log odds that a chunk loses when better ones hold all that it holds of the query."""
SPREAD = 10
"""Places that are filled with an eye to the ones before; the rest follow by score."""


def diversified(candidates: Mapping[str, Candidate], weights: Weights) -> list[str]:
    """Ids, best first. A question about A and B wants a chunk for each before a second one for A."""
    odds = {id: candidate.log_odds() for id, candidate in candidates.items()}
    chosen: dict[str, None] = {}
    covered: set[str] = set()
    waiting = [(-value, id) for id, value in odds.items()]
    heapify(waiting)
    while waiting and len(chosen) < SPREAD:
        _, id = heappop(waiting)
        value = REDUNDANCY * weights.share(candidates[id].held & covered) - odds[id]
        if waiting and (value, id) > waiting[0]:
            heappush(waiting, (value, id))  # what is covered only grows, so no value falls again
        else:
            chosen[id] = None
            covered |= candidates[id].held
    others = sorted((id for id in odds if id not in chosen), key=lambda id: (-odds[id], id))
    return [*chosen, *others]
