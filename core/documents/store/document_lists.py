"""Lists of documents in SQL: which ones, in which order, how many of each status, and which have a name."""

from collections.abc import Collection
from pathlib import PurePath

from sqlalchemy import ColumnElement, Connection, Select, bindparam, case, exists, func, literal, or_, select

from core.documents.model import ATTENTION, DocumentFilter, DocumentOrder, DocumentStatus
from core.platform.language.terms import terms
from core.platform.sql.schema import documents, stages
from core.platform.sql.versioned_cache import VersionedCache

_RUNNING = exists().where(stages.c.document_id == documents.c.id, stages.c.status == "running")
STATUS = case(
    (documents.c.ready_at.is_not(None), literal(DocumentStatus.READY.value)),
    (documents.c.error_key != literal(""), literal(DocumentStatus.FAILED.value)),
    (documents.c.cancelled, literal(DocumentStatus.CANCELLED.value)),
    (documents.c.paused, literal(DocumentStatus.PAUSED.value)),
    (_RUNNING, literal(DocumentStatus.RUNNING.value)),
    else_=literal(DocumentStatus.QUEUED.value),
)
"""The status that rows.status_of computes from a row."""
_COUNTS = select(STATUS.label("status"), func.count().label("count")).select_from(documents).group_by(STATUS)
_TOTAL = select(func.count()).select_from(documents).where(documents.c.base_id == bindparam("base"))
FORMS = DocumentFilter((DocumentStatus.READY,), only_forms=True)
_Named = dict[str, tuple[tuple[int, str], ...]]
"""By name: position among the ready documents of the base, and id."""
_AGE = (documents.c.added_at, documents.c.name, documents.c.id)
_NEWEST = (documents.c.added_at.desc(), documents.c.id.desc())
_ORDERS: dict[DocumentOrder, tuple[ColumnElement[object], ...]] = {
    DocumentOrder.OLDEST: _AGE,
    DocumentOrder.NEWEST: _NEWEST,
    DocumentOrder.NAME: (func.lower(documents.c.name), documents.c.id),
    DocumentOrder.LARGEST: (documents.c.pages.desc(), documents.c.size.desc(), documents.c.id),
    DocumentOrder.STATUS: (case({status.value: rank for rank, status in enumerate(ATTENTION)}, value=STATUS), *_NEWEST),
}
_READY_NAMES = (
    select(documents.c.id, documents.c.name)
    .where(documents.c.base_id == bindparam("base"), documents.c.ready_at.is_not(None))
    .order_by(*_AGE)
)


def counted(connection: Connection, base_id: str, wanted: DocumentFilter) -> dict[DocumentStatus, int]:
    rows = connection.execute(narrowed(_COUNTS, base_id, wanted)).mappings()
    return {DocumentStatus(row["status"]): row["count"] for row in rows}


def total(connection: Connection, base_id: str) -> int:
    """Number of all documents, answered by an index alone."""
    return connection.execute(_TOTAL, {"base": base_id}).scalar_one()


def ready_forms(connection: Connection, base_id: str) -> bool:
    """Whether the base has forms, which scans its documents."""
    return connection.execute(narrowed(select(documents.c.id), base_id, FORMS).limit(1)).first() is not None


def ready(connection: Connection, base_id: str) -> int:
    """Number of ready documents, which changes only with the version of the base."""
    return connection.execute(_TOTAL.where(documents.c.ready_at.is_not(None)), {"base": base_id}).scalar_one()


def ready_names(connection: Connection, base_id: str, limit: int) -> dict[str, str]:
    """Names of the first ready documents by id."""
    statement = _READY_NAMES.limit(limit)
    return dict(connection.execute(statement, {"base": base_id}).tuples().all())


def narrowed(
    statement: Select[*tuple[object, ...]], base_id: str, wanted: DocumentFilter
) -> Select[*tuple[object, ...]]:
    """The statement for those documents of the base alone."""
    statement = statement.where(documents.c.base_id == base_id)
    if wanted.statuses == (DocumentStatus.READY,):
        statement = statement.where(documents.c.ready_at.is_not(None))
    elif wanted.statuses:
        if DocumentStatus.READY not in wanted.statuses:  # settled for most rows before the rest is looked at
            statement = statement.where(documents.c.ready_at.is_(None))
        statement = statement.where(STATUS.in_([status.value for status in wanted.statuses]))
    if wanted.name:
        statement = statement.where(documents.c.name == wanted.name)
    if wanted.only_forms:
        statement = statement.where(documents.c.form)
    return statement.where(*(_holds(word) for word in wanted.words.split()))


def by(order: DocumentOrder) -> tuple[ColumnElement[object], ...]:
    return _ORDERS[order]


def _holds(word: str) -> ColumnElement[bool]:
    """Matches a word in any case. SQLite folds only ASCII letters, so other words are tried in each case."""
    cases = {word} if word.isascii() else {word, word.lower(), word.upper(), word.title()}
    text = documents.c.name + literal(" ") + documents.c.title
    return or_(*(text.icontains(each, autoescape=True) for each in sorted(cases)))


class DocumentNames:
    """Ready documents by what they are called, written as terms; read once per version of the base.

    Of a new version, only new names are split into terms.
    """

    def __init__(self) -> None:
        self._cache = VersionedCache(self._read)
        self._known: dict[tuple[str, str], tuple[str, ...]] = {}

    def of(self, connection: Connection, base_id: str, names: Collection[str]) -> tuple[str, ...]:
        """Ids of the documents with one of the names, in the order they were added."""
        named = self._cache.of(connection, base_id)
        found = {place for name in names for place in named.get(name, ())}
        return tuple(document_id for _, document_id in sorted(found))

    def _read(self, connection: Connection, base_id: str) -> _Named:
        statement = _READY_NAMES.add_columns(documents.c.title)
        named: _Named = {}
        known = self._known
        current: dict[tuple[str, str], tuple[str, ...]] = {}
        for position, (document_id, name, title) in enumerate(
            connection.execute(statement, {"base": base_id}).tuples()
        ):
            words = current[title, name] = known.get((title, name)) or _names(title, name)
            for each in words:
                named[each] = (*named.get(each, ()), (position, document_id))
        self._known = current
        return named


def _names(title: str, name: str) -> tuple[str, ...]:
    stem = PurePath(name.replace("\\", "/")).stem.replace("_", " ").replace("-", " ")
    return tuple(dict.fromkeys(" ".join(terms(words)) for words in (title, stem) if words))
