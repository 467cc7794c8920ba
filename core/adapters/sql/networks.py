"""The graph of a knowledge base, read from SQL. One of 100,000 mentions takes about 10 MB."""

from sqlalchemy import Connection, select

from core.adapters.sql.schema import documents, incidences, relations
from core.domain.knowledge import Relation
from core.kg.cooccurrence import Cooccurrence, Packed
from core.kg.network import Network


def read_network(connection: Connection, base_id: str) -> Network:
    statement = select(incidences).join(documents).where(documents.c.base_id == base_id)
    packed: dict[str, Packed] = dict(connection.execute(statement).tuples().all())
    return Network(Cooccurrence(packed), tuple(_stated(connection, base_id)))


def _stated(connection: Connection, base_id: str) -> list[Relation]:
    """What several documents state has the pages of all of them and the best weight."""
    found: dict[tuple[str, str, str], Relation] = {}
    statement = select(relations).join(documents).where(documents.c.base_id == base_id)
    for row in connection.execute(statement.order_by(relations.c.document_id, relations.c.position)):
        key = (row.source_id, row.target_id, row.relation)
        known = found.get(key) or Relation(*key, 0.0)
        pages = {*known.pages, *((document_id, page) for document_id, page in row.pages)}
        found[key] = Relation(*key, max(known.weight, row.weight), tuple(sorted(pages)))
    return list(found.values())
