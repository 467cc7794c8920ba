"""The order of an answer's passages: the surest first, but what better ones hold already counts less. Pure."""

from collections.abc import Mapping, Sequence

from core.retrieval.ranking import Candidate

REDUNDANCY = 3.3
"""Log odds that a chunk loses when better ones hold all that it holds of the query."""
SPREAD = 10
"""Places that are filled with an eye to the ones before; the rest follow by score."""
CHOICE = 60
"""Candidates that compete for those places."""


def diversified(candidates: Mapping[str, Candidate], weight: Mapping[str, float], semantic: bool) -> list[str]:
    """Ids, best first. A question about A and B wants a chunk for each before a second one for A."""
    odds = {id: candidate.log_odds(semantic) for id, candidate in candidates.items()}
    ranked = sorted(odds, key=lambda id: (-odds[id], id))
    choice = ranked[:CHOICE]
    chosen: list[str] = []
    covered: set[str] = set()
    total = sum(weight.values()) or 1.0
    costs = {id: _costs(candidates[id], weight, total) for id in choice}
    while choice and len(chosen) < SPREAD:
        best = min(choice, key=lambda id: (-odds[id] + _redundancy(costs[id], covered), id))
        choice.remove(best)
        chosen.append(best)
        covered |= candidates[best].held
    return chosen + _others(ranked, chosen)


def _costs(candidate: Candidate, weight: Mapping[str, float], total: float) -> list[tuple[str, float]]:
    return [(term, REDUNDANCY * weight.get(term, 0.0) / total) for term in candidate.held]


def _redundancy(costs: Sequence[tuple[str, float]], covered: set[str]) -> float:
    return sum(cost for term, cost in costs if term in covered)


def _others(ranked: Sequence[str], chosen: Sequence[str]) -> list[str]:
    taken = set(chosen)
    return [id for id in ranked if id not in taken]
