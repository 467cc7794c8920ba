"""Entities by a part of their name."""

from core.ports import KnowledgeGraph
from core.tools.graph_text import GraphText, evidence

SHOWN = 15
SUGGESTED = 8
COUNTED = 1_000
"""Matches that are counted."""
MAX_QUERY = 200


def search_entities(graph: KnowledgeGraph, base_id: str, query: str) -> GraphText:
    """query matches inside names, in upper or lower case."""
    query = " ".join(query.split())[:MAX_QUERY]
    found = graph.search(base_id, query, COUNTED) if query else []
    if not found:
        names = ", ".join(entity.name for entity in graph.search(base_id, "", SUGGESTED))
        hint = f"Some entities of the graph: {names}" if names else "The graph has no entities yet."
        return GraphText(f"No entity matches '{query}'. Try a part of the name. {hint}")
    shown = found[:SHOWN]
    lines = [f"Found {len(found)} entity(ies) matching '{query}':"]
    lines += [f'[{entity.type}] "{entity.name}" ({evidence(graph, entity)}, id={entity.id})' for entity in shown]
    if len(found) > SHOWN:
        lines.append(f"... and {len(found) - SHOWN} more. Use a longer query to narrow the search.")
    return GraphText("\n".join(lines), tuple(entity.id for entity in shown))
