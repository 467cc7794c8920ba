"""Feedback on answers in SQL, one verdict a run."""

from sqlalchemy import Engine, delete, insert, select

from core.platform.clock import Clock, utc_now
from core.platform.errors import NotFoundError
from core.platform.sql.engine import all_rows, lock_row, writing
from core.platform.sql.schema import feedback, runs
from core.runs.model import Feedback
from core.runs.store.rows import from_row


class SqlFeedbackStore:
    def __init__(self, engine: Engine, clock: Clock = utc_now) -> None:
        self.engine = engine
        self.clock = clock

    def give(self, given: Feedback) -> None:
        values = {"run_id": given.run_id, "verdict": given.verdict.value, "comment": given.comment}
        values["complaint"] = given.complaint.value if given.complaint else ""
        with writing(self.engine) as connection:
            if not lock_row(connection, runs, given.run_id):
                raise NotFoundError("error.run_missing")
            connection.execute(delete(feedback).where(feedback.c.run_id == given.run_id))
            connection.execute(insert(feedback), {**values, "given_at": self.clock()})

    def withdraw(self, run_id: str) -> None:
        with writing(self.engine) as connection:
            connection.execute(delete(feedback).where(feedback.c.run_id == run_id))

    def of_thread(self, thread_id: str) -> dict[str, Feedback]:
        statement = select(feedback).join(runs, runs.c.id == feedback.c.run_id).where(runs.c.thread_id == thread_id)
        rows = all_rows(self.engine, statement)
        return {row["run_id"]: from_row(Feedback, row, complaint=row["complaint"] or None) for row in rows}
