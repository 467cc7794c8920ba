"""What lies around an entity, hop by hop."""

from itertools import groupby

from core.domain.knowledge import Neighbour
from core.ports import KnowledgeGraph
from core.tools.graph_text import GraphText

MAX_HOPS = 3
SHOWN = 20
"""Entities of one hop."""
COUNTED = 5_000
"""Of one hop."""


def get_neighbors(graph: KnowledgeGraph, base_id: str, entity_name: str, hops: int = 1) -> GraphText:
    """entity_name is the start: exact, else its prefix, else a part of it. hops is taken into 1..3."""
    name = " ".join(entity_name.split())
    found = graph.search(base_id, name, 1) if name else []
    if not found:
        return GraphText(f"No entity called '{name}'. Use search_entities to find its name in the graph.")
    start, hops = found[0], max(1, min(MAX_HOPS, hops))
    neighbours = graph.neighbours(start.id, hops, COUNTED)
    lines = [f"Neighbors of '{start.name}' [{start.type}] within {hops} hop(s):"]
    touched = [start.id]
    for hop, group in groupby(neighbours, key=lambda neighbour: neighbour.hop):
        there = [neighbour.entity for neighbour in sorted(group, key=_strongest_first)]
        lines.append(f"Hop {hop} — {len(there)} related entities:")
        lines += [f"[{entity.type}] {entity.name}" for entity in there[:SHOWN]]
        if len(there) > SHOWN:
            lines.append(f"... and {len(there) - SHOWN} more")
        touched += [entity.id for entity in there[:SHOWN]]
    lines.append(f"Total related entities: {len(neighbours)}")
    return GraphText("\n".join(lines), tuple(touched))


def _strongest_first(neighbour: Neighbour) -> tuple[float, str]:
    return -neighbour.weight, neighbour.entity.name
