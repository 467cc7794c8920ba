"""The graph in the formats of programs that draw and measure networks: GraphML and GEXF."""

from collections.abc import Iterable, Sequence
from io import BytesIO

from core.graph.model import Entity, Relation
from core.platform.plain_text import label


def graphml(entities: Sequence[Entity], relations: Iterable[Relation]) -> bytes:
    """Entities with type, aliases and counts, relations with their weight; for Gephi, yEd, Cytoscape."""
    return _written("graphml_xml", entities, relations)


def gexf(entities: Sequence[Entity], relations: Iterable[Relation]) -> bytes:
    """The same for Gephi."""
    return _written("gexf", entities, relations)


def _written(form: str, entities: Sequence[Entity], relations: Iterable[Relation]) -> bytes:
    """form: as networkx names its writers."""
    import networkx as nx

    graph: nx.MultiGraph[str] = nx.MultiGraph()
    for entity in entities:
        facts = {"type": label(entity.type), "mentions": entity.mentions, "documents": entity.documents}
        aliases = "; ".join(label(alias) for alias in entity.aliases)
        graph.add_node(entity.id, label=label(entity.name), aliases=aliases, **facts)
    for each in relations:
        ends = each.source_id, each.target_id
        graph.add_edge(*ends, relation=label(each.relation), weight=float(each.weight))
    file = BytesIO()
    getattr(nx, f"write_{form}")(graph, file)
    return file.getvalue()
