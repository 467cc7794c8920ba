"""Lists of questions, evaluations of them, and votes of the arena."""

from collections.abc import Sequence
from typing import Protocol

from core.runs.evaluation.model import Case, CaseResult, Evaluation, EvaluationStatus, QuestionList


class Evaluations(Protocol):
    def lists(self) -> list[QuestionList]:
        """Last changed first."""

    def keep_list(self, name: str, cases: Sequence[Case]) -> QuestionList:
        """Creates the list, or replaces the cases of the list of that name."""

    def cases(self, list_id: str) -> list[Case]: ...

    def delete_list(self, list_id: str) -> None:
        """With its evaluations; their runs stay."""

    def begin(
        self, list_id: str, base_id: str, thread_id: str, workflows: Sequence[str], cases: Sequence[Case]
    ) -> Evaluation:
        """Creates an evaluation; no process works on it yet."""

    def get(self, evaluation_id: str) -> Evaluation:
        """Raises NotFoundError."""

    def of_list(self, list_id: str) -> list[Evaluation]:
        """Newest first."""

    def mark(self, evaluation_id: str, status: EvaluationStatus, owner: str) -> None:
        """Raises NotFoundError."""

    def add_result(self, evaluation_id: str, result: CaseResult) -> None:
        """Stores the result; a second one of the same case and workflow replaces the first. Raises NotFoundError."""

    def results(self, evaluation_id: str) -> list[CaseResult]: ...


class Votes(Protocol):
    def vote(self, thread_id: str, workflows: Sequence[str], winner: str) -> None:
        """One vote a comparison; a later one replaces it. An empty winner: none was better."""

    def of_thread(self, thread_id: str) -> str | None:
        """The winner; None before the vote."""

    def all(self) -> list[tuple[tuple[str, ...], str]]:
        """(workflows, winner) of every vote."""
