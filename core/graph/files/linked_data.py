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
_CONTEXT = {
    "@vocab": "https://schema.org/",
    "label": "http://www.w3.org/2000/01/rdf-schema#label",
    **{name: f"{OWN}{name}" for name in ("mentions", "documents", "relation", "weight", "page", "evidence")},
    "source": {"@id": f"{OWN}source", "@type": "@id"},
    "target": {"@id": f"{OWN}target", "@type": "@id"},
}
CLASSES = {"PERSON": "Person", "ORGANIZATION": "Organization", "LOCATION": "Place"}
_RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
_SCHEMA = "https://schema.org/"
_INTEGER, _DOUBLE = (f"<http://www.w3.org/2001/XMLSchema#{name}>" for name in ("integer", "double"))
_ESCAPED = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def json_ld(file: NetworkFile) -> str:
    return json.dumps(linked_data(file), ensure_ascii=False, indent=1)


def linked_data(file: NetworkFile) -> dict[str, Any]:
    """JSON-LD with its context inside.

    A relation is a direct statement, and a node of its own, because it has a weight and evidence.
    """
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
    for entity in file.entities:
        node = f"<{iri(entity.id)}>"
        yield f"{node} {_RDF_TYPE} <{_SCHEMA}{CLASSES.get(entity.type, 'Thing')}> .\n"
        yield f"{node} <{_SCHEMA}name> {_text(entity.name)} .\n"
        yield f"{node} <{_SCHEMA}additionalType> {_text(entity.type)} .\n"
        for alias in entity.aliases:
            yield f"{node} <{_SCHEMA}alternateName> {_text(alias)} .\n"
        yield f'{node} <{OWN}mentions> "{entity.mentions}"^^{_INTEGER} .\n'
        yield f'{node} <{OWN}documents> "{entity.documents}"^^{_INTEGER} .\n'
    words: dict[str, str] = {}
    for number, (each, sentence) in enumerate(file.relations):
        node, used = f"_:relation{number}", predicate(each.relation)
        words[used] = each.relation
        yield f"<{iri(each.source_id)}> <{used}> <{iri(each.target_id)}> .\n"
        yield f"{node} {_RDF_TYPE} <{OWN}Relation> .\n"
        yield f"{node} <{OWN}source> <{iri(each.source_id)}> .\n"
        yield f"{node} <{OWN}target> <{iri(each.target_id)}> .\n"
        yield f"{node} <{OWN}relation> {_text(each.relation)} .\n"
        yield f'{node} <{OWN}weight> "{round(each.weight, 6):E}"^^{_DOUBLE} .\n'
        for page in pages_of(each, file.documents):
            yield f"{node} <{OWN}page> {_text(page)} .\n"
        if sentence:
            yield f"{node} <{OWN}evidence> {_text(sentence)} .\n"
    for used, said in words.items():
        if used != CO_OCCURS_WITH:
            yield f"<{used}> {_LABEL} {_text(said)} .\n"


def _text(words: str) -> str:
    """A literal; what is no character of a text file is written as a question mark."""
    plain = words.encode("utf-8", "replace").decode("utf-8").translate(_ESCAPED)
    inert = "".join(sign if sign >= " " else f"\\u{ord(sign):04X}" for sign in plain)
    return f'"{inert}"'
