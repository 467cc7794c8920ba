"""The graph as RDF in Turtle, a statement a line: the same statements as its JSON-LD."""

from collections.abc import Iterator

from core.graph.files.json_ld import CLASSES, CO_OCCURS_WITH, OWN, iri, pages_of, predicate
from core.graph.files.network_files import NetworkFile

_RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
_SCHEMA = "https://schema.org/"
_INTEGER, _DOUBLE = (f"<http://www.w3.org/2001/XMLSchema#{name}>" for name in ("integer", "double"))
_ESCAPED = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def turtle(file: NetworkFile) -> Iterator[str]:
    """Lines; of them only the words of relations are kept, so that a large graph needs no memory of its own."""
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
