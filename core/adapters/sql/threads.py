"""Conversations in SQL."""

from collections.abc import Sequence
from uuid import uuid4

from sqlalchemy import Engine, RowMapping, bindparam, delete, exists, insert, or_, select, update

from core.adapters.sql.columns import normalized
from core.adapters.sql.engine import reading, writing
from core.adapters.sql.schema import messages, runs, threads
from core.domain.clock import Clock, utc_now
from core.domain.runs import RunPurpose, RunStatus, Thread, Turn
from core.errors import NotFoundError

_FINISHED = (RunStatus.DONE.value, RunStatus.STOPPED.value)

_CREATED = insert(threads)
_ANSWERED = (
    select(runs.c.id)
    .where(runs.c.thread_id == bindparam("thread"), runs.c.status.in_(_FINISHED), runs.c.answer != "")
    .order_by(runs.c.position.desc())
    .limit(bindparam("most"))
)
_NEWEST_FAILURE = (
    select(runs.c.error)
    .where(runs.c.thread_id == threads.c.id, runs.c.status == RunStatus.DONE.value)
    .order_by(runs.c.position.desc())
    .limit(1)
    .scalar_subquery()
    .label("newest_failure")
)
_SAID = select(messages).where(messages.c.run_id.in_(bindparam("asked", expanding=True))).order_by(messages.c.position)
"""Statements used by every question are built once, because building one takes longer than running it."""


class SqlThreads:
    def __init__(self, engine: Engine, clock: Clock = utc_now) -> None:
        self.engine = engine
        self.clock = clock

    def find(self, query: str = "") -> list[Thread]:
        """Titles and questions ignoring case, width and Chinese script; answers ignoring the case of Latin letters."""
        newest = select(threads, _NEWEST_FAILURE).order_by(threads.c.updated_at.desc(), threads.c.position.desc())
        statement = newest.where(threads.c.purpose == RunPurpose.CHAT.value)
        wanted = normalized(query)
        if wanted:
            asked = runs.c.question_norm.contains(wanted, autoescape=True)
            in_title = threads.c.title_norm.contains(wanted, autoescape=True)
            said = asked | or_(*(runs.c.answer.icontains(form, autoescape=True) for form in {wanted, query.strip()}))
            statement = statement.where(in_title | exists().where(runs.c.thread_id == threads.c.id, said))
        with reading(self.engine) as connection:
            return [_to_thread(row) for row in connection.execute(statement).mappings()]

    def get(self, thread_id: str) -> Thread:
        with reading(self.engine) as connection:
            row = connection.execute(select(threads).where(threads.c.id == thread_id)).mappings().first()
        if row is None:
            raise NotFoundError("storage.thread_gone")
        return _to_thread(row)

    def create(self, title: str, base_id: str, workflow: str, purpose: RunPurpose = RunPurpose.CHAT) -> Thread:
        now = self.clock()
        thread = Thread(uuid4().hex, title, base_id, workflow, now, now)
        with writing(self.engine) as connection:
            values = {"id": thread.id, "title": title, "title_norm": normalized(title), "base_id": base_id}
            values |= {"workflow": workflow, "purpose": purpose.value}
            connection.execute(_CREATED, {**values, "created_at": now, "updated_at": now})
        return thread

    def rename(self, thread_id: str, title: str) -> None:
        """Raises NotFoundError."""
        statement = update(threads).where(threads.c.id == thread_id).values(title=title, title_norm=normalized(title))
        with writing(self.engine) as connection:
            if not connection.execute(statement).rowcount:
                raise NotFoundError("storage.thread_gone")

    def allow_web(self, thread_id: str, allowed: bool) -> None:
        """Raises NotFoundError."""
        statement = update(threads).where(threads.c.id == thread_id).values(web_allowed=allowed)
        with writing(self.engine) as connection:
            if not connection.execute(statement).rowcount:
                raise NotFoundError("storage.thread_gone")

    def delete(self, thread_id: str) -> None:
        """Deletes its runs, their events and its messages; memories stay."""
        with writing(self.engine) as connection:
            connection.execute(delete(threads).where(threads.c.id == thread_id))

    def history(self, thread_id: str, limit: int) -> list[Turn]:
        """At most `limit` turns, starting with a question. Runs that failed or produced no text are skipped."""
        with reading(self.engine) as connection:
            asked = {"thread": thread_id, "most": limit // 2}
            newest: Sequence[str] = connection.execute(_ANSWERED, asked).scalars().all()
            rows = connection.execute(_SAID, {"asked": newest}).mappings().all() if newest else []
        order = {run_id: -index for index, run_id in enumerate(newest)}
        return [Turn(row["role"], row["text"]) for row in sorted(rows, key=lambda row: order[row["run_id"]])]


def _to_thread(row: RowMapping) -> Thread:
    times = (row["created_at"], row["updated_at"])
    return Thread(
        row["id"],
        row["title"],
        row["base_id"],
        row["workflow"],
        *times,
        web_allowed=bool(row["web_allowed"]),
        degraded=bool(row.get("newest_failure")),
    )
