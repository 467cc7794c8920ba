"""Documents of knowledge bases in SQL."""

from sqlalchemy import Connection, Engine, exists, select, update

from core.adapters.sql import publishing
from core.adapters.sql.engine import all_rows, reading, writing
from core.adapters.sql.rows import to_document
from core.adapters.sql.schema import documents, stages
from core.domain.clock import Clock, utc_now
from core.domain.documents import DeletionPreview, Document
from core.domain.ids import document_id
from core.errors import NotFoundError
from core.ports.publishing import NewDocument

_DOCUMENTS = select(
    documents,
    exists().where(stages.c.document_id == documents.c.id, stages.c.status == "running").label("running"),
)


class SqlDocuments:
    def __init__(self, engine: Engine, clock: Clock = utc_now) -> None:
        self.engine = engine
        self.clock = clock

    def add(
        self, base_id: str, name: str, sha256: str, size: int, media_type: str, parser: str = ""
    ) -> tuple[Document, bool]:
        wanted = document_id(base_id, sha256)
        with writing(self.engine) as connection:
            publishing.lock_base(connection, base_id)
            new = NewDocument(base_id, name, sha256, size, media_type, parser)
            is_new = publishing.add(connection, new, self.clock())
        return self.get(wanted), is_new

    def of_base(self, base_id: str) -> list[Document]:
        """In the order they were added."""
        statement = _DOCUMENTS.where(documents.c.base_id == base_id)
        rows = all_rows(self.engine, statement.order_by(documents.c.added_at, documents.c.name, documents.c.id))
        return [to_document(row) for row in rows]

    def get(self, document_id: str) -> Document:
        for row in all_rows(self.engine, _DOCUMENTS.where(documents.c.id == document_id)):
            return to_document(row)
        raise NotFoundError("error.document_missing")

    def mark_replacement(self, document_id: str, replaced_id: str) -> None:
        with writing(self.engine) as connection:
            change_document(connection, document_id, replaces=replaced_id or None)

    def choose_parser(self, document_id: str, parser: str) -> None:
        with writing(self.engine) as connection:
            change_document(connection, document_id, parser_choice=parser or None)

    def rename(self, document_id: str, name: str, media_type: str) -> None:
        with writing(self.engine) as connection:
            change_document(connection, document_id, name=name, media_type=media_type)

    def mark_form(self, document_id: str, form: bool) -> None:
        """Raises NotFoundError."""
        with writing(self.engine) as connection:
            change_document(connection, document_id, form=form)

    def preview_deletion(self, *document_ids: str) -> DeletionPreview:
        number = sum(self.get(document_id).chunks for document_id in document_ids)
        with reading(self.engine) as connection:
            removed, kept = publishing.count_support(connection, document_ids)
        return DeletionPreview(number, removed, kept)

    def delete(self, document_id: str) -> None:
        """Nothing happens when it is gone already."""
        with writing(self.engine) as connection:
            publishing.remove(connection, document_id)

    def file_in_use(self, sha256: str) -> bool:
        return bool(all_rows(self.engine, select(documents.c.id).where(documents.c.sha256 == sha256).limit(1)))


def change_document(connection: Connection, document_id: str, **values: object) -> None:
    """Columns of one document. Raises NotFoundError."""
    if not connection.execute(update(documents).where(documents.c.id == document_id).values(**values)).rowcount:
        raise NotFoundError("error.document_missing")
