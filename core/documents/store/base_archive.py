"""A deleted base as a SQLite file: the rows of its documents and its graph, in the tables that they come from."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    MetaData,
    NullPool,
    Table,
    create_engine,
    event,
    func,
    insert,
    inspect,
    literal,
    select,
    update,
)
from sqlalchemy.exc import DatabaseError, IntegrityError

from core.documents.model import KnowledgeBase
from core.documents.ports.bases import ArchivedDocument
from core.documents.store.library import sql_library
from core.documents.store.rows import from_base
from core.graph.edits import LoggedEdit
from core.graph.store import graph_events
from core.graph.store.graph_edits import add_to_log
from core.platform.errors import InputError, NotFoundError
from core.platform.identity import SYSTEM, acting_as
from core.platform.sql.columns import to_json
from core.platform.sql.engine import reading, writing
from core.platform.sql.installation_tables import base_shares, index_changes
from core.platform.sql.schema import (
    blocks,
    chunks,
    documents,
    entities,
    entity_names,
    incidences,
    knowledge_bases,
    mentions,
    relations,
    stages,
    summaries,
)
from core.search.ports import IndexEntry

_OF_BASE = frozenset({"documents", "entities", "entity_names", "index_changes", "base_shares"})
"""The other tables say of which document a row is."""
_INTO = (documents, entities, stages, blocks, chunks, summaries, entity_names, mentions, incidences, relations)
"""Tables in an order in which each follows those that it refers to."""
_ROWS = 2_000
"""Rows per batch."""
_PLAIN = {
    table: Table(table.name, MetaData(), *(Column(column.name, column.type) for column in table.columns))
    for table in (*_INTO, index_changes, base_shares)
}
"""Tables without keys and indexes, because they are written once and read whole."""


class SqlBaseArchive:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def write(self, base_id: str, file: Path) -> int:
        with acting_as(SYSTEM), _opened(file) as archive, reading(self.engine) as source:
            event.listen(archive, "connect", _prepare)
            if self.engine.dialect.name == "sqlite":
                return _attached(self.engine, archive, base_id)
            with archive.begin() as target:
                return {table: _copied(source, target, table, _wanted(table, base_id)) for table in _PLAIN}[documents]

    def restore(self, base: KnowledgeBase, file: Path, edits: Sequence[LoggedEdit] = ()) -> None:
        with _readable(file) as archive, archive.connect() as source, writing(self.engine) as target:
            try:
                target.execute(insert(knowledge_bases).values(**from_base(base)))
            except IntegrityError as error:
                raise InputError("storage.base_name_taken", name=base.name) from error
            with acting_as(SYSTEM):
                for table in _PLAIN:
                    _brought_back(source, target, table)
                graph_events.note_ready(target, base.id)
                newer = update(knowledge_bases).where(knowledge_bases.c.id == base.id)
                target.execute(newer.values(index_version=base.index_version + 1))
            if edits:
                add_to_log(target, base.id, edits)

    def entries(self, base_id: str, level: str, file: Path) -> Iterator[list[IndexEntry]]:
        with _readable(file) as archive:
            yield from sql_library(archive).passages.index_entries(base_id, level)

    def documents(self, base_id: str, file: Path) -> Iterator[ArchivedDocument]:
        with _readable(file) as archive:
            _make_searchable(archive)
            library = sql_library(archive)
            for document in library.documents.of_base(base_id):
                publication = library.publications.get(document.id) if document.ready_at else None
                yield document, tuple(library.ingest_records.stages(document.id)), publication

    def files(self, file: Path) -> frozenset[str]:
        try:
            with _readable(file) as archive, archive.connect() as source:
                return frozenset(source.execute(select(_PLAIN[documents].c.sha256)).scalars())
        except NotFoundError:
            return frozenset()


@contextmanager
def _opened(file: Path) -> Iterator[Engine]:
    archive = create_engine(f"sqlite:///{file}", json_serializer=to_json, poolclass=NullPool)
    try:
        yield archive
    finally:
        archive.dispose()


@contextmanager
def _readable(file: Path) -> Iterator[Engine]:
    """Raises NotFoundError for a file that is gone or damaged."""
    if not file.is_file():
        raise NotFoundError("documents.trash.missing_base")
    with _opened(file) as archive:
        try:
            with archive.connect() as connection:
                is_whole = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar() == "ok"
                there = set(inspect(connection).get_table_names())
        except DatabaseError as error:
            raise NotFoundError("documents.trash.missing_base") from error
        if not is_whole or documents.name not in there:
            raise NotFoundError("documents.trash.missing_base")
        yield archive


def _prepare(connection: Any, _record: object) -> None:
    """Turns off journaling for a new file: an incomplete one is deleted."""
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")


def _make_searchable(archive: Engine) -> None:
    with archive.begin() as connection:
        for name in [table.name for table in (*_INTO, index_changes)]:
            column = "id" if name in ("documents", "entities") else "document_id"
            connection.exec_driver_sql(f"CREATE INDEX IF NOT EXISTS by_{name} ON {name} ({column})")


def _wanted(table: Table, base_id: str) -> ColumnElement[bool]:
    """table: of the schema, or the same in an attached file, of which the documents are written first."""
    if table.name in _OF_BASE:
        of_base: ColumnElement[bool] = table.c.base_id == base_id
        return of_base
    whole = documents if table.schema is None else _PLAIN[documents]
    own = table.c.document_id.in_(select(whole.c.id).where(whole.c.base_id == base_id))
    return own & (table.c.status != literal("running")) if table.name == stages.name else own


def _attached(engine: Engine, archive: Engine, base_id: str) -> int:
    """Copies from one SQLite file into the other, which takes a tenth of the time of copying through Python."""
    with archive.connect() as target:
        target.exec_driver_sql("ATTACH DATABASE ? AS source", (engine.url.database,))
        target.exec_driver_sql("BEGIN")
        for table in _PLAIN.values():
            table.create(target)
        for table, plain in _PLAIN.items():
            there = table.to_metadata(MetaData(), schema="source")
            rows = select(*there.columns).where(_wanted(there, base_id))
            target.execute(insert(plain).from_select([column.name for column in plain.columns], rows))
        number = target.execute(select(func.count()).select_from(_PLAIN[documents])).scalar_one()
        target.commit()
    return number


def _copied(source: Connection, target: Connection, table: Table, wanted: ColumnElement[bool]) -> int:
    _PLAIN[table].create(target)
    number = 0
    rows = source.execution_options(yield_per=_ROWS).execute(select(table).where(wanted)).mappings()
    for part in rows.partitions():
        target.execute(insert(_PLAIN[table]), [dict(row) for row in part])
        number += len(part)
    return number


def _brought_back(source: Connection, target: Connection, table: Table) -> None:
    """Columns that the file does not have yet get their defaults; a table that it does not have yet is left out."""
    if not inspect(source).has_table(table.name):
        return
    there = {column["name"] for column in inspect(source).get_columns(table.name)}
    known = [column for column in _PLAIN[table].columns if column.name in there]
    rows = source.execution_options(yield_per=_ROWS).execute(select(*known)).mappings()
    for part in rows.partitions():
        target.execute(insert(table), [dict(row) for row in part])
