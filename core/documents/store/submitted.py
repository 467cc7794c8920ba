"""IngestQueue in SQL, for processes with data folders of their own."""

from sqlalchemy import Engine, delete, func, select

from core.documents.ports.ingestion import IngestRecords, SubmittedDocuments
from core.platform.identity import SYSTEM, acting_as
from core.platform.sql.compiled_statements import put_all
from core.platform.sql.engine import all_rows, lock_row, writing
from core.platform.sql.installation_tables import submitted_documents
from core.platform.sql.schema import documents

_TABLE = submitted_documents
_AT_ONCE = 500


class SqlSubmitted(SubmittedDocuments):
    def __init__(self, engine: Engine, records: IngestRecords) -> None:
        self.engine = engine
        self.records = records

    def submit(self, document_id: str) -> None:
        """Nothing happens when the document was deleted meanwhile."""
        newest = select(func.coalesce(func.max(_TABLE.c.position), 0))
        with writing(self.engine, durable=False) as connection:
            with acting_as(SYSTEM):  # behind those of other people too
                last = connection.execute(newest).scalar_one() + 1
            if lock_row(connection, documents, document_id, against_deletion=True):
                put_all(connection, _TABLE, [{"document_id": document_id, "position": last}])

    def cancel(self, document_id: str) -> None:
        self.records.cancel(document_id)

    def waiting(self) -> list[str]:
        rows = all_rows(self.engine, select(_TABLE.c.document_id).order_by(_TABLE.c.position).limit(_AT_ONCE))
        return [row["document_id"] for row in rows]

    def taken(self, document_id: str) -> None:
        with writing(self.engine, durable=False) as connection:
            connection.execute(delete(_TABLE).where(_TABLE.c.document_id == document_id))

    def cancelling(self) -> frozenset[str]:
        """None: Postgres lets a cancellation be recorded while something is published."""
        return frozenset()
