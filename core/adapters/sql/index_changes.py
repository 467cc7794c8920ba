"""What replicas of the word index follow: which documents a base's versions changed, and their entries."""

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, Engine, delete, insert, select, update

from core.adapters.sql.engine import all_rows, reading
from core.adapters.sql.schema import chunks, documents, index_changes, knowledge_bases, summaries
from core.adapters.sql.vectors import entries_of, to_entry
from core.ports.index_changes import Position
from core.ports.search import IndexEntry

_BASES = select(knowledge_bases.c.id, knowledge_bases.c.index_version)


def note_change(connection: Connection, base_id: str, document_id: str) -> None:
    """Inside the transaction that changes the document; its base is locked, so versions are committed in order."""
    version = knowledge_bases.c.index_version + 1
    connection.execute(update(knowledge_bases).where(knowledge_bases.c.id == base_id).values(index_version=version))
    this = (index_changes.c.base_id == base_id) & (index_changes.c.document_id == document_id)
    connection.execute(delete(index_changes).where(this))
    new = select(knowledge_bases.c.index_version).where(knowledge_bases.c.id == base_id).scalar_subquery()
    connection.execute(insert(index_changes).values(base_id=base_id, document_id=document_id, version=new))


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
