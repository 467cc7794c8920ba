"""Reads and writes the graph as kg_nodes.json and kg_edges.json. Pure functions over rows.

Hostile input is rejected.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from core.domain.knowledge import Alignment, Entity, Mention, Relation
from core.errors import InputError
from core.kg.naming import display_form

NODES, EDGES = "kg_nodes.json", "kg_edges.json"
CO_OCCURS = "CO_OCCURS_IN"
MAX_BYTES = 64 * 1024 * 1024
MAX_ROWS = 500_000
HEAD_BYTES = 4_096
_FIELDS = {NODES: {"id", "name", "type", "source_doc"}, EDGES: {"source", "target", "relation", "doc_id"}}
_MAX_LABEL = 300
_MAX_NUMBER = 2**31 - 1
SURE: Mapping[str, float] = {
    Alignment.EXACT: 1.0,
    Alignment.GREATER: 0.8,
    Alignment.LESSER: 0.8,
    Alignment.FUZZY: 0.5,
}
"""The number that an alignment stands for where the file gives none."""
_LEAST_WRITTEN = -0.1
Graph = Sequence[tuple[Entity, Sequence[Mention]]]


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node of an imported file; offsets are those of the program that wrote the file."""

    id: str
    name: str
    type: str
    source_doc: str
    char_start: int
    char_end: int
    confidence: float
    """0..1."""
    page: int
    """0-based page of the first mention."""
    alignment: str = ""
    """An Alignment; empty where the file had a number as its confidence."""


@dataclass(frozen=True, slots=True)
class EdgeRow:
    source: str
    target: str
    relation: str
    doc_id: str
    page: int
    """0-based."""


def node_rows(graph: Graph, labels: Mapping[str, str]) -> list[dict[str, object]]:
    """One row an entity, with its first mention: document as given, then page and offset in the chunk.

    labels names the documents by id; a document without a label goes by its id, equal labels get a part of it.
    """
    names = _unique_labels(graph, labels)
    distinct = _distinct(graph)
    ids = _ids(distinct)
    return [_node_row(ids[entity.id], entity, mentions, names) for entity, mentions in distinct if mentions]


def _ids(graph: Graph) -> dict[str, str]:
    """By entity: the id of the file that it was imported from, where no other entity has it, else its own."""
    given = {entity.id: next((it.origin.id for it in mentions if it.origin), entity.id) for entity, mentions in graph}
    times = Counter([*given.values(), *(id for id, file_id in given.items() if id != file_id)])
    return {id: file_id if times[file_id] == 1 else id for id, file_id in given.items()}


def _distinct(graph: Graph) -> list[tuple[Entity, list[Mention]]]:
    """One entry per (lowercase name, type), with the mentions of equal names combined."""
    merged: dict[tuple[str, str], tuple[Entity, list[Mention]]] = {}
    for entity, mentions in graph:
        merged.setdefault((entity.name.lower(), entity.type), (entity, []))[1].extend(mentions)
    return list(merged.values())


def _shown_as(graph: Graph) -> dict[str, str]:
    """By entity: the first of those with its name and type, which stands for all of them."""
    first: dict[tuple[str, str], str] = {}
    return {entity.id: first.setdefault((entity.name.lower(), entity.type), entity.id) for entity, _ in graph}


def _node_row(id: str, entity: Entity, mentions: Sequence[Mention], names: Mapping[str, str]) -> dict[str, object]:
    """The name stands in the text word for word, unless the file that it came from says otherwise."""
    first = min(mentions, key=lambda mention: (names[mention.document_id], mention.page, mention.start, mention.id))
    origin = first.origin
    return {
        "id": id,
        "name": entity.name,
        "type": entity.type,
        "source_doc": names[first.document_id],
        "char_start": origin.char_start if origin else first.start,
        "char_end": origin.char_end if origin else first.end,
        "confidence": (origin.alignment if origin else "") or Alignment.EXACT.value,
        "page": first.page,
        "score": round(min(1.0, max(0.0, first.confidence)), 4),
    }


