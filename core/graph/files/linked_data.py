"""The graph as linked data in words of schema.org and vocabulary.ttl: the same statements as JSON-LD and Turtle."""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from core.graph.files.network_files import NetworkFile
from core.graph.model import Relation
from core.graph.network.cooccurrence import CO_OCCURS

OWN = "urn:graphtalk:"
CO_OCCURS_WITH = f"{OWN}coOccursWith"
_CONTEXT: dict[str, Any] = {
    "@vocab": "https://schema.org/",
    "label": "http://www.w3.org/2000/01/rdf-schema#label",
    **{name: f"{OWN}{name}" for name in ("mentions", "documents", "relation", "weight", "page", "evidence")},
    **{name: {"@id": f"{OWN}{name}", "@type": "@id"} for name in ("source", "target")},
}
CLASSES = {"PERSON": "Person", "ORGANIZATION": "Organization", "LOCATION": "Place"}
_RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_INTEGER, _DOUBLE = (f"<http://www.w3.org/2001/XMLSchema#{name}>" for name in ("integer", "double"))
_ESCAPED = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def json_ld(file: NetworkFile) -> str:
    return json.dumps(linked_data(file), ensure_ascii=False, indent=1)


def linked_data(file: NetworkFile) -> dict[str, Any]:
    """JSON-LD with its context inside."""
    return {"@context": _CONTEXT, "@graph": list(_nodes(file))}


def _nodes(file: NetworkFile) -> Iterator[dict[str, Any]]:
    """A relation is a direct statement, and a node of its own, because it has a weight and evidence."""
    for entity in file.entities:
        yield {
            "@id": iri(entity.id),
            "@type": CLASSES.get(entity.type, "Thing"),
            "name": entity.name,
            "additionalType": entity.type,
            "alternateName": list(entity.aliases),
            "mentions": entity.mentions,
            "documents": entity.documents,
        }
    words: dict[str, str] = {}
    for each, sentence in file.relations:
        used = predicate(each.relation)
        words[used] = each.relation
        yield {"@id": iri(each.source_id), used: {"@id": iri(each.target_id)}}
        yield {
            "@type": f"{OWN}Relation",
            "source": iri(each.source_id),
            "target": iri(each.target_id),
            "relation": each.relation,
            "weight": round(each.weight, 6),
            "page": pages_of(each, file.documents),
            **({"evidence": sentence} if sentence else {}),
        }
    yield from ({"@id": used, "label": said} for used, said in words.items() if used != CO_OCCURS_WITH)


def pages_of(relation: Relation, documents: Mapping[str, str]) -> list[str]:
    return list(dict.fromkeys(f"{documents.get(id, id)} p. {page + 1}" for id, page in relation.pages))


def predicate(relation: str) -> str:
    """IRI of the predicate of the direct statement."""
    if relation == CO_OCCURS:
        return CO_OCCURS_WITH
    words = "_".join(relation.encode("utf-8", "replace").decode("utf-8").split())
    return f"{OWN}relation:{quote(words, safe='')}"


def iri(entity_id: str) -> str:
    """Ids are hexadecimal digits, so nothing in them needs an escape."""
    return f"{OWN}entity:{entity_id}"


def turtle(file: NetworkFile) -> Iterator[str]:
    """Statements, one a line; only the words of relations are held, so a large graph needs no memory of its own."""
    for number, node in enumerate(_nodes(file)):
        subject = f"<{node['@id']}>" if "@id" in node else f"_:relation{number}"
        for name, values in node.items():
            for value in values if isinstance(values, list) else [values]:
                if name != "@id":
                    yield f"{subject} {_said(name, value)} .\n"


def _said(name: str, value: Any) -> str:
    """Predicate and object of a field of a node."""
    word = _CONTEXT.get(name, name)
    if name == "@type":
        return f"{_RDF_TYPE} <{_iri_of(value)}>"
    if isinstance(word, dict):
        return f"<{word['@id']}> <{value}>"
    return f"<{_iri_of(word)}> {_object(value)}"


def _iri_of(word: str) -> str:
    return word if ":" in word else f"{_CONTEXT['@vocab']}{word}"


def _object(value: Any) -> str:
    if isinstance(value, dict):
        return f"<{value['@id']}>"
    if isinstance(value, float):
        return f'"{value:E}"^^{_DOUBLE}'
    return f'"{value}"^^{_INTEGER}' if isinstance(value, int) else _text(value)


def _text(words: str) -> str:
    """A literal; what is no character of a text file is written as a question mark."""
    plain = words.encode("utf-8", "replace").decode("utf-8").translate(_ESCAPED)
    inert = "".join(sign if sign >= " " else f"\\u{ord(sign):04X}" for sign in plain)
    return f'"{inert}"'
