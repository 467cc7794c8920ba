"""How graph tools show an entity: by its first mention, or as the imported file described it."""

from collections.abc import Callable, Sequence

from core.domain.knowledge import Entity, Mention
from core.ports.graph import KnowledgeGraph

MOST_ORDERED = 100
"""Limit for ordering entities of equal rank by first mention; more of them stay ordered by name."""


def evidence(graph: KnowledgeGraph, entity: Entity, with_id: bool = False) -> str:
    """Confidence and 0-based page; question marks for an entity that no document mentions."""
    found = _first(graph, entity)
    if found is None:
        shown, id = "confidence=?, page=?", entity.id
    else:
        origin = found.origin
        confidence = (origin.alignment if origin else "") or f"{found.confidence:.2f}"
        shown, id = f"confidence={confidence}, page={found.page}", origin.id if origin else entity.id
    return f"{shown}, id={id}" if with_id else shown


def ranked(
    graph: KnowledgeGraph, entities: Sequence[Entity], weight: Callable[[Entity], float], limit: int
) -> list[Entity]:
    """The heaviest first, ties by first mention; at most `limit`."""
    by_name = sorted(entities, key=lambda entity: (-weight(entity), entity.name, entity.id))
    least = weight(by_name[limit - 1]) if len(by_name) > limit else float("-inf")
    near = [entity for entity in by_name if weight(entity) >= least]
    if len(near) <= MOST_ORDERED:
        near.sort(key=lambda entity: (-weight(entity), *_place(graph, entity)))
    return near[:limit]


def _place(graph: KnowledgeGraph, entity: Entity) -> tuple[int, int, str]:
    found = _first(graph, entity)
    return (found.page, found.start, entity.name) if found else (0, 0, entity.name)


def _first(graph: KnowledgeGraph, entity: Entity) -> Mention | None:
    found = graph.mentions(entity.id, 1)
    return found[0].mention if found else None
