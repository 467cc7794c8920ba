"""Conversations in SQL, and copies of their branches."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import uuid4

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    RowMapping,
    Select,
    bindparam,
    delete,
    exists,
    insert,
    literal,
    or_,
    select,
    update,
)

from core.memory.model import MemoryKind, MemoryStatus
from core.platform.clock import Clock, utc_now
from core.platform.errors import InputError, NotFoundError
from core.platform.sql.audit import note_removed
from core.platform.sql.columns import normalized
from core.platform.sql.conversation_tables import memories, run_events, runs, threads
from core.platform.sql.engine import ASKED, all_rows, batches, reading, writing
from core.runs.branches import path_to
from core.runs.model import RunPurpose, RunStatus, Thread, Turn
from core.runs.store.rows import from_row

_FINISHED = (RunStatus.DONE.value, RunStatus.STOPPED.value)
_CREATED = insert(threads)
_THERE = select(threads).where(threads.c.id == bindparam("thread"), threads.c.deleted_at.is_(None))
_HELD = _THERE.with_for_update(read=True, key_share=True)
_LEAF = select(threads.c.leaf_id).where(threads.c.id == bindparam("thread"))
_BRANCHES = select(runs.c.id, runs.c.parent_id, runs.c.status.in_(_FINISHED) & (runs.c.answer != "")).where(
    runs.c.thread_id == bindparam("thread")
)
_NEWEST_FAILURE = (
    select(runs.c.error)
    .where(runs.c.thread_id == threads.c.id, runs.c.status == RunStatus.DONE.value)
    .order_by(runs.c.position.desc())
    .limit(1)
    .scalar_subquery()
    .label("newest_failure")
)
_SAID = select(runs.c.id, runs.c.question, runs.c.answer, runs.c.outcome).where(runs.c.id.in_(ASKED))
_LISTED = (
    select(threads, _NEWEST_FAILURE)
    .where(threads.c.deleted_at.is_(None) & (threads.c.purpose == RunPurpose.CHAT.value))
    .order_by(threads.c.updated_at.desc(), threads.c.position.desc())
)
"""Statements used by every question or page are built once, because building one takes longer than running it."""


class SqlThreads:
    def __init__(self, engine: Engine, clock: Clock = utc_now) -> None:
        self.engine = engine
        self.clock = clock

    def find(self, query: str = "") -> list[Thread]:
        """Titles and questions ignoring case, width and Chinese script; answers ignoring the case of Latin letters."""
        statement = _LISTED
        wanted = normalized(query)
        if wanted:
            asked = runs.c.question_norm.contains(wanted, autoescape=True)
            in_title = threads.c.title_norm.contains(wanted, autoescape=True)
            said = asked | or_(*(runs.c.answer.icontains(form, autoescape=True) for form in {wanted, query.strip()}))
            statement = statement.where(in_title | exists().where(runs.c.thread_id == threads.c.id, said))
        return [_to_thread(row) for row in all_rows(self.engine, statement)]

    def get(self, thread_id: str) -> Thread:
        with reading(self.engine) as connection:
            return _thread(connection, _THERE, thread_id)

    def create(self, title: str, base_id: str, workflow: str, purpose: RunPurpose = RunPurpose.CHAT) -> Thread:
        with writing(self.engine) as connection:
            return create_thread(connection, title, base_id, workflow, purpose, self.clock())

    def rename(self, thread_id: str, title: str) -> None:
        self._change(thread_id, title=title, title_norm=normalized(title))

    def allow_web(self, thread_id: str, allowed: bool) -> None:
        self._change(thread_id, web_allowed=allowed)

    def pin(self, thread_id: str, pinned: bool) -> None:
        self._change(thread_id, pinned=pinned)

    def file(self, thread_id: str, folder: str) -> None:
        self._change(thread_id, folder=" ".join(folder.split()))

    def show(self, thread_id: str, run_id: str) -> None:
        self._change(thread_id, leaf_id=run_id)

    def fork(self, thread_id: str, run_id: str, title: str) -> Thread:
        with writing(self.engine) as connection:
            source = _thread(connection, _HELD, thread_id)
            thread = create_thread(connection, title, source.base_id, source.workflow, RunPurpose.CHAT, self.clock())
            leaf = copy_branch(connection, path_to(_branches(connection, thread_id)[0], run_id), thread.id)
            connection.execute(update(threads).where(threads.c.id == thread.id).values(leaf_id=leaf))
        return replace(thread, leaf_id=leaf)

    def put_away(self, thread_id: str) -> None:
        self._change(thread_id, deleted_at=self.clock())

    def restore(self, thread_id: str) -> None:
        self._change(thread_id, deleted_at=None)

    def purge(self, before: datetime) -> None:
        put_away = select(threads.c.id).where(threads.c.deleted_at < before).order_by(threads.c.id)
        with writing(self.engine) as connection:
            for gone in batches(connection.execute(put_away.with_for_update()).scalars().all()):
                delete_derived(connection, memories.c.thread_id.in_(gone))
                note_removed(connection, runs.c.thread_id.in_(gone))
                connection.execute(delete(threads).where(threads.c.id.in_(gone)))

    def _change(self, thread_id: str, **values: object) -> None:
        with writing(self.engine) as connection:
            if not connection.execute(update(threads).where(threads.c.id == thread_id).values(**values)).rowcount:
                raise NotFoundError("storage.thread_gone")

    def history(self, thread_id: str, limit: int, after: str | None = None) -> list[Turn]:
        """At most `limit` turns, starting with a question. Runs that failed or produced no text are skipped."""
        with reading(self.engine) as connection:
            parents, answered = _branches(connection, thread_id)
            end = connection.execute(_LEAF, {"thread": thread_id}).scalar() if after is None else after
            newest = [run_id for run_id in reversed(path_to(parents, end or "")) if run_id in answered][: limit // 2]
            rows = connection.execute(_SAID, {"asked": newest}).all() if newest else []
        return [turn for row in sorted(rows, key=lambda row: -newest.index(row.id)) for turn in _turns(row)]


def create_thread(
    connection: Connection, title: str, base_id: str, workflow: str, purpose: RunPurpose, now: datetime
) -> Thread:
    """In the transaction of the connection."""
    thread = Thread(uuid4().hex, title, base_id, workflow, now, now)
    values = {"id": thread.id, "title": title, "title_norm": normalized(title), "base_id": base_id}
    values |= {"workflow": workflow, "purpose": purpose.value}
    connection.execute(_CREATED, {**values, "created_at": now, "updated_at": now})
    return thread


def _thread(connection: Connection, statement: Select[*tuple[object, ...]], thread_id: str) -> Thread:
    row = connection.execute(statement, {"thread": thread_id}).mappings().first()
    if row is None:
        raise NotFoundError("storage.thread_gone")
    return _to_thread(row)


def delete_derived(connection: Connection, of: ColumnElement[bool]) -> None:
    """Deletes what was proposed or concluded there; statements of the person stay.

    In the order in which SqlMemoryStore locks memories.
    """
    is_derived = (memories.c.status == MemoryStatus.PROPOSED.value) | (memories.c.kind == MemoryKind.CONCLUSION.value)
    derived = select(memories.c.id).where(of, is_derived).order_by(memories.c.id).with_for_update()
    for gone in batches(connection.execute(derived).scalars().all()):
        connection.execute(delete(memories).where(memories.c.id.in_(gone)))


def _branches(connection: Connection, thread_id: str) -> tuple[Mapping[str, str], set[str]]:
    """The parent of every run of the thread, and the ids of those that have an answer."""
    rows = connection.execute(_BRANCHES, {"thread": thread_id}).all()
    return {run_id: parent for run_id, parent, _ in rows}, {run_id for run_id, _, answered in rows if answered}


def _turns(row: Row[*tuple[str, ...]]) -> tuple[Turn, Turn]:
    return Turn("user", row.question), Turn("assistant", row.answer, row.outcome, row.id)


def _to_thread(row: RowMapping) -> Thread:
    return from_row(Thread, row, web_allowed=bool(row["web_allowed"]), degraded=bool(row.get("newest_failure")))


def copy_branch(connection: Connection, run_ids: Sequence[str], thread_id: str) -> str:
    """Id of the last copied run; empty for an empty branch. Raises InputError if one of the runs is active."""
    parent = ""
    for run_id in run_ids:
        row = dict(connection.execute(select(runs).where(runs.c.id == run_id)).mappings().one())
        if row["status"] == RunStatus.RUNNING.value:
            raise InputError("run.fork_running")
        copied = uuid4().hex
        values = {name: value for name, value in row.items() if name != "position"}
        values |= {"id": copied, "thread_id": thread_id, "parent_id": parent}
        connection.execute(insert(runs), {**values, "copied_from": row["copied_from"] or run_id})
        columns = (run_events.c.seq, run_events.c.type, run_events.c.payload, run_events.c.packed)
        told = select(literal(copied), *columns)
        connection.execute(
            insert(run_events).from_select(
                ["run_id", "seq", "type", "payload", "packed"], told.where(run_events.c.run_id == run_id)
            )
        )
        parent = copied
    return parent
