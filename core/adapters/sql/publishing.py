"""Makes a document visible or removes it, inside the caller's transaction."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, bindparam, case, delete, exists, func, insert, select, union, update

from core.adapters.sql import entity_names as naming
from core.adapters.sql import graph_events, published
from core.adapters.sql.engine import batches, insert_all
from core.adapters.sql.index_changes import note_change
from core.adapters.sql.rows import from_block, from_chunk, from_document, from_mention, from_relation, from_summary
from core.adapters.sql.schema import (
    blocks,
    chunks,
    documents,
    entities,
    entity_names,
    incidences,
    knowledge_bases,
    mentions,
    relations,
    summaries,
)
from core.adapters.sql.vectors import forget_changed
from core.domain.documents import Chunk, Document, Summary
from core.domain.graph_edits import EventKind
from core.domain.knowledge import Entity, Mention, Relation
from core.errors import NotFoundError
from core.kg.cooccurrence import pack
from core.ports.publishing import NewDocument, Publication
from core.ports.search import IndexEntry

_PARTS = (mentions, incidences, relations, entity_names, summaries, chunks, blocks)
_PACKED = select(incidences.c.document_id).where(incidences.c.document_id == bindparam("document"))


@dataclass(frozen=True, slots=True)
class _Support:
    """What one document contributes to an entity."""

    mentions: int = 0
    name: str = ""


_NOTHING = _Support()


def lock_base(connection: Connection, base_id: str) -> None:
    """Serialises publishing, adding and deleting within a base. Raises NotFoundError."""
    statement = select(knowledge_bases.c.id).where(knowledge_bases.c.id == base_id).with_for_update()
    if not connection.execute(statement).first():
        raise NotFoundError("storage.base_gone")


def add(connection: Connection, new: NewDocument, now: datetime) -> bool:
    """Whether it was not there yet."""
    if connection.execute(select(documents.c.id).where(documents.c.id == new.id)).first():
        return False
    texts = dict.fromkeys(("error_key", "parser", "language", "title"), "")
    counts = dict.fromkeys(("pages", "chunks", "entities"), 0)
    lists: dict[str, object] = {"error_params": [], "notes": []}
    given = {name: getattr(new, name) for name in ("id", "base_id", "name", "sha256", "size", "media_type")}
    values = {**texts, **counts, **lists, **given, "parser_choice": new.parser or None, "cancelled": False}
    connection.execute(insert(documents).values(**values, added_at=now))
    return True


def publish(connection: Connection, publication: Publication, now: datetime) -> None:
    """Removes what the document replaces at the same moment. Publishing the same again changes only the time."""
    if _show(connection, publication, now, now):
        graph_events.note_document(connection, publication.document_id, EventKind.PUBLISHED, now)


def _show(connection: Connection, publication: Publication, ready_at: datetime, now: datetime) -> bool:
    """Whether anything changed but the time."""
    base_id = _lock_document(connection, publication.document_id)
    if not base_id:
        raise NotFoundError("error.document_missing")
    changed = not _is_published(connection, publication)
    if changed:
        _replace_parts(connection, base_id, publication)
        _remove_replaced(connection, base_id, publication.document_id, now)
        note_change(connection, base_id, publication.document_id)
    connection.execute(
        update(documents)
        .where(documents.c.id == publication.document_id)
        .values(
            title=publication.title,
            language=publication.language,
            parser=publication.parser,
            pages=publication.pages,
            notes=publication.notes,
            chunks=len(publication.chunks),
            entities=len({mention.entity_id for mention in publication.mentions}),
            ready_at=ready_at,
            error_key="",
            error_params=[],
            cancelled=False,
            paused=False,
        )
    )
    return changed


def _is_published(connection: Connection, publication: Publication) -> bool:
    """The state after a crash between publishing and recording that it was done."""
    try:
        known = published.read(connection, publication.document_id)
    except NotFoundError:
        return False
    same_entities = set(known.entities) == {replace(entity, mentions=0, documents=0) for entity in publication.entities}
    return same_entities and replace(known, entities=()) == replace(publication, entities=())


def _replace_parts(connection: Connection, base_id: str, publication: Publication) -> None:
    before = _withdrawn(connection, publication) if _has_parts(connection, publication.document_id) else {}
    _insert_texts(connection, publication)
    _insert_graph(connection, base_id, publication)
    _settle(connection, before, _support(connection, publication.document_id))


def _has_parts(connection: Connection, document_id: str) -> bool:
    """Whether it was published before; every publication leaves a row here, however little it says."""
    return connection.execute(_PACKED, {"document": document_id}).first() is not None


def _withdrawn(connection: Connection, publication: Publication) -> dict[str, _Support]:
    """What the document contributed until now; its rows are deleted, and vectors of what it no longer says."""
    before = _support(connection, publication.document_id)
    for table in _PARTS:
        connection.execute(delete(table).where(table.c.document_id == publication.document_id))
    forget_changed(connection, publication.document_id, _entries(publication))
    return before


def replace_chunk(
    connection: Connection,
    chunk: Chunk,
    entities: Sequence[Entity],
    mentions: Sequence[Mention],
    relations: Sequence[Relation] | None,
) -> None:
    """Republishes one chunk with another text and mentions; relations stay as they are if None."""
    _lock_document(connection, chunk.document_id)
    known = published.read(connection, chunk.document_id)
    if chunk.id not in {other.id for other in known.chunks}:
        raise NotFoundError("storage.chunk_gone")
    named = {entity.id for entity in known.entities}
    changed = replace(
        known,
        chunks=tuple(chunk if other.id == chunk.id else other for other in known.chunks),
        entities=(*known.entities, *(entity for entity in entities if entity.id not in named)),
        mentions=(*(other for other in known.mentions if other.chunk_id != chunk.id), *mentions),
        relations=known.relations if relations is None else tuple(relations),
    )
    ready_at = connection.execute(select(documents.c.ready_at).where(documents.c.id == chunk.document_id)).scalar_one()
    _show(connection, changed, ready_at, ready_at)


def enable_chunk(connection: Connection, chunk_id: str, enabled: bool) -> None:
    found = connection.execute(select(chunks.c.document_id).where(chunks.c.id == chunk_id)).scalar()
    base_id = _lock_document(connection, found) if found else ""
    if not base_id:
        raise NotFoundError("storage.chunk_gone")
    connection.execute(update(chunks).where(chunks.c.id == chunk_id).values(enabled=enabled))
    note_change(connection, base_id, str(found))


def restore(connection: Connection, document: Document, publication: Publication | None, now: datetime) -> None:
    lock_base(connection, document.base_id)
    if connection.execute(select(documents.c.id).where(documents.c.id == document.id)).first():
        return
    connection.execute(insert(documents).values(**from_document(document)))
    if publication and document.ready_at:
        _show(connection, publication, document.ready_at, now)
        graph_events.note_document(connection, document.id, EventKind.PUBLISHED, now)


def remove(connection: Connection, document_id: str, now: datetime) -> None:
    base_id = _lock_document(connection, document_id)
    if not base_id:
        return
    before = _support(connection, document_id)
    if _has_parts(connection, document_id):
        graph_events.note_document(connection, document_id, EventKind.DELETED, now)
    connection.execute(delete(documents).where(documents.c.id == document_id))
    _settle(connection, before, {})
    note_change(connection, base_id, document_id)


def count_support(connection: Connection, document_ids: Sequence[str]) -> tuple[int, int]:
    """Entities supported only by these documents, and those that others support too."""
    own = union(
        select(mentions.c.entity_id).where(mentions.c.document_id.in_(document_ids)),
        select(relations.c.source_id).where(relations.c.document_id.in_(document_ids)),
        select(relations.c.target_id).where(relations.c.document_id.in_(document_ids)),
    ).subquery()
    entity = own.c.entity_id
    elsewhere = (
        exists().where(mentions.c.entity_id == entity, mentions.c.document_id.not_in(document_ids))
        | exists().where(relations.c.source_id == entity, relations.c.document_id.not_in(document_ids))
        | exists().where(relations.c.target_id == entity, relations.c.document_id.not_in(document_ids))
    )
    kept = func.coalesce(func.sum(case((elsewhere, 1), else_=0)), 0)
    total, stay = connection.execute(select(func.count(), kept).select_from(own)).one()
    return total - stay, stay


def _remove_replaced(connection: Connection, base_id: str, document_id: str, now: datetime) -> None:
    this = documents.c.id == document_id
    replaced = connection.execute(select(documents.c.replaces).where(this)).scalar()
    if not replaced:
        return
    connection.execute(update(documents).where(this).values(replaces=None))
    other = (documents.c.id == replaced) & (documents.c.base_id == base_id)
    if connection.execute(select(documents.c.id).where(other)).first():
        remove(connection, replaced, now)


def _lock_document(connection: Connection, document_id: str) -> str:
    """Its base, locked; empty if the document no longer exists."""
    statement = select(documents.c.base_id).where(documents.c.id == document_id)
    base_id = connection.execute(statement).scalar()
    if base_id is None:
        return ""
    lock_base(connection, base_id)
    return base_id if connection.execute(statement).scalar() else ""


def _insert_texts(connection: Connection, publication: Publication) -> None:
    insert_all(connection, blocks, [from_block(publication.document_id, block) for block in publication.blocks])
    insert_all(connection, chunks, [from_chunk(chunk) for chunk in publication.chunks])
    rows = [from_summary(position, summary) for position, summary in enumerate(publication.summaries)]
    insert_all(connection, summaries, rows)


def _insert_graph(connection: Connection, base_id: str, publication: Publication) -> None:
    """Entities that the publication neither mentions nor relates are left out."""
    document_id = publication.document_id
    used = {mention.entity_id for mention in publication.mentions}
    used |= {end for relation in publication.relations for end in (relation.source_id, relation.target_id)}
    supported = list({entity.id: entity for entity in publication.entities if entity.id in used}.values())
    _insert_missing(connection, base_id, supported)
    insert_all(connection, entity_names, naming.rows(base_id, document_id, supported))
    insert_all(connection, mentions, [from_mention(*numbered) for numbered in enumerate(_in_order(publication))])
    connection.execute(insert(incidences).values(document_id=document_id, packed=pack(publication.mentions)))
    rows = [from_relation(document_id, position, relation) for position, relation in enumerate(publication.relations)]
    insert_all(connection, relations, rows)


def _entries(publication: Publication) -> Iterator[IndexEntry]:
    parts: Iterable[Chunk | Summary] = (*publication.chunks, *publication.summaries)
    for part in parts:
        yield IndexEntry(part.id, part.document_id, publication.title, "\n".join(part.section), part.text)


def _in_order(publication: Publication) -> list[Mention]:
    index = {chunk.id: chunk.index for chunk in publication.chunks}
    return sorted(publication.mentions, key=lambda mention: (index.get(mention.chunk_id, 0), mention.start, mention.id))


def _insert_missing(connection: Connection, base_id: str, wanted: Iterable[Entity]) -> None:
    missing = {entity.id: entity for entity in wanted}
    for batch in batches(list(missing)):
        for known in connection.execute(select(entities.c.id).where(entities.c.id.in_(batch))).scalars():
            del missing[known]
    counts = {"mentions": 0, "documents": 0}
    rows = [
        {"id": entity.id, "base_id": base_id, "name": entity.name, "type": entity.type, **counts}
        for entity in missing.values()
    ]
    insert_all(connection, entities, rows)


def _support(connection: Connection, document_id: str) -> dict[str, _Support]:
    """Every entity the document names, mentions or relates."""
    counted = select(mentions.c.entity_id, func.count()).where(mentions.c.document_id == document_id)
    counts: dict[str, int] = dict(connection.execute(counted.group_by(mentions.c.entity_id)).tuples().all())
    names = naming.given_by(connection, document_id)
    ends = union(
        select(relations.c.source_id).where(relations.c.document_id == document_id),
        select(relations.c.target_id).where(relations.c.document_id == document_id),
    )
    everything = dict.fromkeys([*counts, *names, *connection.execute(ends).scalars()])
    return {id: _Support(counts.get(id, 0), names.get(id, "")) for id in everything}


def _settle(connection: Connection, before: dict[str, _Support], after: dict[str, _Support]) -> None:
    """Updates counts and names of the entities a document touched; removes those without any support."""
    touched = [id for id in {**before, **after} if before.get(id) != after.get(id)]
    changes = [_difference(id, before.get(id, _NOTHING), after.get(id, _NOTHING)) for id in touched]
    for batch in batches(changes, 2_000):
        connection.execute(
            update(entities)
            .where(entities.c.id == bindparam("entity"))
            .values(
                mentions=entities.c.mentions + bindparam("more_mentions"),
                documents=entities.c.documents + bindparam("more_documents"),
            ),
            batch,
        )
    _delete_unsupported(connection, list(before))
    renamed = [id for id in touched if before.get(id, _NOTHING).name != after.get(id, _NOTHING).name]
    naming.settle(connection, {id: after.get(id, _NOTHING).name for id in renamed})


def _difference(id: str, before: _Support, after: _Support) -> dict[str, object]:
    return {
        "entity": id,
        "more_mentions": after.mentions - before.mentions,
        "more_documents": bool(after.mentions) - bool(before.mentions),
    }


def _delete_unsupported(connection: Connection, candidates: list[str]) -> None:
    related = exists().where((relations.c.source_id == entities.c.id) | (relations.c.target_id == entities.c.id))
    for batch in batches(candidates):
        alone = entities.c.id.in_(batch) & (entities.c.mentions == 0)
        connection.execute(delete(entities).where(alone, ~related))
