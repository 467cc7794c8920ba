"""Copies a branch of a conversation into another one: its runs, what was said and their events."""

from collections.abc import Sequence
from uuid import uuid4

from sqlalchemy import Connection, insert, literal, select

from core.platform.errors import InputError
from core.platform.sql.schema import messages, run_events, runs
from core.runs.model import RunStatus


def copy_branch(connection: Connection, run_ids: Sequence[str], thread_id: str) -> str:
    """The id of the copy's last run; empty for an empty branch. Raises InputError while one of them is under way."""
    parent = ""
    for run_id in run_ids:
        row = dict(connection.execute(select(runs).where(runs.c.id == run_id)).mappings().one())
        if row["status"] == RunStatus.RUNNING.value:
            raise InputError("run.fork_running")
        copied = uuid4().hex
        values = {name: value for name, value in row.items() if name != "position"}
        values |= {"id": copied, "thread_id": thread_id, "parent_id": parent}
        connection.execute(insert(runs), {**values, "copied_from": row["copied_from"] or run_id})
        said = select(literal(thread_id), literal(copied), messages.c.role, messages.c.text)
        columns = (run_events.c.seq, run_events.c.type, run_events.c.payload, run_events.c.packed)
        told = select(literal(copied), *columns)
        connection.execute(
            insert(messages).from_select(
                ["thread_id", "run_id", "role", "text"],
                said.where(messages.c.run_id == run_id).order_by(messages.c.position),
            )
        )
        connection.execute(
            insert(run_events).from_select(
                ["run_id", "seq", "type", "payload", "packed"], told.where(run_events.c.run_id == run_id)
            )
        )
        parent = copied
    return parent
