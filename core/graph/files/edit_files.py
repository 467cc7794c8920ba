"""The log of edits as a file; entities are identified by the names and types that the documents give them."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from core.graph.edits import EditedEntity, EditKind, GraphEdit, LoggedEdit
from core.graph.files.json_files import MAX_LABEL, json_rows
from core.graph.naming import display_form, entity_id
from core.platform.errors import InputError

EDITS = "kg_edits.json"
MAX_BYTES = 16 * 1024 * 1024
MAX_EDITS = 100_000
MAX_ENTITIES = 5_000
"""Limit per edit: so many rows of a table can be edited at once."""
_LONGEST_ID = 64
_LEAST = {EditKind.MERGE: 2, EditKind.STATE: 2, EditKind.DENY: 2, EditKind.APART: 2, EditKind.REJECT: 2}
_NAMING = (EditKind.RENAME, EditKind.ALIAS, EditKind.STATE)
_WORDED = (*_NAMING, EditKind.RETYPE, EditKind.DENY)


def edit_rows(logged: Sequence[LoggedEdit]) -> Iterator[dict[str, object]]:
    """One row per edit, oldest first. A rejected passage goes by its id, which other bases do not know."""
    for each in sorted(logged, key=lambda each: each.number):
        yield {
            "time": each.made_at.isoformat(),
            "batch": each.batch,
            "kind": each.edit.kind.value,
            "entities": [_row(entity) for entity in each.edit.entities],
            "text": each.edit.text,
            "undone": each.undone,
        } | ({"passage": each.edit.chunk_id} if each.edit.chunk_id else {})


def _row(entity: EditedEntity) -> dict[str, str]:
    """Name and type as the documents give them, from which its id follows in every base."""
    found = {"name": entity.found_name or entity.name, "type": entity.found_type or entity.type}
    return found | ({"shown": entity.name} if entity.name != found["name"] else {})


def read_edits(data: bytes, base_id: str, name: str = EDITS) -> list[LoggedEdit]:
    """As edits of a base. Raises InputError that names the row and what is wrong with it."""
    return [_logged(row, number, base_id, name) for number, row in json_rows(data, name, MAX_BYTES, MAX_EDITS)]


def _logged(row: Any, number: int, base_id: str, file: str) -> LoggedEdit:
    try:
        kind, made_at = EditKind(row["kind"]), datetime.fromisoformat(row["time"])
        entities = tuple(_entity(each, base_id) for each in row["entities"])
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


def _entity(row: Mapping[str, Any], base_id: str) -> EditedEntity:
    name, type = row["name"], row["type"]
    shown = row.get("shown", name)
    if not all(isinstance(each, str) and 0 < len(each) <= MAX_LABEL for each in (name, type, shown)):
        raise ValueError("a name must be a text of limited length")
    return EditedEntity(entity_id(base_id, name, type), shown, type, name, type)
