"""The graph as JSON-LD in the words of schema.org, with its context inside."""

from collections.abc import Iterable
from typing import Any

from core.graph.model import Entity, Relation

_CONTEXT = {
    "@vocab": "https://schema.org/",
    "mentions": "urn:graphtalk:mentions",
    "documents": "urn:graphtalk:documents",
    "relation": "urn:graphtalk:relation",
    "weight": "urn:graphtalk:weight",
    "source": {"@id": "urn:graphtalk:source", "@type": "@id"},
    "target": {"@id": "urn:graphtalk:target", "@type": "@id"},
}
CLASSES = {"PERSON": "Person", "ORGANIZATION": "Organization", "LOCATION": "Place"}


def linked_data(entities: Iterable[Entity], relations: Iterable[Relation]) -> dict[str, Any]:
    """A relation is a node of its own, because it has a weight."""
    graph: list[dict[str, Any]] = [
        {
            "@id": iri(entity.id),
            "@type": CLASSES.get(entity.type, "Thing"),
            "name": entity.name,
            "additionalType": entity.type,
            "alternateName": list(entity.aliases),
            "mentions": entity.mentions,
            "documents": entity.documents,
        }
        for entity in entities
    ]
    graph += [
        {
            "@type": "urn:graphtalk:Relation",
            "source": iri(each.source_id),
            "target": iri(each.target_id),
            "relation": each.relation,
            "weight": round(each.weight, 6),
        }
        for each in relations
    ]
    return {"@context": _CONTEXT, "@graph": graph}


def iri(entity_id: str) -> str:
    """Ids are hexadecimal digits, so nothing in them needs an escape."""
    return f"urn:graphtalk:entity:{entity_id}"
