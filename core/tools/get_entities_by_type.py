"""All entities of one type."""

from core.ports import KnowledgeGraph
from core.tools.graph_text import GraphText, evidence

SHOWN = 200


def get_entities_by_type(graph: KnowledgeGraph, base_id: str, entity_type: str) -> GraphText:
    """entity_type in any case."""
    wanted = "_".join(entity_type.split()).upper()
    types = dict(graph.stats(base_id).types)
    if wanted not in types:
        known = ", ".join(sorted(types)) or "none yet"
        return GraphText(f"Error: unknown entity type '{wanted}'. Types in the graph: {known}")
    found = graph.search(base_id, "", SHOWN, wanted)
    lines = [f"{wanted} entities ({types[wanted]} total):"]
    ordered = sorted(found, key=lambda entity: (entity.name.casefold(), entity.name))
    lines += [f"• {entity.name} ({evidence(graph, entity)})" for entity in ordered]
    if types[wanted] > len(found):
        lines.append(f"... and {types[wanted] - len(found)} more")
    return GraphText("\n".join(lines), tuple(entity.id for entity in ordered))
