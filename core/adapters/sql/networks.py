"""Reads the relations of a knowledge base: what shares a chunk, what is stated, what people rejected."""

from sqlalchemy import Connection, bindparam, select

from core.adapters.sql.engine import batches
from core.adapters.sql.kept_incidences import KeptIncidences
from core.adapters.sql.schema import chunks, documents, graph_events, incidences, mentions, relations
from core.adapters.sql.versioned_cache import OF_DOCUMENTS
from core.domain.graph_edits import Resolution
from core.domain.knowledge import Relation
from core.kg.cooccurrence import Cooccurrence
from core.kg.network import Network, joined

_READ_AT_ONCE = 16
"""Documents; their rows are large."""
_LAST_EVENT = (
    select(graph_events.c.position, graph_events.c.made_at)
    .where(graph_events.c.base_id == bindparam("base"))
    .order_by(graph_events.c.position.desc())
    .limit(1)
)


def rejected(connection: Connection, resolution: Resolution) -> list[tuple[str, int, str, str]]:
    """As Cooccurrence.resolved() takes them; chunks that are gone are left out."""
    asked = sorted({chunk_id for chunk_id, _, _ in resolution.rejected})
    places: dict[str, tuple[str, int]] = {}
    for batch in batches(asked):
        owners = select(chunks.c.document_id).where(chunks.c.id.in_(batch)).distinct()
        rows = select(mentions.c.document_id, mentions.c.chunk_id).where(mentions.c.document_id.in_(owners)).distinct()
        inside: dict[str, list[str]] = {}
        for document_id, chunk_id in connection.execute(rows):
            inside.setdefault(document_id, []).append(chunk_id)
        for document_id, ids in inside.items():
            places |= {chunk_id: (document_id, number) for number, chunk_id in enumerate(sorted(ids))}
    return [(*places[chunk_id], one, other) for chunk_id, one, other in resolution.rejected if chunk_id in places]


def read_network(connection: Connection, base_id: str, kept: KeptIncidences | None = None) -> Network:
    """One of 100,000 mentions takes about 10 MB."""
    if kept is None:
        return Network(_read_shared(connection, base_id), _stated(connection, base_id))
    stamp = _stamp(connection, base_id)
    found = kept.read(base_id, stamp)
    shared = _read_shared(connection, base_id) if found is None else Cooccurrence.of(found)
    if found is None:
        kept.keep(base_id, stamp, shared.incidence)
    return Network(shared, _stated(connection, base_id))


def _stamp(connection: Connection, base_id: str) -> str:
    """Another one after each change of documents; the last event tells databases apart that went different ways."""
    version = connection.execute(OF_DOCUMENTS, {"base": base_id}).tuples().first() or ()
    event = connection.execute(_LAST_EVENT, {"base": base_id}).tuples().first() or ()
    return "/".join(map(str, (*version, *event)))


def _read_shared(connection: Connection, base_id: str) -> Cooccurrence:
    statement = select(incidences.c.document_id, incidences.c.packed).join(documents)
    rows = connection.execute(statement.where(documents.c.base_id == base_id)).yield_per(_READ_AT_ONCE)
    return Cooccurrence((document_id, packed) for document_id, packed in rows)


def _stated(connection: Connection, base_id: str) -> tuple[Relation, ...]:
    statement = select(relations).join(documents).where(documents.c.base_id == base_id)
    rows = connection.execute(statement.order_by(relations.c.document_id, relations.c.position)).all()
    return joined(
        Relation(row.source_id, row.target_id, row.relation, row.weight, tuple((id, page) for id, page in row.pages))
        for row in rows
    )
