"""Changes that replicas of the word index follow: which documents a base's versions changed, and their entries."""

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, Engine, bindparam, delete, select, update

from core.platform.sql.compiled_statements import insert_all
from core.platform.sql.engine import all_rows, batches, reading
from core.platform.sql.installation_tables import index_changes
from core.platform.sql.schema import chunks, documents, knowledge_bases, summaries
from core.search.ports import IndexEntry, Position
from core.search.store.vectors import entries_of, to_entry

_BASES = select(knowledge_bases.c.id, knowledge_bases.c.index_version)
_THIS_BASE = knowledge_bases.c.id == bindparam("base")
_RAISE = (
    update(knowledge_bases).where(_THIS_BASE).values(index_version=knowledge_bases.c.index_version + bindparam("more"))
)
_VERSION = select(knowledge_bases.c.index_version).where(_THIS_BASE)
_CHANGED = index_changes.c.document_id.in_(bindparam("changed", expanding=True))
_FORGET = delete(index_changes).where(index_changes.c.base_id == bindparam("base"), _CHANGED)


def note_changes(connection: Connection, base_id: str, document_ids: Sequence[str]) -> None:
    """Records a version for each document, in the transaction that changes them.

    Their base is locked, so versions are committed in order.
    """
    base = {"base": base_id}
    connection.execute(_RAISE, base | {"more": len(document_ids)})
    first = connection.execute(_VERSION, base).scalar_one() - len(document_ids) + 1
    for batch in batches(document_ids):
        connection.execute(_FORGET, base | {"changed": batch})
    rows = [{"base_id": base_id, "document_id": id, "version": v} for v, id in enumerate(document_ids, first)]
    insert_all(connection, index_changes, rows)


class SqlIndexChanges:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def versions(self) -> dict[str, int]:
        return {row["id"]: row["index_version"] for row in all_rows(self.engine, _BASES)}

    def since(self, base_id: str, position: Position, limit: int) -> list[Position]:
        version, document_id = index_changes.c.version, index_changes.c.document_id
        later = (version > position.version) | ((version == position.version) & (document_id > position.document_id))
        wanted = select(version, document_id).where(index_changes.c.base_id == base_id, later)
        rows = all_rows(self.engine, wanted.order_by(version, document_id).limit(limit))
        return [Position(row["version"], row["document_id"]) for row in rows]

    def entries(self, base_id: str, level: str, document_ids: Sequence[str]) -> Iterator[list[IndexEntry]]:
        table = {"chunks": chunks, "summaries": summaries}[level]
        statement = entries_of(level).where(documents.c.base_id == base_id, documents.c.ready_at.is_not(None))
        statement = statement.where(documents.c.id.in_(document_ids)).order_by(table.c.document_id, table.c.position)
        with reading(self.engine) as connection:
            for batch in connection.execution_options(yield_per=500).execute(statement).mappings().partitions():
                yield [to_entry(row) for row in batch]
