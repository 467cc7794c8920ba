"""Lists of runs, sums over time, and removal, in SQL; a page of a list loads no more than it shows."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, RowMapping, Select, delete, exists, func, or_, select, update

from core.platform.sql.audit import note_removed
from core.platform.sql.columns import normalized
from core.platform.sql.conversation_tables import evaluations, feedback, memories, runs, threads
from core.platform.sql.engine import all_rows, batches, reading, writing
from core.runs.model import AnswerOutcome, RunStatus, Usage
from core.runs.run_lists import PROBABLE, Removed, RunFilter, RunLine, RunSum, TimeSpan, ending_of, probable_beginnings
from core.runs.store.rows import from_row, usage_columns
from core.runs.store.threads import delete_derived

_OF_LINE = (*(field.name for field in fields(RunLine)), *usage_columns(Usage()), "error")
_LINE = [runs.c[name] for name in _OF_LINE if name in runs.c]
_SPANS = {
    TimeSpan.HOUR: ("%Y-%m-%d %H", "YYYY-MM-DD HH24"),
    TimeSpan.DAY: ("%Y-%m-%d", "YYYY-MM-DD"),
}
"""Formats of SQLite and of Postgres."""
_NEWEST_LEFT = (
    select(runs.c.id)
    .where(runs.c.thread_id == threads.c.id)
    .order_by(runs.c.position.desc())
    .limit(1)
    .scalar_subquery()
)
_PUT_AWAY = select(threads.c.id).where(threads.c.deleted_at.is_not(None))
"""Ids of deleted conversations that can be restored; their runs are not listed."""
_ORIGINAL = runs.alias("original")
_COUNTED_ELSEWHERE = exists().where(
    or_(
        _ORIGINAL.c.id == runs.c.copied_from,
        (_ORIGINAL.c.copied_from == runs.c.copied_from) & (_ORIGINAL.c.position < runs.c.position),
    ),
    _ORIGINAL.c.thread_id.not_in(_PUT_AWAY),
)
"""The original of a copy, or an earlier copy, is listed."""
_BATCH = 200
"""Runs removed in one transaction: others write in between."""


class SqlRunLists:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def find(self, wanted: RunFilter, limit: int, offset: int = 0) -> list[RunLine]:
        probable = _is_probable().label("is_probable")
        newest = select(*_LINE, probable).order_by(runs.c.started_at.desc(), runs.c.position.desc())
        return [_line(row) for row in all_rows(self.engine, _counted(newest, wanted).limit(limit).offset(offset))]

    def count(self, wanted: RunFilter) -> int:
        with reading(self.engine) as connection:
            return int(connection.execute(_counted(select(func.count()).select_from(runs), wanted)).scalar_one())

    def engines(self) -> list[str]:
        with reading(self.engine) as connection:
            return list(connection.execute(select(runs.c.engine).distinct().order_by(runs.c.engine)).scalars())

    def sums(self, wanted: RunFilter, span: TimeSpan) -> list[RunSum]:
        start = self._start(span).label("start")
        tokens = (func.sum(runs.c.prompt_tokens), func.sum(runs.c.completion_tokens))
        kinds = (start, runs.c.engine, runs.c.status, runs.c.outcome, runs.c.tokens_estimated)
        summed = select(*kinds, func.count(), func.sum(runs.c.seconds), *tokens).group_by(*kinds).order_by(start)
        over = _counted(summed, wanted).where(runs.c.status != RunStatus.RUNNING.value)
        with reading(self.engine) as connection:
            return [
                RunSum(
                    at, engine, ending_of(RunStatus(status), outcome), count, seconds, Usage(0, sent, written, rough)
                )
                for at, engine, status, outcome, rough, count, seconds, sent, written in connection.execute(over)
            ]

    def remove(self, wanted: RunFilter) -> Removed:
        """Deletes finished runs with events, copies and what was proposed or concluded in them.

        Conversations without runs go, too; statements of the person stay. They go on counting for who asked them.
        """
        columns = (runs.c.id, runs.c.thread_id, runs.c.copied_from)
        ended = _narrowed(select(*columns), wanted).where(runs.c.status != RunStatus.RUNNING.value)
        with reading(self.engine) as connection:
            found = connection.execute(ended).tuples().all()
        emptied = 0
        for batch in batches(found, _BATCH):
            ids, thread_ids = [run_id for run_id, *_ in batch], sorted({thread_id for _, thread_id, _ in batch})
            touched = select(threads.c.id).where(threads.c.id.in_(thread_ids)).order_by(threads.c.id)
            with writing(self.engine, durable=False) as connection:
                connection.execute(touched.with_for_update()).all()  # none of them gets a question meanwhile
                delete_derived(connection, memories.c.run_id.in_(ids))
                note_removed(connection, runs.c.id.in_(ids))
                connection.execute(delete(runs).where(runs.c.id.in_(ids)))
                connection.execute(update(runs).where(runs.c.parent_id.in_(ids)).values(parent_id=""))
                emptied += _delete_empty(connection, thread_ids)
                connection.execute(
                    update(threads).where(threads.c.leaf_id.in_(ids)).values(leaf_id=func.coalesce(_NEWEST_LEFT, ""))
                )
        return Removed(len({copied_from or run_id for run_id, _, copied_from in found}), emptied)

    def lines(self, wanted: RunFilter) -> Iterator[RunLine]:
        """All of them, newest first, read a page at a time."""
        offset = 0
        while page := self.find(wanted, 1_000, offset):
            yield from page
            offset += len(page)

    def _start(self, span: TimeSpan) -> ColumnElement[str]:
        sqlite, postgres = _SPANS[span]
        if self.engine.dialect.name == "sqlite":
            return func.strftime(sqlite, runs.c.started_at)
        return func.to_char(func.timezone("UTC", runs.c.started_at), postgres)


def _delete_empty(connection: Connection, thread_ids: Sequence[str]) -> int:
    """An evaluation keeps its thread, because it may go on."""
    unused = ~exists().where(runs.c.thread_id == threads.c.id), ~exists().where(evaluations.c.thread_id == threads.c.id)
    return connection.execute(delete(threads).where(threads.c.id.in_(thread_ids), *unused)).rowcount


def _counted(statement: Select[*tuple[Any, ...]], wanted: RunFilter) -> Select[*tuple[Any, ...]]:
    """Counts each run once: a copy in a forked conversation only if the original is gone."""
    return _narrowed(statement, wanted).where(or_(runs.c.copied_from == "", ~_COUNTED_ELSEWHERE))


def _narrowed(statement: Select[*tuple[Any, ...]], wanted: RunFilter) -> Select[*tuple[Any, ...]]:
    statement = statement.where(runs.c.thread_id.not_in(_PUT_AWAY))
    equal = {
        runs.c.workflow: wanted.workflow,
        runs.c.engine: wanted.engine,
        runs.c.base_id: wanted.base_id,
        runs.c.purpose: wanted.purpose.value if wanted.purpose else "",
    }
    for column, value in equal.items():
        if value:
            statement = statement.where(column == value)
    if words := normalized(wanted.question):
        statement = statement.where(runs.c.question_norm.contains(words, autoescape=True))
    if wanted.ending:
        statement = statement.where(_has_ending(wanted.ending))
    if wanted.verdict:
        judged = feedback.c.run_id == runs.c.id
        statement = statement.where(exists().where(judged, feedback.c.verdict == wanted.verdict))
    if wanted.degraded:
        statement = statement.where(runs.c.status == RunStatus.DONE.value, runs.c.error != "")
    if wanted.since:
        statement = statement.where(runs.c.started_at >= wanted.since)
    if wanted.before:
        statement = statement.where(runs.c.started_at < wanted.before)
    return statement


def _has_ending(ending: str) -> ColumnElement[bool]:
    if ending in {status.value for status in RunStatus}:
        unfinished = runs.c.status == ending
        return unfinished & (runs.c.outcome == "") if ending == RunStatus.DONE else unfinished
    done = runs.c.status == RunStatus.DONE.value
    if ending == PROBABLE:
        return done & _is_probable()
    of_outcome = done & (runs.c.outcome == ending)
    return of_outcome & ~_is_probable() if ending == AnswerOutcome.ANSWERED else of_outcome


def _is_probable() -> ColumnElement[bool]:
    begun = or_(*(runs.c.answer.startswith(words, autoescape=True) for words in probable_beginnings()))
    return (runs.c.outcome == AnswerOutcome.ANSWERED.value) & begun


def _line(row: RowMapping) -> RunLine:
    return from_row(RunLine, row, degraded=row["status"] == RunStatus.DONE and bool(row["error"]))
