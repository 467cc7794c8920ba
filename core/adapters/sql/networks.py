"""Reads the relations of a knowledge base: what shares a chunk, what is stated, what people rejected."""

from sqlalchemy import Connection, select

from core.adapters.sql.engine import batches
from core.adapters.sql.schema import chunks, documents, incidences, mentions, relations
from core.domain.graph_edits import Resolution
from core.domain.knowledge import Relation
from core.kg.cooccurrence import Cooccurrence
from core.kg.network import Network, joined

_READ_AT_ONCE = 16
"""Documents; their rows are large."""


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


def read_network(connection: Connection, base_id: str) -> Network:
    """One of 100,000 mentions takes about 10 MB."""
    statement = select(incidences.c.document_id, incidences.c.packed).join(documents)
    rows = connection.execute(statement.where(documents.c.base_id == base_id)).yield_per(_READ_AT_ONCE)
    shared = Cooccurrence((document_id, packed) for document_id, packed in rows)
    return Network(shared, _stated(connection, base_id))


def _stated(connection: Connection, base_id: str) -> tuple[Relation, ...]:
    statement = select(relations).join(documents).where(documents.c.base_id == base_id)
    rows = connection.execute(statement.order_by(relations.c.document_id, relations.c.position)).all()
    return joined(
        Relation(row.source_id, row.target_id, row.relation, row.weight, tuple((id, page) for id, page in row.pages))
        for row in rows
    )
