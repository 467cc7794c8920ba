"""Reads the relations of a knowledge base: what shares a chunk, what is stated, which chunks are no evidence."""

from collections.abc import Collection

from sqlalchemy import Connection, Select, bindparam, func, select

from core.documents.store.rows import to_relation
from core.graph.edits import Resolution
from core.graph.files.import_documents import PARSER
from core.graph.model import Relation
from core.graph.network.cooccurrence import Cooccurrence
from core.graph.network.incidences import Incidence, Packed, unpack_groups, with_changes
from core.graph.network.network import Network, joined
from core.graph.store.incidence_cache import IncidenceCache, Stamp
from core.platform.sql.engine import ASKED, batches, rows_of
from core.platform.sql.installation_tables import index_changes
from core.platform.sql.schema import chunks, documents, graph_events, incidences, mentions, relations
from core.platform.sql.versioned_cache import OF_DOCUMENTS

_READ_AT_ONCE = 16
"""Documents; their rows are large."""
MOST_CHANGED = 0.2
"""Share of changed documents up to which only they are read and the cache file stays as it is."""
_EVENTS = select(graph_events.c.position, graph_events.c.made_at).where(graph_events.c.base_id == bindparam("base"))
_LAST_EVENT = _EVENTS.order_by(graph_events.c.position.desc()).limit(1)
_EVENT = _EVENTS.with_only_columns(graph_events.c.made_at).where(graph_events.c.position == bindparam("position"))
_EVERY: Select[str, Packed] = (
    select(incidences.c.document_id, incidences.c.packed)
    .join(documents)
    .where(documents.c.base_id == bindparam("base"))
)
_CHANGES = select(index_changes.c.document_id).where(
    index_changes.c.base_id == bindparam("base"), index_changes.c.version > bindparam("version")
)
_CHANGED: Select[str, Packed] = select(incidences.c.document_id, incidences.c.packed).where(
    incidences.c.document_id.in_(_CHANGES)
)
"""A query without the base, because SQLite would read all of its documents."""
_ANY_STATED = select(relations.c.document_id).limit(1)
_Groups = dict[tuple[int, str], set[int]]
"""Numbers of the groups of an imported document, by page and entity."""


def read_network(connection: Connection, base_id: str, kept: IncidenceCache | None = None) -> Network:
    """One of 100,000 mentions takes about 10 MB."""
    shared = _kept_shared(connection, base_id, kept) if kept else _read_shared(connection, _EVERY, base=base_id)
    return Network(shared, _stated(connection, base_id))


def _kept_shared(connection: Connection, base_id: str, kept: IncidenceCache) -> Cooccurrence:
    stamp = _stamp(connection, base_id)
    held = kept.read(base_id)
    if held and held[0] == stamp:
        return Cooccurrence.of(held[1])
    shared = _brought_up_to(stamp, connection, base_id, *held) if held else None
    if shared:
        return shared
    shared = _read_shared(connection, _EVERY, base=base_id)
    kept.keep(base_id, stamp, shared.incidence)
    return shared


def _brought_up_to(
    stamp: Stamp, connection: Connection, base_id: str, before: Stamp, found: Incidence
) -> Cooccurrence | None:
    """The earlier incidence with the documents that changed since; None if too many did."""
    if not _led_to(stamp, connection, base_id, before):
        return None
    asked = {"base": base_id, "version": before.version}
    changed = list(connection.execute(_CHANGES, asked).scalars())
    if len(changed) > len(found.document_ids) * MOST_CHANGED:
        return None
    now = _read_shared(connection, _CHANGED, **asked)
    return Cooccurrence.of(with_changes(found, changed, now.incidence))


def _stamp(connection: Connection, base_id: str) -> Stamp:
    base = connection.execute(OF_DOCUMENTS, {"base": base_id}).first()
    event = connection.execute(_LAST_EVENT, {"base": base_id}).first()
    created_at, version = base or ("", 0)
    position, made_at = event or (0, "")
    return Stamp(str(created_at), version, position, str(made_at))


def _led_to(stamp: Stamp, connection: Connection, base_id: str, before: Stamp) -> bool:
    """Whether the database went through the earlier state: it still has the event that was the last one then."""
    if before.created_at != stamp.created_at or before.version > stamp.version:
        return False
    event = connection.execute(_EVENT, {"base": base_id, "position": before.event}).scalar()
    return event is not None and str(event) == before.event_at


def _read_shared(connection: Connection, statement: Select[str, Packed], **asked: object) -> Cooccurrence:
    return Cooccurrence(connection.execute(statement, asked).tuples().yield_per(_READ_AT_ONCE))


def _stated(connection: Connection, base_id: str) -> tuple[Relation, ...]:
    if connection.execute(_ANY_STATED).first() is None:  # SQLite would look for some of every document
        return ()
    statement = select(relations).join(documents).where(documents.c.base_id == base_id)
    rows = connection.execute(statement.order_by(relations.c.document_id, relations.c.position)).mappings()
    return joined(map(to_relation, rows))


def rejected(connection: Connection, resolution: Resolution) -> list[tuple[str, int, str, str]]:
    """As Cooccurrence.resolved() takes them; chunks that are gone are left out."""
    places = _places(connection, sorted({chunk_id for chunk_id, _, _ in resolution.rejected}))
    stated = _stated_groups(connection, {document_id for document_id, _, _ in places.values()})
    found: list[tuple[str, int, str, str]] = []
    for chunk_id, one, other in resolution.rejected:
        if chunk_id in places:
            document_id, number, page = places[chunk_id]
            numbers = {number}
            if document_id in stated:
                numbers = _of_any(stated[document_id], page, resolution.members(one))
                numbers &= _of_any(stated[document_id], page, resolution.members(other))
            found += [(document_id, each, one, other) for each in sorted(numbers)]
    return found


def _places(connection: Connection, chunk_ids: Collection[str]) -> dict[str, tuple[str, int, int]]:
    """By chunk: its document, its number among the chunks of the document that mention something, and its page."""
    found: dict[str, tuple[str, int, int]] = {}
    own = mentions.c.document_id, mentions.c.chunk_id
    rows = select(*own, func.min(mentions.c.page)).group_by(*own)
    for batch in batches(list(chunk_ids)):
        owners = select(chunks.c.document_id).where(chunks.c.id.in_(batch)).distinct()
        inside: dict[str, dict[str, int]] = {}
        for document_id, chunk_id, page in connection.execute(rows.where(mentions.c.document_id.in_(owners))):
            inside.setdefault(document_id, {})[chunk_id] = page
        for document_id, pages in inside.items():
            found |= {id: (document_id, number, pages[id]) for number, id in enumerate(sorted(pages))}
    return found


def _stated_groups(connection: Connection, document_ids: Collection[str]) -> dict[str, _Groups]:
    """Groups of the documents of imported graphs."""
    found: dict[str, _Groups] = {}
    packed = select(incidences.c.document_id, incidences.c.packed).join(documents).where(documents.c.parser == PARSER)
    for document_id, row in rows_of(connection, packed.where(documents.c.id.in_(ASKED)), document_ids):
        numbers = found.setdefault(document_id, {})
        for number, group in enumerate(unpack_groups(row)):
            for id in group.entity_ids:
                numbers.setdefault((group.page, id), set()).add(number)
    return found


def _of_any(groups: _Groups, page: int, entity_ids: Collection[str]) -> set[int]:
    return set().union(*(groups.get((page, id), ()) for id in entity_ids))
