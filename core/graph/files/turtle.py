"""The graph as RDF in Turtle, a statement a line: the same statements as its JSON-LD."""

from collections.abc import Iterable, Iterator

from core.graph.files.json_ld import CLASSES, iri
from core.graph.model import Entity, Relation

_RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_SCHEMA = "https://schema.org/"
_OWN = "urn:graphtalk:"
_INTEGER, _DOUBLE = (f"<http://www.w3.org/2001/XMLSchema#{name}>" for name in ("integer", "double"))
_ESCAPED = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def turtle(entities: Iterable[Entity], relations: Iterable[Relation]) -> Iterator[str]:
    """Lines; nothing of them is kept, so that a large graph needs no memory of its own."""
    for entity in entities:
        node = f"<{iri(entity.id)}>"
        yield f"{node} {_RDF_TYPE} <{_SCHEMA}{CLASSES.get(entity.type, 'Thing')}> .\n"
        yield f"{node} <{_SCHEMA}name> {_text(entity.name)} .\n"
        yield f"{node} <{_SCHEMA}additionalType> {_text(entity.type)} .\n"
        for alias in entity.aliases:
            yield f"{node} <{_SCHEMA}alternateName> {_text(alias)} .\n"
        yield f'{node} <{_OWN}mentions> "{entity.mentions}"^^{_INTEGER} .\n'
        yield f'{node} <{_OWN}documents> "{entity.documents}"^^{_INTEGER} .\n'
    for number, each in enumerate(relations):
        node = f"_:relation{number}"
        yield f"{node} {_RDF_TYPE} <{_OWN}Relation> .\n"
        yield f"{node} <{_OWN}source> <{iri(each.source_id)}> .\n"
        yield f"{node} <{_OWN}target> <{iri(each.target_id)}> .\n"
        yield f"{node} <{_OWN}relation> {_text(each.relation)} .\n"
        yield f'{node} <{_OWN}weight> "{round(each.weight, 6):E}"^^{_DOUBLE} .\n'


def _text(words: str) -> str:
    """A literal; what is no character of a text file is written as a question mark."""
    plain = words.encode("utf-8", "replace").decode("utf-8").translate(_ESCAPED)
    inert = "".join(sign if sign >= " " else f"\\u{ord(sign):04X}" for sign in plain)
    return f'"{inert}"'
