"""Reads of every question and inserts of many rows, without most of the work that SQLAlchemy does for each."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any

from sqlalchemy import Connection, Dialect, Engine, Select, Table, insert
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.types import TypeEngine

from core.platform.sql.columns import UtcTime
from core.platform.sql.engine import batches, is_sqlite, reading, translated
from core.platform.sql.scoping import is_kept_apart

_DIALECT = SQLiteDialect_pysqlite(paramstyle="named")
_AS_STORED: Callable[[datetime], Any] = UtcTime().dialect_impl(_DIALECT).bind_processor(_DIALECT)  # type: ignore[assignment]
_MANY = "(__[POSTCOMPILE_{}])"
"""What SQLAlchemy writes for a list, to be replaced by as many parameters before each execution."""
_LISTED = "(SELECT value FROM json_each(:{}))"
KEPT = 4_000
"""Times of a column that are not converted again: the same rows are read for every question."""
Value = str | datetime | Sequence[str]


class Prepared:
    """A compiled statement that is read outside a transaction.

    Its parameters are strings, times, and lists of strings that a column is looked up in.
    """

    def __init__(self, statement: Select[Any]) -> None:
        self._statement = statement

    def rows(self, engine: Engine, **values: Value) -> list[dict[str, Any]]:
        """Rows of the statement, read like any other where people are kept apart. Raises ServiceError."""
        if not is_sqlite(engine) or is_kept_apart(engine):
            with reading(engine) as connection:
                return [dict(row) for row in connection.execute(self._statement, values).mappings()]
        names, readers = self._columns
        rows = [dict(zip(names, row, strict=True)) for row in self._read(engine, values)]
        for name, value_of in readers:
            for row in rows:
                row[name] = value_of(row[name])
        return rows

    def _read(self, engine: Engine, values: Mapping[str, Value]) -> list[tuple[Any, ...]]:
        text, given = self._compiled
        given = given | {name: _written(value) for name, value in values.items()}
        with translated(engine), closing(engine.raw_connection()) as connection:
            return connection.cursor().execute(text, given).fetchall()  # type: ignore[no-any-return]

    @cached_property
    def _compiled(self) -> tuple[str, dict[str, Any]]:
        """Its text, and parameters with the values that it gives itself."""
        compiled = self._statement.compile(dialect=_DIALECT)
        text = str(compiled)
        for name in compiled.params:
            text = text.replace(_MANY.format(name), _LISTED.format(name))
        return text, dict(compiled.params)

    @cached_property
    def _columns(self) -> tuple[list[str], list[tuple[str, Callable[[Any], Any]]]]:
        """Their names, and for some of them what makes values of what the database gives."""
        columns = self._statement.selected_columns
        found = [(each.name, _reader(each.type.dialect_impl(_DIALECT))) for each in columns]
        return [name for name, _ in found], [(name, read) for name, read in found if read]


def _reader(kind: TypeEngine[Any]) -> Callable[[Any], Any] | None:
    read = kind.result_processor(_DIALECT, None)
    return lru_cache(KEPT)(read) if read and isinstance(kind, UtcTime) else read


def _written(value: Value) -> str:
    if isinstance(value, str):
        return value
    return str(_AS_STORED(value)) if isinstance(value, datetime) else json.dumps(value)


def insert_all(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Inserts rows that all have the columns of the first one; like any others where people are kept apart."""
    engine = connection.engine
    ordinary = not is_sqlite(engine) or is_kept_apart(engine)
    for batch in batches(rows, 2_000):
        if ordinary:
            connection.execute(insert(table), batch)
        else:
            connection.exec_driver_sql(*_insert(connection.dialect, table, batch))


def put_all(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Inserts rows that all have the columns of the first one, or writes them over those that have their keys.

    Deleting them first fails on Postgres where another process inserts one of them meanwhile.
    """
    made = _dialect(connection).insert(table)
    written = {name: made.excluded[name] for name in rows[0] if not table.c[name].primary_key}
    for batch in batches(rows, 2_000):
        connection.execute(made.on_conflict_do_update(index_elements=[*table.primary_key], set_=written), batch)


def add_missing(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    """Whether the row was inserted: none was there that has one of its unique values."""
    return connection.execute(_dialect(connection).insert(table).on_conflict_do_nothing(), row).rowcount > 0


def _dialect(connection: Connection) -> Any:
    return sqlite if is_sqlite(connection.engine) else postgresql


def _insert(dialect: Dialect, table: Table, rows: Sequence[Mapping[str, Any]]) -> tuple[str, list[tuple[Any, ...]]]:
    """The statement and its parameters, as the driver takes them."""
    compiled = insert(table).compile(dialect=dialect, column_keys=list(rows[0]))
    columns: list[Iterable[Any]] = []
    for name in compiled.positiontup or ():
        stored = table.c[name].type.dialect_impl(dialect).bind_processor(dialect)
        given = [row[name] for row in rows]
        columns.append(map(stored, given) if stored else given)
    return str(compiled), list(zip(*columns, strict=True))
