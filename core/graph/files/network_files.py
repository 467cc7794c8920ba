"""The graph in the formats of programs that draw and measure networks: GraphML and GEXF, written row by row, and CSV
files that a spreadsheet opens without running anything in them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from core.graph.files.picture import colour_of, radius_of
from core.graph.model import Entity, Relation
from core.graph.network.cooccurrence import CO_OCCURS
from core.platform.plain_text import label, spreadsheet

Position = tuple[float, float]
Value = str | int | float | bool
_LONGEST = 500
"""Limit of the characters of a sentence."""
_PAGES = 20
"""Limit of the pages of a relation."""
_NODE_FACTS = {
    "label": "string",
    "type": "string",
    "aliases": "string",
    "mentions": "int",
    "documents": "int",
    "connections": "int",
    "centrality": "double",
    "x": "double",
    "y": "double",
    "size": "double",
    "r": "int",
    "g": "int",
    "b": "int",
}
_EDGE_FACTS = {
    "label": "string",
    "relation": "string",
    "stated": "boolean",
    "weight": "double",
    "confidence": "double",
    "pages": "string",
    "evidence": "string",
}
_DRAWN = ("label", "x", "y", "size", "r", "g", "b", "weight")
"""Facts for which GEXF has elements of its own."""
_GEXF_TYPES = {"int": "integer"}


@dataclass(frozen=True, slots=True)
class NetworkFile:
    """Everything that is written about a graph."""

    entities: Sequence[Entity]
    relations: Iterable[tuple[Relation, str]]
    """Each with a sentence that states it, where there is one."""
    documents: Mapping[str, str] = field(default_factory=dict)
    """Names by id."""
    places: Mapping[str, Position] = field(default_factory=dict)
    """Positions in the drawing of the whole graph, y downwards, by entity."""
    links: Mapping[str, int] = field(default_factory=dict)
    centrality: Mapping[str, float] = field(default_factory=dict)


def graphml(file: NetworkFile) -> Iterator[str]:
    """GraphML for yEd, Cytoscape and networkx.

    Edges are undirected, because not all of these read both kinds; statements lead from source to target.
    """
    yield '<?xml version="1.0" encoding="utf-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for kind, declared in (("node", _NODE_FACTS), ("edge", _EDGE_FACTS)):
        for name, type in declared.items():
            yield f'<key id="{kind}_{name}" for="{kind}" attr.name="{name}" attr.type="{type}"/>\n'
    yield '<graph edgedefault="undirected">\n'
    for entity, facts in _nodes(file):
        yield f"<node id={_quoted(entity.id)}>{_data('node', facts)}</node>\n"
    for number, (relation, facts) in enumerate(_edges(file)):
        ends = f"source={_quoted(relation.source_id)} target={_quoted(relation.target_id)}"
        yield f'<edge id="e{number}" {ends}>{_data("edge", facts)}</edge>\n'
    yield "</graph>\n</graphml>\n"


def gexf(file: NetworkFile) -> Iterator[str]:
    """GEXF for Gephi and Gephi Lite, as drawn. Statements have a direction, co-occurrence has none.

    Gephi makes one edge of those between the same ends, unless their kinds differ.
    """
    yield (
        '<?xml version="1.0" encoding="utf-8"?>\n<gexf xmlns="http://gexf.net/1.3" '
        'xmlns:viz="http://gexf.net/1.3/viz" version="1.3">\n'
        '<graph mode="static" defaultedgetype="undirected">\n'
    )
    for kind, facts in (("node", _NODE_FACTS), ("edge", _EDGE_FACTS)):
        named = ((name, _GEXF_TYPES.get(type, type)) for name, type in facts.items() if name not in _DRAWN)
        rows = "".join(f'<attribute id="{name}" title="{name}" type="{type}"/>' for name, type in named)
        yield f'<attributes class="{kind}">{rows}</attributes>\n'
    yield "<nodes>\n"
    for entity, values in _nodes(file):
        yield f"<node id={_quoted(entity.id)} label={_quoted(values['label'])}>{_values(values)}{_viz(values)}</node>\n"
    yield "</nodes>\n<edges>\n"
    for number, (relation, values) in enumerate(_edges(file)):
        ends = f"source={_quoted(relation.source_id)} target={_quoted(relation.target_id)}"
        type = "directed" if values["stated"] else "undirected"
        said = _quoted(values["label"])
        words = f"label={said} kind={said} weight={_quoted(values['weight'])}"
        yield f'<edge id="{number}" {ends} type="{type}" {words}>{_values(values)}</edge>\n'
    yield "</edges>\n</graph>\n</gexf>\n"


def _nodes(file: NetworkFile) -> Iterator[tuple[Entity, dict[str, Value]]]:
    most = max((entity.mentions for entity in file.entities), default=1) or 1
    for entity in file.entities:
        facts: dict[str, Value] = {
            "label": label(entity.name),
            "type": label(entity.type),
            "aliases": "; ".join(label(alias) for alias in entity.aliases),
            "mentions": entity.mentions,
            "documents": entity.documents,
        }
        if entity.id in file.links:
            facts |= {"connections": file.links[entity.id], "centrality": round(file.centrality[entity.id], 6)}
        if entity.id in file.places:
            x, y = file.places[entity.id]
            facts |= {"x": round(x, 3), "y": round(-y, 3)}
        red, green, blue = bytes.fromhex(colour_of(entity.type)[1:])
        yield entity, facts | {"size": radius_of(entity.mentions, most), "r": red, "g": green, "b": blue}


def _edges(file: NetworkFile) -> Iterator[tuple[Relation, dict[str, Value]]]:
    for each, sentence in file.relations:
        stated = each.relation != CO_OCCURS
        facts: dict[str, Value] = {
            "label": label(each.relation),
            "relation": label(each.relation),
            "stated": stated,
            "weight": round(each.weight, 6),
            "pages": "; ".join(
                f"{label(file.documents.get(id, id))} p. {page + 1}" for id, page in each.pages[:_PAGES]
            ),
            "evidence": label(sentence, _LONGEST),
        }
        yield each, facts | ({"confidence": round(each.weight, 6)} if stated else {})


def _data(kind: str, facts: Mapping[str, Value]) -> str:
    return "".join(f'<data key="{kind}_{name}">{escape(_word(it))}</data>' for name, it in facts.items() if it != "")


def _values(facts: Mapping[str, Value]) -> str:
    given = ((name, value) for name, value in facts.items() if name not in _DRAWN and value != "")
    rows = "".join(f'<attvalue for="{name}" value={_quoted(value)}/>' for name, value in given)
    return f"<attvalues>{rows}</attvalues>"


def _viz(facts: Mapping[str, Value]) -> str:
    place = f'<viz:position x="{facts["x"]}" y="{facts["y"]}"/>' if "x" in facts else ""
    colour = f'<viz:color r="{facts["r"]}" g="{facts["g"]}" b="{facts["b"]}"/>'
    return f'{colour}{place}<viz:size value="{facts["size"]}"/>'


def _quoted(value: Value) -> str:
    return quoteattr(_word(value))


def _word(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def entities_csv(entities: Iterable[Entity]) -> bytes:
    rows = (
        (
            entity.id,
            label(entity.name),
            label(entity.type),
            "; ".join(label(alias) for alias in entity.aliases),
            entity.mentions,
            entity.documents,
        )
        for entity in entities
    )
    return _csv(("id", "name", "type", "aliases", "mentions", "documents"), rows)


def relations_csv(relations: Iterable[Relation], names: Mapping[str, str]) -> bytes:
    """names by entity id."""
    rows = (
        (
            each.source_id,
            names[each.source_id],
            label(each.relation),
            each.target_id,
            names[each.target_id],
            round(each.weight, 6),
            len(each.pages),
        )
        for each in relations
    )
    return _csv(("source", "source_name", "relation", "target", "target_name", "weight", "pages"), rows)


def _csv(header: Sequence[str], rows: Iterable[Sequence[str | float]]) -> bytes:
    return spreadsheet([header, *rows]).encode("utf-8", "replace")
