"""Makes a document visible or removes it, inside the caller's transaction."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from core.documents.model import Chunk, Document
from core.documents.ports.publishing import NewDocument, Publication
from core.documents.store import entity_contributions as support
from core.documents.store import published
from core.documents.store.rows import (
    Row,
    from_block,
    from_chunk,
    from_document,
    from_mention,
    from_relation,
    from_summary,
)
from core.graph.edits import EventKind
from core.graph.model import Entity, Mention, Relation
from core.graph.network.incidences import incidence_of
from core.graph.store import entity_names as naming
from core.graph.store import graph_events
from core.platform.errors import NotFoundError
from core.platform.sql.columns import name_key
from core.platform.sql.compiled_statements import insert_all
from core.platform.sql.engine import ASKED, batches, rows_of
from core.platform.sql.schema import (
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
from core.search.store.index_changes import note_changes
from core.search.store.vectors import forget_changed

_PARTS = (mentions, incidences, relations, entity_names, summaries, chunks, blocks)
_LISTED = documents.c.id.in_(ASKED)
_BASES = select(documents.c.base_id).where(_LISTED).distinct()
_STATES = (
    select(documents.c.id, documents.c.base_id, documents.c.ready_at, documents.c.replaces, incidences.c.document_id)
    .join_from(documents, incidences, isouter=True)
    .where(_LISTED)
)
VERSION = select(knowledge_bases.c.graph_version).where(knowledge_bases.c.id == bindparam("base"))
_LOCKED_BASE = select(knowledge_bases.c.id).where(knowledge_bases.c.id == bindparam("base")).with_for_update()
_PACKED = select(incidences.c.packed).where(incidences.c.document_id == bindparam("document"))
_NAMES = select(entity_names.c.name, entity_names.c.norm).where(entity_names.c.document_id == bindparam("document"))
_HEAD = update(documents).where(documents.c.id == bindparam("document"))
_READ: Row = {"error_key": "", "error_params": [], "cancelled": False, "paused": False}
"""Columns of a document that was read to its end; an edit of a passage leaves them, as it may be read again now."""


@dataclass(frozen=True, slots=True)
class _State:
    """State of a document before it is published."""

    id: str
    base_id: str
    was_ready: bool
    replaces: str
    has_parts: bool
    """Whether it was published before; every publication leaves a row of incidences."""


def lock_base(connection: Connection, base_id: str) -> None:
    """Serialises publishing, adding and deleting within a base. Raises NotFoundError."""
    if not connection.execute(_LOCKED_BASE, {"base": base_id}).first():
        raise NotFoundError("storage.base_gone")


def raise_graph_version(connection: Connection, base_id: str) -> int:
    """Called with every edit that a person makes of a graph or a passage; returns the new version."""
    this = knowledge_bases.c.id == base_id
    connection.execute(update(knowledge_bases).where(this).values(graph_version=knowledge_bases.c.graph_version + 1))
    raised: int = connection.execute(VERSION, {"base": base_id}).scalar_one()
    return raised


def add(connection: Connection, new: NewDocument, now: datetime) -> bool:
    """Whether the document is new."""
    if connection.execute(select(documents.c.id).where(documents.c.id == new.id)).first():
        return False
    texts = dict.fromkeys(("error_key", "parser", "language", "title"), "")
    counts = dict.fromkeys(("pages", "chunks", "entities"), 0)
    lists: dict[str, object] = {"error_params": [], "notes": []}
    given = {name: getattr(new, name) for name in ("id", "base_id", "name", "sha256", "size", "media_type")}
    values = {**texts, **counts, **lists, **given, "parser_choice": new.parser or None, "cancelled": False}
    connection.execute(insert(documents).values(**values, added_at=now))
    return True


def publish(connection: Connection, publications: Sequence[Publication], now: datetime) -> None:
    """Removes what they replace at the same moment. Publishing the same again changes only the time.

    Raises NotFoundError if one of the documents is gone.
    """
    changed = _show(connection, publications, now, now, **_READ)
    graph_events.note_documents(connection, changed, EventKind.PUBLISHED, now)


def _show(
    connection: Connection, publications: Sequence[Publication], ready_at: datetime, now: datetime, **columns: object
) -> list[str]:
    """Ids of the documents that changed in more than the time. columns: further ones of their rows."""
    known = _locked(connection, [each.document_id for each in publications])
    new = [each for each in publications if not _is_published(connection, each, known[each.document_id])]
    for base_id in sorted({known[each.document_id].base_id for each in new}):
        own = [each for each in new if known[each.document_id].base_id == base_id]
        _replace_parts(connection, base_id, own, [each for each in own if known[each.document_id].has_parts])
        _remove_replaced(connection, base_id, [known[each.document_id] for each in own], now)
        note_changes(connection, base_id, [each.document_id for each in own])
    for batch in batches([_head(each, ready_at) | columns for each in publications]):
        connection.execute(_HEAD, batch)
    return [each.document_id for each in new]


def _head(publication: Publication, ready_at: datetime) -> Row:
    return {
        "document": publication.document_id,
        **{name: getattr(publication, name) for name in ("title", "language", "parser", "pages", "notes")},
        "chunks": len(publication.chunks),
        "entities": len({mention.entity_id for mention in publication.mentions}),
        "ready_at": ready_at,
    }


def _is_published(connection: Connection, publication: Publication, state: _State) -> bool:
    """Whether the same publication is stored already, as after a crash before that was recorded."""
    if not state.was_ready:
        return False
    try:
        known = published.read(connection, publication.document_id)
        is_derived = _is_derived(connection, publication)
    except (ValueError, TypeError, KeyError):  # a flipped byte made a row unreadable
        return False
    same_entities = set(known.entities) == {replace(entity, mentions=0, documents=0) for entity in publication.entities}
    return is_derived and same_entities and replace(known, entities=()) == replace(publication, entities=())


def _is_derived(connection: Connection, publication: Publication) -> bool:
    """Whether what is searched and drawn of it is what would be made of it now."""
    packed = connection.execute(_PACKED, {"document": publication.document_id}).scalar()
    names = connection.execute(_NAMES, {"document": publication.document_id})
    return packed == incidence_of(publication) and all(name_key(name) == norm for name, norm in names)


def _replace_parts(
    connection: Connection, base_id: str, publications: Sequence[Publication], again: Sequence[Publication]
) -> None:
    """Statements for all of them at once; `again` are those whose earlier parts are taken back first."""
    before = [_withdrawn(connection, each) for each in again]
    _insert_texts(connection, publications)
    _insert_graph(connection, base_id, publications)
    support.settle(connection, support.together(before), support.together(map(support.of_publication, publications)))


def _withdrawn(connection: Connection, publication: Publication) -> dict[str, support.Support]:
    """Deletes the document's parts, and vectors of text that changed; returns what it contributed to entities."""
    before = support.of_document(connection, publication.document_id)
    for table in _PARTS:
        connection.execute(delete(table).where(table.c.document_id == publication.document_id))
    forget_changed(connection, publication.document_id, chain(*publication.index_entries().values()))
    return before


