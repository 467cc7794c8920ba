"""The parts of a document as published and edited since: what publishing writes, read back."""

from collections.abc import Iterator
from dataclasses import replace

from sqlalchemy import Connection, select

from core.documents.ports.publishing import Publication
from core.documents.store.rows import to_block, to_chunk, to_mention, to_relation, to_summary
from core.graph.files.import_documents import PARSER
from core.graph.model import CooccurrenceGroup, Entity
from core.graph.network.incidences import unpack_groups
from core.platform.errors import NotFoundError
from core.platform.sql.schema import (
    blocks,
    chunks,
    documents,
    entities,
    entity_names,
    incidences,
    mentions,
    relations,
    summaries,
)


def read(connection: Connection, document_id: str) -> Publication:
    """Raises NotFoundError if the document does not exist or is not ready."""
    ready = select(documents).where(documents.c.id == document_id, documents.c.ready_at.is_not(None))
    row = connection.execute(ready).mappings().first()
    if row is None:
        raise NotFoundError("error.document_missing")
    parts = {
        table: connection.execute(select(table).where(table.c.document_id == document_id).order_by(table.c.position))
        .mappings()
        .all()
        for table in (blocks, chunks, summaries, mentions, relations)
    }
    return Publication(
        document_id=document_id,
        title=row["title"],
        language=row["language"],
        parser=row["parser"],
        pages=row["pages"],
        notes=tuple(row["notes"]),
        blocks=tuple(to_block(part) for part in parts[blocks]),
        chunks=tuple(to_chunk(part) for part in parts[chunks]),
        summaries=tuple(to_summary(part) for part in parts[summaries]),
        entities=tuple(_entities(connection, document_id)),
        mentions=tuple(to_mention(part) for part in parts[mentions]),
        relations=tuple(to_relation(part) for part in parts[relations]),
        cooccurrence=tuple(_groups(connection, document_id)) if row["parser"] == PARSER else None,
    )


def _groups(connection: Connection, document_id: str) -> Iterator[CooccurrenceGroup]:
    packed = connection.execute(select(incidences.c.packed).where(incidences.c.document_id == document_id)).scalar()
    return unpack_groups(packed) if packed else iter(())


def _entities(connection: Connection, document_id: str) -> list[Entity]:
    """With the names this document gives them, the displayed one first."""
    statement = (
        select(entities.c.id, entities.c.base_id, entities.c.type, entity_names.c.name)
        .join(entity_names, entity_names.c.entity_id == entities.c.id)
        .where(entity_names.c.document_id == document_id)
        .order_by(entity_names.c.entity_id, entity_names.c.position)
    )
    found: dict[str, Entity] = {}
    for row in connection.execute(statement):
        known = found.get(row.id)
        found[row.id] = (
            replace(known, aliases=(*known.aliases, row.name))
            if known
            else Entity(row.id, row.base_id, row.name, row.type)
        )
    return list(found.values())
