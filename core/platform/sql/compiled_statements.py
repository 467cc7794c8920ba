"""Inserts of many rows without most of what SQLAlchemy does for each."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Dialect, Table, insert
from sqlalchemy.dialects import postgresql, sqlite

from core.platform.sql.engine import batches, is_sqlite
from core.platform.sql.scoping import is_kept_apart


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
