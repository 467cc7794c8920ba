"""The graph as JSON-LD in the words of schema.org and of vocabulary.ttl, with its context inside."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from core.graph.files.network_files import NetworkFile
from core.graph.model import Relation
from core.graph.network.cooccurrence import CO_OCCURS

OWN = "urn:graphtalk:"
CO_OCCURS_WITH = f"{OWN}coOccursWith"
_CONTEXT = {
    "@vocab": "https://schema.org/",
    "label": "http://www.w3.org/2000/01/rdf-schema#label",
    **{name: f"{OWN}{name}" for name in ("mentions", "documents", "relation", "weight", "page", "evidence")},
    "source": {"@id": f"{OWN}source", "@type": "@id"},
    "target": {"@id": f"{OWN}target", "@type": "@id"},
}
CLASSES = {"PERSON": "Person", "ORGANIZATION": "Organization", "LOCATION": "Place"}


def linked_data(file: NetworkFile) -> dict[str, Any]:
    """A relation is a direct statement, and a node of its own, because it has a weight and evidence."""
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
        for entity in file.entities
    ]
    words: dict[str, str] = {}
    for each, sentence in file.relations:
        graph.append({"@id": iri(each.source_id), predicate(each.relation): {"@id": iri(each.target_id)}})
        graph.append(_relation(each, sentence, file.documents))
        words[predicate(each.relation)] = each.relation
    graph += [{"@id": used, "label": said} for used, said in words.items() if used != CO_OCCURS_WITH]
    return {"@context": _CONTEXT, "@graph": graph}


def _relation(relation: Relation, sentence: str, documents: Mapping[str, str]) -> dict[str, Any]:
    return {
        "@type": f"{OWN}Relation",
        "source": iri(relation.source_id),
        "target": iri(relation.target_id),
        "relation": relation.relation,
        "weight": round(relation.weight, 6),
        "page": pages_of(relation, documents),
        **({"evidence": sentence} if sentence else {}),
    }


def pages_of(relation: Relation, documents: Mapping[str, str]) -> list[str]:
    return list(dict.fromkeys(f"{documents.get(id, id)} p. {page + 1}" for id, page in relation.pages))


def predicate(relation: str) -> str:
    """Of the direct statement."""
    if relation == CO_OCCURS:
        return CO_OCCURS_WITH
    words = "_".join(relation.encode("utf-8", "replace").decode("utf-8").split())
    return f"{OWN}relation:{quote(words, safe='')}"


def iri(entity_id: str) -> str:
    """Ids are hexadecimal digits, so nothing in them needs an escape."""
    return f"{OWN}entity:{entity_id}"
