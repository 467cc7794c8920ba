"""Reads kg_nodes.json and kg_edges.json, the files of a graph, and the log of edits, kg_edits.json, in which entities
are identified by the names and types that the documents give them. Hostile input is rejected.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.graph.edits import EditedEntity, EditKind, GraphEdit, LoggedEdit
from core.graph.model import Alignment
from core.graph.naming import display_form, entity_id, one_line
from core.platform.errors import InputError

NODES, EDGES = "kg_nodes.json", "kg_edges.json"
MAX_BYTES = 64 * 1024 * 1024
MAX_ROWS = 500_000
HEAD_BYTES = 4_096
_FIELDS = {NODES: {"id", "name", "type", "source_doc"}, EDGES: {"source", "target", "relation", "doc_id"}}
MAX_LABEL = 300
_MAX_NUMBER = 2**31 - 1
SURE: Mapping[str, float] = {
    Alignment.EXACT: 1.0,
    Alignment.GREATER: 0.8,
    Alignment.LESSER: 0.8,
    Alignment.FUZZY: 0.5,
}
"""Confidence by alignment, for files that give no number."""
EDITS = "kg_edits.json"
MAX_EDIT_BYTES = 16 * 1024 * 1024
MAX_EDITS = 100_000
MAX_ENTITIES = 5_000
"""Limit per edit: so many rows of a table can be edited at once."""
_LONGEST_ID = 64
_LEAST = {EditKind.MERGE: 2, EditKind.STATE: 2, EditKind.DENY: 2, EditKind.APART: 2, EditKind.REJECT: 2}
_NAMING = (EditKind.RENAME, EditKind.ALIAS, EditKind.STATE)
_WORDED = (*_NAMING, EditKind.RETYPE, EditKind.DENY)


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


def read_nodes(data: bytes) -> list[NodeRow]:
    """Rows of a nodes file. Raises InputError that names the row and what is wrong with it."""
    rows: list[NodeRow] = []
    seen: set[str] = set()
    for number, row in json_rows(data, NODES, MAX_BYTES, MAX_ROWS):
        cell = _Cells(row, number, NODES)
        id = cell.label("id")
        if id in seen:
            raise InputError("kg.duplicate_id", name=NODES, row=number, id=id)
        seen.add(id)
        start = cell.number("char_start")
        end = cell.number("char_end", start)
        alignment = cell.alignment("confidence")
        usual = SURE.get(alignment, 1.0)
        confidence = cell.fraction("score" if alignment else "confidence", usual)
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


def read_edges(data: bytes, nodes: Iterable[NodeRow]) -> list[EdgeRow]:
    """Distinct rows of an edges file, self loops left out. Raises InputError, also for nodes that do not exist."""
    ids = {node.id for node in nodes}
    rows: dict[EdgeRow, None] = {}
    for number, row in json_rows(data, EDGES, MAX_BYTES, MAX_ROWS):
        cell = _Cells(row, number, EDGES)
        source, target = cell.label("source"), cell.label("target")
        for end in (source, target):
            if end not in ids:
                raise InputError("kg.unknown_node", name=EDGES, row=number, id=end)
        if source != target:
            edge = EdgeRow(source, target, cell.label("relation"), cell.label("doc_id"), cell.number("page"))
            rows[edge] = None
    return list(rows)


def json_rows(data: bytes, name: str, most_bytes: int, most: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """(row number from 1, row) of a JSON array of objects. Raises InputError."""
    if len(data) > most_bytes:
        raise InputError("kg.file_too_large", name=name, limit=most_bytes // 2**20)
    try:
        rows = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse)
    except RecursionError as error:
        raise InputError("kg.nested_too_deeply", name=name) from error
    except ValueError as error:
        raise InputError("kg.not_json", name=name, reason=str(error)[:MAX_LABEL]) from error
    if not isinstance(rows, list):
        raise InputError("kg.not_a_list", name=name)
    if len(rows) > most:
        raise InputError("kg.too_many_rows", name=name, count=len(rows), limit=most)
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
        """A name: one line, no invisible characters."""
        value = self.row.get(field)
        shown = one_line(value) if isinstance(value, str) and len(value) <= MAX_LABEL else ""
        if not shown:
            raise self._error("kg.text_invalid", field, limit=MAX_LABEL)
        return shown

    def label(self, field: str) -> str:
        """An identifier, unchanged."""
        value = self.row.get(field)
        if not isinstance(value, str) or not 0 < len(value) <= MAX_LABEL or not value.isprintable():
            raise self._error("kg.text_invalid", field, limit=MAX_LABEL)
        return value

    def number(self, field: str, least: int = 0) -> int:
        value = self.row.get(field, least)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= _MAX_NUMBER:
            raise self._error("kg.number_invalid", field, low=least, high=_MAX_NUMBER)
        return value

    def alignment(self, field: str) -> str:
        """An alignment; empty if the field has a number or is missing."""
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

    def _error(self, key: str, field: str, **limits: int | str) -> InputError:
        return InputError(key, name=self.file, row=self.number_of_row, field=field, **limits)


def edit_rows(logged: Sequence[LoggedEdit]) -> Iterator[dict[str, object]]:
    """One row per edit, oldest first. A rejected passage goes by its id, which other bases do not know."""
    for each in sorted(logged, key=lambda each: each.number):
        yield {
            "time": each.made_at.isoformat(),
            "batch": each.batch,
            "kind": each.edit.kind.value,
            "entities": [_entity_row(entity) for entity in each.edit.entities],
            "text": each.edit.text,
            "undone": each.undone,
        } | ({"passage": each.edit.chunk_id} if each.edit.chunk_id else {})


def _entity_row(entity: EditedEntity) -> dict[str, str]:
    """Name and type as the documents give them, from which its id follows in every base."""
    found = {"name": entity.found_name or entity.name, "type": entity.found_type or entity.type}
    return found | ({"shown": entity.name} if entity.name != found["name"] else {})


def read_edits(data: bytes, base_id: str, name: str = EDITS) -> list[LoggedEdit]:
    """As edits of a base. Raises InputError that names the row and what is wrong with it."""
    rows = json_rows(data, name, MAX_EDIT_BYTES, MAX_EDITS)
    return [_logged(row, number, base_id, name) for number, row in rows]


def _logged(row: Mapping[str, Any], number: int, base_id: str, file: str) -> LoggedEdit:
    try:
        kind, made_at = EditKind(row["kind"]), datetime.fromisoformat(row["time"])
        entities = tuple(_edited(each, base_id) for each in row["entities"])
        text, batch, passage = row.get("text", ""), row.get("batch", number), row.get("passage", "")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError("kg.edit_unreadable", name=file, row=number) from error
    fits = _LEAST.get(kind, 1) <= len(entities) <= MAX_ENTITIES and isinstance(batch, int)
    placed = isinstance(passage, str) and len(passage) <= _LONGEST_ID and bool(passage) == (kind is EditKind.REJECT)
    if not fits or not _is_worded(kind, text) or not placed or made_at.tzinfo is None:
        raise InputError("kg.edit_unreadable", name=file, row=number)
    return LoggedEdit(number, batch, made_at, GraphEdit(kind, entities, text, passage), row.get("undone") is True)


def _is_worded(kind: EditKind, text: object) -> bool:
    if not isinstance(text, str) or len(text) > MAX_LABEL or bool(text) != (kind in _WORDED):
        return False
    return kind not in _NAMING or bool(display_form(text))


def _edited(row: Mapping[str, Any], base_id: str) -> EditedEntity:
    name, type = row["name"], row["type"]
    shown = row.get("shown", name)
    if not all(isinstance(each, str) and 0 < len(each) <= MAX_LABEL for each in (name, type, shown)):
        raise ValueError("a name must be a text of limited length")
    return EditedEntity(entity_id(base_id, name, type), shown, type, name, type)
