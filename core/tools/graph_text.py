"""What a graph tool says, with the entities that it speaks of."""

from dataclasses import dataclass

from core.domain.knowledge import Entity
from core.ports import KnowledgeGraph


@dataclass(frozen=True, slots=True)
class GraphText:
    text: str
    """For the agent; its form is a contract."""
    entity_ids: tuple[str, ...] = ()


def evidence(graph: KnowledgeGraph, entity: Entity) -> str:
    """Confidence and 0-based page of the first mention; question marks for an entity that no document mentions."""
    found = graph.mentions(entity.id, 1)
    if not found:
        return "confidence=?, page=?"
    return f"confidence={found[0].mention.confidence:.2f}, page={found[0].mention.page}"
