"""Splits rows or ids into batches that every database accepts."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, Table, insert

Item = TypeVar("Item")

SIZE = 500


def batches(items: Sequence[Item], size: int = SIZE) -> Iterator[Sequence[Item]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def insert_all(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    for batch in batches(rows, 2_000):
        connection.execute(insert(table), batch)