def replace_chunk(
    connection: Connection,
    chunk: Chunk,
    entities: Sequence[Entity],
    mentions: Sequence[Mention],
    relations: Sequence[Relation] | None,
) -> None:
    """Republishes one chunk with another text and mentions; relations stay as they are if None."""
    base_id = _locked(connection, [chunk.document_id])[chunk.document_id].base_id
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
    _show(connection, [changed], ready_at, ready_at)
    raise_graph_version(connection, base_id)


def enable_chunk(connection: Connection, chunk_id: str, enabled: bool) -> None:
    found = connection.execute(select(chunks.c.document_id).where(chunks.c.id == chunk_id)).scalar()
    state = _lock_document(connection, str(found)) if found else None
    if not state:
        raise NotFoundError("storage.chunk_gone")
    if not connection.execute(update(chunks).where(chunks.c.id == chunk_id).values(enabled=enabled)).rowcount:
        raise NotFoundError("storage.chunk_gone")  # it was read again before its base was locked
    note_changes(connection, state.base_id, [state.id])
    raise_graph_version(connection, state.base_id)


def restore(connection: Connection, document: Document, publication: Publication | None, now: datetime) -> bool:
    """False if the document exists."""
    lock_base(connection, document.base_id)
    if connection.execute(select(documents.c.id).where(documents.c.id == document.id)).first():
        return False
    connection.execute(insert(documents).values(**from_document(document)))
    if publication and document.ready_at:
        _show(connection, [publication], document.ready_at, now, **_READ)
        graph_events.note_documents(connection, [document.id], EventKind.PUBLISHED, now)
    return True