def edge_rows(
    graph: Graph,
    labels: Mapping[str, str],
    stated: Iterable[Relation] = (),
    rejected: Collection[tuple[str, str, str]] = (),
) -> Iterator[dict[str, object]]:
    """All pairs of the entities of a page, source before target as strings, once for each document and page.

    Then the stated relations, once for each page that states them. rejected: (chunk, entity, other entity), the
    entities in the order of their ids; a page whose passages are all rejected for a pair has no row of it.
    Grows with the square of the entities of a page: written row by row, never held.
    """
    names = _unique_labels(graph, labels)
    distinct = _distinct(graph)
    ids, shown_as = _ids(distinct), _shown_as(graph)
    given = {id: ids[first] for id, first in shown_as.items()}
    dropped = _dropped(graph, given, rejected)
    pages: dict[tuple[str, int], set[str]] = {}
    for entity, mentions in distinct:
        for mention in mentions:
            pages.setdefault((mention.document_id, mention.page), set()).add(given[entity.id])
    for (document_id, page), inside in sorted(pages.items(), key=lambda item: (names[item[0][0]], item[0][1])):
        for source, target in combinations(sorted(inside), 2):
            if (document_id, page, source, target) not in dropped:
                yield _edge_row(source, target, CO_OCCURS, names[document_id], page)
    told = {
        (names[document_id], page, given[each.source_id], given[each.target_id], each.relation)
        for each in stated
        for document_id, page in each.pages
        if each.relation != CO_OCCURS and each.source_id in given and each.target_id in given and document_id in names
    }
    for name, page, source, target, relation in sorted(told):
        if source != target:
            yield _edge_row(source, target, relation, name, page)


def _edge_row(source: str, target: str, relation: str, document: str, page: int) -> dict[str, object]:
    return {"source": source, "target": target, "relation": relation, "doc_id": document, "page": page}


def _dropped(
    graph: Graph, given: Mapping[str, str], rejected: Collection[tuple[str, str, str]]
) -> set[tuple[str, int, str, str]]:
    """(document, page, id in the file, other id) of pairs that no passage of the page connects any more.

    given: the id in the file of every entity; several have the same one.
    """
    pairs = {_sorted(given[one], given[other]) for _, one, other in rejected if one in given and other in given}
    asked = {id for pair in pairs for id in pair}
    inside: dict[str, dict[tuple[str, int], set[tuple[str, str]]]] = {}
    for entity, mentions in graph:
        for mention in mentions if given[entity.id] in asked else ():
            places = inside.setdefault(given[entity.id], {})
            places.setdefault((mention.document_id, mention.page), set()).add((mention.chunk_id, entity.id))
    found: set[tuple[str, int, str, str]] = set()
    for source, target in pairs:
        for place, mentioned in inside.get(source, {}).items():
            others = inside.get(target, {}).get(place, set())
            shared = {(chunk, *_sorted(id, other)) for chunk, id in mentioned for at, other in others if at == chunk}
            if shared and shared <= set(rejected):
                found.add((*place, source, target))
    return found


