"""LangGraph checkpoints in a SQLite file; only the types of the state are ever read back."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from core.state import State

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite import SqliteSaver

BUSY_SECONDS = 10.0


def open_checkpoints(path: Path) -> SqliteSaver:
    """Close its conn when done. What dead processes left is dropped: their runs are told as interrupted."""
    os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
    from langgraph.checkpoint.sqlite import SqliteSaver

    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    allowed = [(kind.__module__, kind.__qualname__) for kind in _types_of(State)]
    saver = SqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=allowed))
    saver.setup()
    with connection:
        connection.execute("DELETE FROM checkpoints")
        connection.execute("DELETE FROM writes")
    return saver


def _types_of(kind: Any) -> Iterator[type]:
    """The dataclasses that a dataclass holds, at any depth, itself among them."""
    if is_dataclass(kind) and isinstance(kind, type):
        yield kind
        hints = get_type_hints(kind)
        for field in fields(kind):
            yield from _types_of(hints[field.name])
    for argument in get_args(kind):
        yield from _types_of(argument)