def remove(connection: Connection, document_id: str, now: datetime, archived: int | None = None) -> bool:
    """archived: as of Documents.delete()."""
    state = _lock_document(connection, document_id)
    if not state:
        return True
    if archived is not None and connection.execute(VERSION, {"base": state.base_id}).scalar_one() != archived:
        return False
    before = support.of_document(connection, document_id)
    if state.has_parts:
        graph_events.note_documents(connection, [document_id], EventKind.DELETED, now)
    connection.execute(delete(documents).where(documents.c.id == document_id))
    support.settle(connection, before, {})
    note_changes(connection, state.base_id, [document_id])
    return True


def _remove_replaced(connection: Connection, base_id: str, new: Sequence[_State], now: datetime) -> None:
    for state in new:
        if state.replaces:
            connection.execute(update(documents).where(documents.c.id == state.id).values(replaces=None))
            other = (documents.c.id == state.replaces) & (documents.c.base_id == base_id)
            if connection.execute(select(documents.c.id).where(other)).first():
                remove(connection, state.replaces, now)


def _lock_document(connection: Connection, document_id: str) -> _State | None:
    """None if it no longer exists; otherwise its base is locked."""
    try:
        return _locked(connection, [document_id])[document_id]
    except NotFoundError:
        return None


def _locked(connection: Connection, document_ids: Sequence[str]) -> dict[str, _State]:
    """The documents as they are, their bases locked. Raises NotFoundError if one no longer exists."""
    for base_id in sorted({base_id for (base_id,) in rows_of(connection, _BASES, document_ids)}):
        lock_base(connection, base_id)
    found = {
        id: _State(id, base_id, ready_at is not None, replaces or "", packed is not None)
        for id, base_id, ready_at, replaces, packed in rows_of(connection, _STATES, document_ids)
    }
    if found.keys() != {*document_ids}:
        raise NotFoundError("error.document_missing")
    return found


def _insert_texts(connection: Connection, publications: Sequence[Publication]) -> None:
    rows = [from_block(each.document_id, block) for each in publications for block in each.blocks]
    insert_all(connection, blocks, rows)
    insert_all(connection, chunks, [from_chunk(chunk) for each in publications for chunk in each.chunks])
    rows = [from_summary(*numbered) for each in publications for numbered in enumerate(each.summaries)]
    insert_all(connection, summaries, rows)


def _insert_graph(connection: Connection, base_id: str, publications: Sequence[Publication]) -> None:
    supported = {each.document_id: _supported(each) for each in publications}
    _insert_missing(connection, base_id, [entity for own in supported.values() for entity in own])
    rows = [row for id, own in supported.items() for row in naming.rows(base_id, id, own)]
    insert_all(connection, entity_names, rows)
    rows = [from_mention(*numbered) for each in publications for numbered in enumerate(_in_order(each))]
    insert_all(connection, mentions, rows)
    rows = [{"document_id": each.document_id, "packed": incidence_of(each)} for each in publications]
    insert_all(connection, incidences, rows)
    rows = [
        from_relation(each.document_id, *numbered) for each in publications for numbered in enumerate(each.relations)
    ]
    insert_all(connection, relations, rows)


def _supported(publication: Publication) -> list[Entity]:
    """Entities that the publication mentions or relates."""
    used = support.used(publication)
    return list({entity.id: entity for entity in publication.entities if entity.id in used}.values())


def _in_order(publication: Publication) -> list[Mention]:
    index = {chunk.id: chunk.index for chunk in publication.chunks}
    return sorted(publication.mentions, key=lambda mention: (index.get(mention.chunk_id, 0), mention.start, mention.id))


def _insert_missing(connection: Connection, base_id: str, wanted: Iterable[Entity]) -> None:
    missing = {entity.id: entity for entity in wanted}
    for (known,) in rows_of(connection, select(entities.c.id).where(entities.c.id.in_(ASKED)), missing):
        del missing[known]
    counts = {"mentions": 0, "documents": 0}
    rows = [
        {"id": entity.id, "base_id": base_id, "name": entity.name, "type": entity.type, **counts}
        for entity in missing.values()
    ]
    insert_all(connection, entities, rows)
