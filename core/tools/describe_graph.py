"""The graph as a whole: its size, its types, its centre."""

from core.domain.knowledge import GraphStats
from core.ports import KnowledgeGraph
from core.tools.graph_text import GraphText

CANDIDATES = 60
"""Of the most connected part, whose degrees are counted."""
CENTRE = 5
COUNTED = 100_000
CO_OCCURRENCE = "CO_OCCURS_IN"


def describe_graph(graph: KnowledgeGraph, base_id: str) -> GraphText:
    stats = graph.stats(base_id)
    view = graph.view(base_id, (), 1, CANDIDATES)
    relations = sorted({relation.relation for relation in view.relations} or {CO_OCCURRENCE})
    degrees = {entity.id: len(graph.neighbours(entity.id, 1, COUNTED)) for entity in view.entities}
    best = sorted(view.entities, key=lambda entity: (-degrees[entity.id], entity.name, entity.id))[:CENTRE]
    others = max(1, stats.entities - 1)
    lines = [
        "Knowledge graph:",
        f"Nodes: {stats.entities}",
        f"Edges: {stats.relations}",
        f"Relation types: {', '.join(relations)}",
        f"Density: {density(stats):.4f}",
        "Entity types:",
        *(f"  {type}: {count}" for type, count in stats.types),
        f"Top {CENTRE} by degree centrality:",
        *(f"  [{entity.type}] {entity.name} ({degrees[entity.id] / others:.3f})" for entity in best),
    ]
    return GraphText("\n".join(lines), tuple(entity.id for entity in best))


def density(stats: GraphStats) -> float:
    """0..1: the share of all possible pairs that are connected."""
    pairs = stats.entities * (stats.entities - 1) / 2
    return stats.relations / pairs if pairs else 0.0
