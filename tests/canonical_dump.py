"""A knowledge base as text: the same for the same documents, in whatever order and however often they were ingested."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Engine, Select, Table, select

from core.platform.sql.engine import reading
from core.platform.sql.schema import (
    blocks,
    chunks,
    documents,
    entities,
    entity_names,
    mentions,
    relations,
    stages,
    summaries,
)

_LEFT_OUT = frozenset({"id", "base_id", "added_at", "ready_at", "seconds", "replaces", "estimate", "spent"})
_REFERENCES = frozenset({"document_id", "chunk_id", "entity_id", "source_id", "target_id"})
Meanings = Mapping[str, object]
"""What stands for an id: it may differ between two data folders, what it means may not."""


def canonical_dump(engine: Engine, base_id: str) -> str:
    """One JSON list a line, sorted: all that ingestion made of the base, without times and ids."""
    with reading(engine) as connection:
        return "\n".join(sorted(_lines(connection, base_id)))


def _lines(connection: Connection, base_id: str) -> Iterator[str]:
    meanings = _meanings(connection, base_id)
    for table in (documents, entities, stages, blocks, chunks, summaries, entity_names, mentions, relations):
        for row in connection.execute(_of_base(table, base_id)).mappings():
            fields = {name: _canonical(name, row[name], meanings) for name in row if name not in _LEFT_OUT}
            yield json.dumps([table.name, fields], ensure_ascii=False, sort_keys=True)


def _meanings(connection: Connection, base_id: str) -> Meanings:
    """Documents are meant by their bytes, chunks by their place, entities by type and name."""
    found: dict[str, object] = {}
    for row in connection.execute(_of_base(documents, base_id)).mappings():
        found[row["id"]] = row["sha256"]
    for row in connection.execute(_of_base(chunks, base_id)).mappings():
        found[row["id"]] = [found[row["document_id"]], row["position"]]
    for row in connection.execute(_of_base(entities, base_id)).mappings():
        found[row["id"]] = [row["type"], row["name"]]
    return found


def _of_base(table: Table, base_id: str) -> Select[Any]:
    if "base_id" in table.c:
        return select(table).where(table.c.base_id == base_id)
    return select(table).join(documents, documents.c.id == table.c.document_id).where(documents.c.base_id == base_id)


def _canonical(name: str, value: Any, meanings: Meanings) -> object:
    if name in _REFERENCES:
        return meanings[value]
    if name == "pages" and isinstance(value, list):
        return sorted(([meanings[document_id], page] for document_id, page, *_ in value if page >= 0), key=str)
    return value
