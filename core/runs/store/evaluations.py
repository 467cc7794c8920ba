"""Lists of questions, evaluations with their results, votes of the arena, and feedback on answers, in SQL."""

from collections.abc import Sequence
from dataclasses import asdict
from uuid import uuid4

from sqlalchemy import Engine, delete, func, insert, select, update

from core.platform.clock import Clock, utc_now
from core.platform.errors import NotFoundError
from core.platform.identity import acting_id
from core.platform.ids import content_id
from core.platform.sql.columns import normalized
from core.platform.sql.compiled_statements import insert_all, put_all
from core.platform.sql.conversation_tables import (
    arena_votes,
    evaluation_cases,
    evaluation_results,
    evaluations,
    feedback,
    question_lists,
    runs,
    threads,
)
from core.platform.sql.engine import all_rows, lock_row, reading, writing
from core.runs.evaluation.model import Case, CaseResult, Evaluation, EvaluationStatus, QuestionList
from core.runs.model import Feedback
from core.runs.store.rows import from_row, usage_columns


class SqlEvaluations:
    def __init__(self, engine: Engine, clock: Clock = utc_now) -> None:
        self.engine = engine
        self.clock = clock

    def lists(self) -> list[QuestionList]:
        count = select(func.count()).where(evaluation_cases.c.list_id == question_lists.c.id).scalar_subquery()
        shown = (question_lists.c.id, question_lists.c.name, question_lists.c.changed_at)
        newest = select(*shown, count.label("cases")).order_by(question_lists.c.changed_at.desc())
        return [QuestionList(**row) for row in all_rows(self.engine, newest)]

    def keep_list(self, name: str, cases: Sequence[Case]) -> QuestionList:
        """Names that differ in case or width alone are the same."""
        kept = QuestionList(
            content_id("question list", normalized(name), *([acting_id()] if acting_id() else [])),
            name,
            len(cases),
            self.clock(),
        )
        values = {"name": name, "changed_at": kept.changed_at}
        rows = [{"list_id": kept.id, "position": at, **asdict(case)} for at, case in enumerate(cases)]
        with writing(self.engine) as connection:
            put_all(connection, question_lists, [{"id": kept.id, **values}])
            connection.execute(delete(evaluation_cases).where(evaluation_cases.c.list_id == kept.id))
            insert_all(connection, evaluation_cases, rows)
        return kept

    def cases(self, list_id: str) -> list[Case]:
        ordered = (
            select(evaluation_cases).where(evaluation_cases.c.list_id == list_id).order_by(evaluation_cases.c.position)
        )
        return [from_row(Case, row) for row in all_rows(self.engine, ordered)]

    def delete_list(self, list_id: str) -> None:
        with writing(self.engine) as connection:
            connection.execute(delete(question_lists).where(question_lists.c.id == list_id))

    def begin(
        self, list_id: str, base_id: str, thread_id: str, workflows: Sequence[str], cases: Sequence[Case]
    ) -> Evaluation:
        """Raises NotFoundError if the list is gone."""
        row = {
            "id": uuid4().hex,
            "list_id": list_id,
            "base_id": base_id,
            "thread_id": thread_id,
            "workflows": list(workflows),
            "cases": [asdict(case) for case in cases],
            "status": EvaluationStatus.STOPPED.value,
            "owner": "",
            "started_at": self.clock(),
        }
        with writing(self.engine) as connection:
            if not lock_row(connection, question_lists, list_id, against_deletion=True):
                raise NotFoundError("evaluation.list_missing")
            connection.execute(insert(evaluations), row)
        return self.get(str(row["id"]))

    def get(self, evaluation_id: str) -> Evaluation:
        for row in all_rows(self.engine, select(evaluations).where(evaluations.c.id == evaluation_id)):
            return from_row(Evaluation, row)
        raise NotFoundError("evaluation.missing")

    def of_list(self, list_id: str) -> list[Evaluation]:
        newest = select(evaluations).where(evaluations.c.list_id == list_id).order_by(evaluations.c.position.desc())
        return [from_row(Evaluation, row) for row in all_rows(self.engine, newest)]

    def mark(self, evaluation_id: str, status: EvaluationStatus, owner: str) -> None:
        changed = update(evaluations).where(evaluations.c.id == evaluation_id)
        with writing(self.engine) as connection:
            if not connection.execute(changed.values(status=status.value, owner=owner)).rowcount:
                raise NotFoundError("evaluation.missing")

    def add_result(self, evaluation_id: str, result: CaseResult) -> None:
        row = {"evaluation_id": evaluation_id, **asdict(result), **usage_columns(result.usage)}
        del row["usage"]
        same = [evaluation_results.c[name] == row[name] for name in ("evaluation_id", "case_id", "workflow")]
        with writing(self.engine) as connection:
            if not lock_row(connection, evaluations, evaluation_id):
                raise NotFoundError("evaluation.missing")
            connection.execute(delete(evaluation_results).where(*same))
            connection.execute(insert(evaluation_results), row)

    def results(self, evaluation_id: str) -> list[CaseResult]:
        found = select(evaluation_results).where(evaluation_results.c.evaluation_id == evaluation_id)
        return [from_row(CaseResult, row) for row in all_rows(self.engine, found)]


class SqlVotes:
    def __init__(self, engine: Engine, clock: Clock = utc_now) -> None:
        self.engine = engine
        self.clock = clock

    def vote(self, thread_id: str, workflows: Sequence[str], winner: str) -> None:
        row = {"thread_id": thread_id, "workflows": list(workflows), "winner": winner, "voted_at": self.clock()}
        with writing(self.engine) as connection:
            if not lock_row(connection, threads, thread_id, against_deletion=True):
                raise NotFoundError("storage.thread_gone")
            put_all(connection, arena_votes, [row])

    def of_thread(self, thread_id: str) -> str | None:
        with reading(self.engine) as connection:
            found = select(arena_votes.c.winner).where(arena_votes.c.thread_id == thread_id)
            return connection.execute(found).scalar()

    def all(self) -> list[tuple[tuple[str, ...], str]]:
        rows = all_rows(self.engine, select(arena_votes.c.workflows, arena_votes.c.winner))
        return [(tuple(row["workflows"]), row["winner"]) for row in rows]


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
