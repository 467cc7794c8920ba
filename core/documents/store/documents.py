"""Documents of knowledge bases in SQL."""

from collections.abc import Callable, Collection, Mapping

from sqlalchemy import Connection, Engine, Select, bindparam, exists, select, update

from core.documents.model import (
    EVERY,
    DeletionPreview,
    Document,
    DocumentFilter,
    DocumentOrder,
    DocumentStatus,
)
from core.documents.ports.publishing import NewDocument
from core.documents.store import document_lists, publishing
from core.documents.store import entity_contributions as support
from core.documents.store.document_lists import DocumentNames
from core.documents.store.rows import to_document
from core.people.store.shares import require_role
from core.platform.clock import Clock, utc_now
from core.platform.errors import NotFoundError
from core.platform.identity import SYSTEM, Role, acting_as
from core.platform.ids import document_id
from core.platform.sql.engine import ASKED, all_rows, reading, rows_of, writing
from core.platform.sql.schema import documents, stages
from core.platform.sql.versioned_cache import VersionedCache
from core.search.store.index_changes import note_changes

_DOCUMENTS = select(
    documents,
    exists().where(stages.c.document_id == documents.c.id, stages.c.status == "running").label("running"),
)
_DOCUMENT = _DOCUMENTS.where(documents.c.id == bindparam("asked"))
_NOT_READY = DocumentFilter(tuple(status for status in DocumentStatus if status is not DocumentStatus.READY))


class SqlDocuments:
    def __init__(self, engine: Engine, clock: Clock = utc_now, opened: Callable[[str], None] = lambda _: None) -> None:
        """opened: called with the id of the base of a document that is read."""
        self.engine = engine
        self.clock = clock
        self._opened = opened
        self._names = DocumentNames()
        self._ready = VersionedCache(document_lists.ready)
        self._forms = VersionedCache(document_lists.ready_forms)

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
        return self.find(base_id)

    def find(
        self,
        base_id: str,
        wanted: DocumentFilter = EVERY,
        order: DocumentOrder = DocumentOrder.OLDEST,
        limit: int | None = None,
        skip: int = 0,
    ) -> list[Document]:
        statement = document_lists.narrowed(_DOCUMENTS, base_id, wanted).order_by(*document_lists.by(order))
        with reading(self.engine) as connection:
            if wanted == document_lists.FORMS and not self._forms.of(connection, base_id):
                return []
            rows = connection.execute(statement.limit(limit).offset(skip or None)).mappings()
            return [to_document(row) for row in rows]

    def ready_names(self, base_id: str, limit: int) -> dict[str, str]:
        with reading(self.engine) as connection:
            return document_lists.ready_names(connection, base_id, limit)

    def counts(self, base_id: str, wanted: DocumentFilter = EVERY) -> Mapping[DocumentStatus, int]:
        with reading(self.engine) as connection:
            if wanted != DocumentFilter(wanted.statuses):
                return document_lists.counted(connection, base_id, wanted)
            ready = self._ready.of(connection, base_id)
            found = {DocumentStatus.READY: ready} if ready else {}
            if wanted.statuses != (DocumentStatus.READY,) and ready < document_lists.total(connection, base_id):
                found |= document_lists.counted(connection, base_id, _NOT_READY)
        return {status: count for status, count in found.items() if status in (wanted.statuses or DocumentStatus)}

    def existing(self, document_ids: Collection[str]) -> frozenset[str]:
        statement = select(documents.c.id).where(documents.c.id.in_(ASKED))
        with reading(self.engine) as connection:
            return frozenset(id for (id,) in rows_of(connection, statement, document_ids))

    def several(self, document_ids: Collection[str]) -> list[Document]:
        return self._among(_DOCUMENTS, document_ids)

    def some(self, base_id: str, document_ids: Collection[str]) -> list[Document]:
        return self._among(_DOCUMENTS.where(documents.c.base_id == base_id), document_ids)

    def _among(self, statement: Select[*tuple[object, ...]], document_ids: Collection[str]) -> list[Document]:
        with reading(self.engine) as connection:
            rows = rows_of(connection, statement.where(documents.c.id.in_(ASKED)), document_ids)
            return [to_document(row._mapping) for row in rows]

    def with_content(self, base_id: str, sha256: str) -> Document | None:
        rows = all_rows(self.engine, _DOCUMENTS.where(documents.c.id == document_id(base_id, sha256)))
        return to_document(rows[0]) if rows else None

    def called(self, base_id: str, names: Collection[str]) -> tuple[str, ...]:
        if not names:
            return ()
        with reading(self.engine) as connection:
            return self._names.of(connection, base_id, names)

    def get(self, document_id: str) -> Document:
        for row in all_rows(self.engine, _DOCUMENT, asked=document_id):
            self._opened(row["base_id"])
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
        """A new version of the base. Raises NotFoundError."""
        base_id = self.get(document_id).base_id
        with writing(self.engine) as connection:
            publishing.lock_base(connection, base_id)
            change_document(connection, document_id, form=form)
            note_changes(connection, base_id, [document_id])

    def preview_deletion(self, *document_ids: str) -> DeletionPreview:
        number = sum(self.get(document_id).chunks for document_id in document_ids)
        with reading(self.engine) as connection:
            removed, kept = support.count_support(connection, document_ids)
        return DeletionPreview(number, removed, kept)

    def delete(self, document_id: str, archived: int | None = None) -> bool:
        with writing(self.engine) as connection:
            return publishing.remove(connection, document_id, self.clock(), archived)

    def require(self, base_id: str, role: Role) -> None:
        with reading(self.engine) as connection:
            require_role(connection, base_id, role)

    def files_in_use(self, sha256s: Collection[str]) -> frozenset[str]:
        statement = select(documents.c.sha256).where(documents.c.sha256.in_(ASKED))
        with acting_as(SYSTEM), reading(self.engine) as connection:  # a file that somebody else needs too must stay
            return frozenset(sha256 for (sha256,) in rows_of(connection, statement, sha256s))


def change_document(connection: Connection, document_id: str, **values: object) -> None:
    """Columns of one document. Raises NotFoundError."""
    if not connection.execute(update(documents).where(documents.c.id == document_id).values(**values)).rowcount:
        raise NotFoundError("error.document_missing")