def _sorted(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


def _unique_labels(graph: Graph, labels: Mapping[str, str]) -> dict[str, str]:
    ids = sorted({mention.document_id for _, mentions in graph for mention in mentions})
    wanted = Counter(labels.get(id) or id for id in ids)
    return {id: name if wanted[name] == 1 else f"{name} ({id[:8]})" for id in ids for name in [labels.get(id) or id]}


def write_rows(rows: Iterable[Mapping[str, object]], write: Callable[[str], object]) -> int:
    """A JSON array, one row a line, through write(); returns the number of rows."""
    count = 0
    write("[")
    for row in rows:
        write(",\n" if count else "\n")
        write(json.dumps(row, ensure_ascii=False))
        count += 1
    write("\n]\n")
    return count


def graph_file(name: str, head: bytes) -> str:
    """NODES or EDGES for one of the two files of a graph, by its name or by its first row; else empty.

    head is the beginning of the file, HEAD_BYTES of it.
    """
    if (known := name.casefold()) in (NODES, EDGES):
        return known
    text = head[:HEAD_BYTES].decode("utf-8-sig", "ignore").lstrip()
    row = text.find("{")
    if not known.endswith(".json") or not text.startswith("[") or text[1:row].strip():
        return ""
    try:
        first, _ = json.JSONDecoder().raw_decode(text, row)
    except (ValueError, RecursionError):
        return ""
    return next((kind for kind, fields in _FIELDS.items() if fields <= first.keys()), "")


def read_nodes(data: bytes, name: str = NODES) -> list[NodeRow]:
    """Rows of a nodes file. Raises InputError that names the row and what is wrong with it."""
    rows: list[NodeRow] = []
    seen: set[str] = set()
    for number, row in _rows(data, name):
        cell = _Cells(row, number, name)
        id = cell.label("id")
        if id in seen:
            raise InputError("kg.duplicate_id", name=name, row=number, id=id)
        seen.add(id)
        start = cell.number("char_start")
        end = cell.number("char_end", start)
        alignment = cell.alignment("confidence")
        usual = SURE.get(alignment, 1.0)
        confidence = cell.score(usual) if alignment else cell.fraction("confidence", usual)
        rows.append(
            NodeRow(
                id,
                cell.text("name"),
                cell.label("type"),
                cell.label("source_doc"),
                start,
                end,
                confidence,
                cell.number("page"),
                alignment,
            )
        )
    return rows


def read_edges(data: bytes, nodes: Iterable[NodeRow], name: str = EDGES) -> list[EdgeRow]:
    """Distinct rows of an edges file, self loops left out. Raises InputError, also for nodes that do not exist."""
    ids = {node.id for node in nodes}
    rows: dict[EdgeRow, None] = {}
    for number, row in _rows(data, name):
        cell = _Cells(row, number, name)
        source, target = cell.label("source"), cell.label("target")
        for end in (source, target):
            if end not in ids:
                raise InputError("kg.unknown_node", name=name, row=number, id=end)
        if source != target:
            edge = EdgeRow(source, target, cell.label("relation"), cell.label("doc_id"), cell.number("page"))
            rows[edge] = None
    return list(rows)


def _rows(data: bytes, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """(row number from 1, row) of a JSON array of objects."""
    if len(data) > MAX_BYTES:
        raise InputError("kg.file_too_large", name=name, limit=MAX_BYTES // 2**20)
    try:
        rows = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse)
    except RecursionError as error:
        raise InputError("kg.nested_too_deeply", name=name) from error
    except ValueError as error:
        raise InputError("kg.not_json", name=name, reason=str(error)[:_MAX_LABEL]) from error
    if not isinstance(rows, list):
        raise InputError("kg.not_a_list", name=name)
    if len(rows) > MAX_ROWS:
        raise InputError("kg.too_many_rows", name=name, count=len(rows), limit=MAX_ROWS)
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise InputError("kg.row_not_an_object", name=name, row=number)
        yield number, row


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON number")


@dataclass(frozen=True, slots=True)
class _Cells:
    """The fields of one row; each is validated when read."""

    row: Mapping[str, Any]
    number_of_row: int
    file: str

    def text(self, field: str) -> str:
        """A name as displayed: one line, no invisible characters."""
        value = self.row.get(field)
        shown = display_form(value) if isinstance(value, str) and len(value) <= _MAX_LABEL else ""
        if not shown:
            raise self._error("kg.text_invalid", field, limit=_MAX_LABEL)
        return shown

    def label(self, field: str) -> str:
        """An identifier, unchanged."""
        value = self.row.get(field)
        if not isinstance(value, str) or not 0 < len(value) <= _MAX_LABEL or not value.isprintable():
            raise self._error("kg.text_invalid", field, limit=_MAX_LABEL)
        return value

    def number(self, field: str, least: int = 0) -> int:
        value = self.row.get(field, least)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= _MAX_NUMBER:
            raise self._error("kg.number_invalid", field, low=least, high=_MAX_NUMBER)
        return value

    def alignment(self, field: str) -> str:
        """Empty where there is a number, or nothing."""
        value = self.row.get(field)
        if not isinstance(value, str):
            return ""
        if value not in SURE:
            raise self._error("kg.alignment_unknown", field, known=", ".join(SURE))
        return value

    def fraction(self, field: str, usual: float) -> float:
        value = self.row.get(field, usual)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise self._error("kg.number_invalid", field, low=0, high=1)
        return float(value)

    def score(self, usual: float) -> float:
        """Our own field: versions before this one could write a confidence a little below zero."""
        value = self.row.get("score")
        slightly_below = isinstance(value, float) and _LEAST_WRITTEN <= value < 0
        return 0.0 if slightly_below else self.fraction("score", usual)

    def _error(self, key: str, field: str, **limits: int | str) -> InputError:
        return InputError(key, name=self.file, row=self.number_of_row, field=field, **limits)
