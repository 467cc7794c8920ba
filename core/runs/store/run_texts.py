"""Removes the texts that the steps of old runs read and wrote, most of what the run log takes."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, Engine, delete, exists, insert, select

from core.platform.sql.conversation_tables import run_events, runs
from core.platform.sql.engine import reading, writing
from core.runs.events import (
    AnswerDelta,
    AnswerReady,
    Event,
    ModelCalled,
    ModelProgress,
    NodeFinished,
    PassagesGraded,
    RulesAnswered,
    TextsRemoved,
    ToolCalled,
)
from core.runs.model import RunStatus
from core.runs.store.event_codec import WITHOUT_TEXTS, decode_all, encode_without_texts

_BATCH = 50
"""Runs changed in one transaction, so that nobody waits long for it."""
REMOVED = "…"


class SqlRunTexts:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def remove(self, before: datetime) -> int:
        """Number of finished runs that started before and had texts."""
        removed = 0
        while found := self._with_texts(before):
            with writing(self.engine, durable=False) as connection:
                there = select(runs.c.id).where(runs.c.id.in_(found)).order_by(runs.c.id)
                for run_id in connection.execute(there.with_for_update(key_share=True)).scalars().all():
                    _remove(connection, run_id)
            removed += len(found)
        return removed

    def _with_texts(self, before: datetime) -> Sequence[str]:
        told = exists().where(run_events.c.run_id == runs.c.id, run_events.c.type != WITHOUT_TEXTS)
        over = (runs.c.started_at < before) & (runs.c.status != RunStatus.RUNNING.value)
        with reading(self.engine) as connection:
            return connection.execute(select(runs.c.id).where(over, told).limit(_BATCH)).scalars().all()


def _remove(connection: Connection, run_id: str) -> None:
    of_run = run_events.c.run_id == run_id
    columns = (run_events.c.seq, run_events.c.type, run_events.c.payload, run_events.c.packed)
    rows = connection.execute(select(*columns).where(of_run).order_by(run_events.c.seq)).all()
    events = [event for row in rows for _, event in decode_all(0, *row)]
    row = {"run_id": run_id, "seq": rows[-1][0] if rows else 0, **encode_without_texts(without_texts(events))}
    connection.execute(delete(run_events).where(of_run))
    connection.execute(insert(run_events), row)


def without_texts(events: Sequence[Event]) -> list[Event]:
    """Keeps answer, sources, steps, times, counts and failures; drops passages, prompts, replies and tool results.

    The state after each step is dropped too: no run can continue from a step of such a run.
    """
    is_whole = any(isinstance(event, AnswerReady) for event in events)
    of_waiting = (AnswerDelta, RulesAnswered) if is_whole else ()
    gone: tuple[type, ...] = (PassagesGraded, ModelProgress, TextsRemoved, *of_waiting)
    return [TextsRemoved(), *(_emptied(event) for event in events if not isinstance(event, gone))]


def _emptied(event: Event) -> Event:
    match event:
        case NodeFinished():
            return replace(event, update="")
        case ModelCalled():
            return replace(event, prompt=_mark(event.prompt), response=_mark(event.response))
        case ToolCalled():
            return replace(event, arguments=_mark(event.arguments), result=_mark(event.result))
    return event


def _mark(text: str) -> str:
    """A mark for a removed text: whether there was one decides how a failure is described."""
    return REMOVED if text else ""
