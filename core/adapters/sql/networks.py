"""The graphs of knowledge bases, read from SQL once for each version of a base."""

from collections import OrderedDict
from datetime import datetime
from threading import Lock

from sqlalchemy import Connection, select

from core.adapters.sql.schema import documents, incidences, knowledge_bases, relations
from core.domain.knowledge import Relation
from core.kg.cooccurrence import Cooccurrence, Packed
from core.kg.network import Network

KEPT = 4
"""Bases kept in memory; one of 100,000 mentions takes about 10 MB."""


class Networks:
    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[str, tuple[tuple[datetime, int], Network]] = OrderedDict()

    def of(self, connection: Connection, base_id: str) -> Network:
        """As the connection's transaction sees the base; empty for an unknown one."""
        columns = (knowledge_bases.c.created_at, knowledge_bases.c.index_version)
        version = connection.execute(select(*columns).where(knowledge_bases.c.id == base_id)).tuples().first()
        if version is None:
            return Network(Cooccurrence({}))
        with self._lock:
            kept = self._kept.get(base_id)
        if kept and kept[0] == version:
            return kept[1]
        network = _read(connection, base_id)
        with self._lock:
            self._kept[base_id] = (version, network)
            self._kept.move_to_end(base_id)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return network


def _read(connection: Connection, base_id: str) -> Network:
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
