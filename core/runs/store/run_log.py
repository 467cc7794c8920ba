"""Runs and their events in SQL."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from uuid import uuid4

from sqlalchemy import Connection, Engine, Select, bindparam, delete, func, insert, literal, select, update

from core.documents.store.rows import Row
from core.platform.clock import Clock, utc_now
from core.platform.errors import NotFoundError
from core.platform.sql.columns import normalized
from core.platform.sql.conversation_tables import run_events, runs, threads
from core.platform.sql.engine import all_rows, reading, writing
from core.runs.events import END_EVENTS, Event
from core.runs.model import Run, RunCommand, RunRequest, RunStatus
from core.runs.store.event_codec import (
    Encoded,
    decode_all,
    encode_all,
    events_in,
)
from core.runs.store.rows import from_row, usage_columns
from core.runs.store.threads import create_thread

_GIVEN = ("id", "thread_id", "base_id", "question", "workflow", "engine", "started_at", "parent_id")
"""Columns that are called like the fields of a run and never change."""
_OF_RUN = run_events.c.run_id == bindparam("run")
_LOCKED = select(runs.c.process).where(runs.c.id == bindparam("run")).with_for_update()
_NEWEST = select(func.max(run_events.c.seq)).where(_OF_RUN)
_NEWER = (
    select(run_events.c.seq, run_events.c.type, run_events.c.payload, run_events.c.packed)
    .where(_OF_RUN, run_events.c.seq > bindparam("after"))
    .order_by(run_events.c.seq)
)
_STORED = insert(run_events)
_WITHDRAWN = delete(run_events).where(_OF_RUN)
_STARTED = insert(runs)
_ENDED = update(runs).where(runs.c.id == bindparam("run"))
_TOUCHED = update(threads).where(threads.c.id == bindparam("thread"))
_LEAF = select(threads.c.leaf_id).where(threads.c.id == bindparam("thread")).with_for_update()
_IN_THREAD = select(runs.c.id).where(runs.c.id == bindparam("run"), runs.c.thread_id == bindparam("thread"))
_UNDER_WAY = runs.c.status == RunStatus.RUNNING.value
_REQUEST_STOP = update(runs).where(runs.c.id == bindparam("run"), _UNDER_WAY).values(stop_wished=True)
_SEND_CONSENT = update(runs).where(runs.c.id == bindparam("run"), _UNDER_WAY, runs.c.consent == literal(""))
_COMMANDS = select(runs.c.id, runs.c.stop_wished, runs.c.consent).where(
    _UNDER_WAY, runs.c.process == bindparam("process"), runs.c.stop_wished | (runs.c.consent != literal(""))
)
_ASKED = select(runs.c.asked).where(runs.c.id == bindparam("run"), _UNDER_WAY, runs.c.stop_wished.is_(False))
_TAKEN = update(runs).where(runs.c.id == bindparam("run"), _UNDER_WAY, runs.c.process == bindparam("before"))
_BY_ID = select(runs).where(runs.c.id == bindparam("run"))
"""Statements used by every question are built once, because building one takes longer than running it."""


class SqlRunLog:
    def __init__(self, engine: Engine, clock: Clock = utc_now) -> None:
        self.engine = engine
        self.clock = clock

    def start(self, request: RunRequest, thread_id: str, engine: str, process: str = "") -> Run:
        """Raises NotFoundError if the thread, or the run that it is to follow, does not exist."""
        with writing(self.engine, durable=False) as connection:
            return self._started(connection, request, thread_id, engine, process)

    def begin(self, request: RunRequest, title: str, engine: str, process: str = "") -> Run:
        with writing(self.engine, durable=False) as connection:
            base, workflow, purpose = request.base_id, request.workflow, request.purpose
            thread = create_thread(connection, title, base, workflow, purpose, self.clock())
            return self._started(connection, replace(request, after=""), thread.id, engine, process)

    def _started(self, connection: Connection, request: RunRequest, thread_id: str, engine: str, process: str) -> Run:
        run = Run(
            id=uuid4().hex,
            thread_id=thread_id,
            base_id=request.base_id,
            question=request.question,
            workflow=request.workflow,
            engine=engine,
            status=RunStatus.RUNNING,
            started_at=self.clock(),
            options=request.options,
            purpose=request.purpose,
            process=process,
            parent_id=_parent(connection, thread_id, request.after),
        )
        _touch_thread(connection, thread_id, run.started_at, leaf_id=run.id)
        made = {"process": process, "asked": _how_asked(request), "question_norm": normalized(run.question)}
        connection.execute(_STARTED, {**_from_run(run), **made})
        return run

    def append(self, run_id: str, events: Sequence[Event], process: str = "") -> int:
        with writing(self.engine, durable=False) as connection:
            _lock(connection, run_id, process)
            return _add(connection, run_id, events)

    def events(self, run_id: str, after: int) -> list[tuple[int, Event]]:
        """Events with a higher number, in order; types unknown to this version are skipped."""
        with reading(self.engine) as connection:
            rows = connection.execute(_NEWER, {"run": run_id, "after": after}).all()
        return [found for row in rows for found in decode_all(after, *row)]

    def finish(self, run: Run, process: str = "", events: Sequence[Event] = ()) -> None:
        with writing(self.engine) as connection:
            _touch_thread(connection, run.thread_id, self.clock())  # first: who deletes it locks it before its runs
            _lock(connection, run.id, process)
            if not connection.execute(_ENDED, {**_end_of(run), "run": run.id}).rowcount:
                raise NotFoundError("error.run_missing")
            if events:
                _add(connection, run.id, events)

    def get(self, run_id: str) -> Run:
        found = self._runs(_BY_ID, run=run_id)
        if not found:
            raise NotFoundError("error.run_missing")
        return found[0]

    def of_thread(self, thread_id: str) -> list[Run]:
        """Oldest first."""
        return self._runs(select(runs).where(runs.c.thread_id == thread_id).order_by(runs.c.position))

    def running(self) -> list[Run]:
        """Oldest first."""
        return self._runs(select(runs).where(_UNDER_WAY).order_by(runs.c.position))

    def request_stop(self, run_id: str) -> bool:
        with writing(self.engine, durable=False) as connection:
            return bool(connection.execute(_REQUEST_STOP, {"run": run_id}).rowcount)

    def send_consent(self, run_id: str, consent: str) -> bool:
        with writing(self.engine, durable=False) as connection:
            return bool(connection.execute(_SEND_CONSENT.values(consent=consent), {"run": run_id}).rowcount)

    def commands(self, process: str) -> list[RunCommand]:
        with reading(self.engine) as connection:
            return [RunCommand(*row) for row in connection.execute(_COMMANDS, {"process": process}).tuples()]

    def asked(self, run: Run) -> RunRequest | None:
        with reading(self.engine) as connection:
            kept = connection.execute(_ASKED, {"run": run.id}).scalar()
        if kept is None:
            return None
        return RunRequest(
            run.question,
            run.base_id,
            run.workflow,
            run.thread_id,
            after=run.parent_id,
            options=run.options,
            purpose=run.purpose,
            **kept,
        )

    def take_over(self, run: Run, process: str) -> bool:
        with writing(self.engine, durable=False) as connection:
            before = {"run": run.id, "before": run.process}
            begun_anew = _TAKEN.values(process=process, consent="")  # it may ask something else
            return bool(connection.execute(begun_anew, before).rowcount)

    def _runs(self, statement: Select[*tuple[object, ...]], **values: str) -> list[Run]:
        return [from_row(Run, row) for row in all_rows(self.engine, statement, **values)]


def _how_asked(request: RunRequest) -> Row | None:
    """Values of the request that the run lacks; None if a program keeps the conversation, which is not stored."""
    if request.history is not None:
        return None
    return {
        "use_memory": request.use_memory,
        "use_web": request.use_web,
        "web_agreed": request.web_agreed,
        "interface_language": request.interface_language,
    }


def _lock(connection: Connection, run_id: str, process: str) -> None:
    """Locks the row of the run, so that events are numbered in order. Raises NotFoundError for a former owner."""
    found = connection.execute(_LOCKED, {"run": run_id}).first()
    if not found or (process and found.process != process):
        raise NotFoundError("error.run_missing")


def _add(connection: Connection, run_id: str, events: Sequence[Event]) -> int:
    """The number of the newest event."""
    newest = connection.execute(_NEWEST, {"run": run_id}).scalar() or 0
    if events:
        earlier = _withdrawn(connection, run_id, newest) if newest and isinstance(events[-1], END_EVENTS) else []
        row = {"run_id": run_id, "seq": newest + len(events), **encode_all(events, earlier)}
        connection.execute(_STORED, row)
    return newest + len(events)


def _withdrawn(connection: Connection, run_id: str, newest: int) -> list[Encoded]:
    """Deletes and returns all events of a run, to be stored in one row at its end, which halves their size.

    Empty if a row is damaged, because it determines the numbers of later events.
    """
    rows = connection.execute(_NEWER, {"run": run_id, "after": 0})
    found = [event for _, *stored in rows for event in events_in(*stored)]
    if len(found) != newest:
        return []
    connection.execute(_WITHDRAWN, {"run": run_id})
    return found


def _parent(connection: Connection, thread_id: str, after: str | None) -> str:
    if after is None:
        return connection.execute(_LEAF, {"thread": thread_id}).scalar() or ""
    if after and not connection.execute(_IN_THREAD, {"run": after, "thread": thread_id}).first():
        raise NotFoundError("error.run_missing")
    return after


def _touch_thread(connection: Connection, thread_id: str, now: datetime, **values: str) -> None:
    if not connection.execute(_TOUCHED, {"thread": thread_id, "updated_at": now, **values}).rowcount:
        raise NotFoundError("storage.thread_gone")


def _from_run(run: Run) -> Row:
    return {
        **{name: getattr(run, name) for name in _GIVEN},
        "options": {name: value for name, value in asdict(run.options).items() if value},
        "purpose": run.purpose.value,
        **_end_of(run),
    }


def _end_of(run: Run) -> Row:
    """Columns that change at the end of a run."""
    return {
        "status": run.status.value,
        "outcome": run.outcome,
        "answer": run.answer,
        "citations": [asdict(citation) for citation in run.citations],
        **usage_columns(run.usage),
        "seconds": run.seconds,
        "error": run.error,
    }
