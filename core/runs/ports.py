"""Conversations, runs and their events, evaluations, and votes of the arena."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from core.runs.events import Event
from core.runs.model import Run, RunCommand, RunPurpose, RunRequest, Thread, Turn

if TYPE_CHECKING:
    from core.runs.evaluation.model import Case, CaseResult, Evaluation, EvaluationStatus, QuestionList
    from core.runs.model import Feedback
    from core.runs.run_lists import Removed, RunFilter, RunLine, RunSum, TimeSpan


class Threads(Protocol):
    """Conversations. Methods that change one raise NotFoundError if it does not exist; delete() does nothing then."""

    def find(self, query: str = "") -> list[Thread]:
        """Conversations, last used first; a query matches the title and the questions."""

    def get(self, thread_id: str) -> Thread:
        """Raises NotFoundError."""

    def create(self, title: str, base_id: str, workflow: str, purpose: RunPurpose = RunPurpose.CHAT) -> Thread: ...

    def rename(self, thread_id: str, title: str) -> None: ...

    def allow_web(self, thread_id: str, allowed: bool) -> None:
        """Allows or forbids web searches in the conversation without asking for consent."""

    def pin(self, thread_id: str, pinned: bool) -> None: ...

    def file(self, thread_id: str, folder: str) -> None:
        """Puts it into the folder; an empty name takes it out."""

    def show(self, thread_id: str, run_id: str) -> None:
        """Makes the branch that ends with the run the current one."""

    def fork(self, thread_id: str, run_id: str, title: str) -> Thread:
        """A copy of the branch up to the run as a thread of its own. Raises InputError while it is being answered."""

    def put_away(self, thread_id: str) -> None:
        """Moves the conversation to the trash, until it is restored or purged."""

    def restore(self, thread_id: str) -> None: ...

    def purge(self, before: datetime) -> None:
        """Deletes conversations for good that were put away before."""

    def history(self, thread_id: str, limit: int, after: str | None = None) -> list[Turn]:
        """The newest finished turns of one branch, oldest first: up to the run, or to the end of the branch shown."""


class RunLog(Protocol):
    """Runs and their events; what a page shows of a run, live or later, comes from here."""

    def start(self, request: RunRequest, thread_id: str, engine: str, process: str = "") -> Run:
        """The branch that it is on is shown from now on. `process` answers it. Raises NotFoundError."""

    def begin(self, request: RunRequest, title: str, engine: str, process: str = "") -> Run:
        """start() as the first question of a conversation of its own, which gets the title."""

    def append(self, run_id: str, events: Sequence[Event], process: str = "") -> int:
        """Stores events in order; returns the newest sequence number.

        Raises NotFoundError if the run does not exist, or belongs to another process than the one named.
        """

    def events(self, run_id: str, after: int) -> list[tuple[int, Event]]: ...

    def finish(self, run: Run, process: str = "", events: Sequence[Event] = ()) -> None:
        """Stores the run as given together with its last events. Raises NotFoundError as append() does."""

    def get(self, run_id: str) -> Run:
        """Raises NotFoundError."""

    def of_thread(self, thread_id: str) -> list[Run]: ...

    def running(self) -> list[Run]: ...

    def request_stop(self, run_id: str) -> bool:
        """Requests the process that answers the run to stop it; False if the run is not active."""

    def send_consent(self, run_id: str, consent: str) -> bool:
        """Sends the answer to the run's question; False if the run is not active or was answered already."""

    def commands(self, process: str) -> list[RunCommand]:
        """Commands to the runs of the process, repeated until the runs end."""

    def asked(self, run: Run) -> RunRequest | None:
        """The original request; None if no other process may answer it, or it was stopped."""

    def take_over(self, run: Run, process: str) -> bool:
        """Makes the process the owner, so that the former one is refused; False if another process was first."""


class FeedbackStore(Protocol):
    def give(self, given: Feedback) -> None:
        """Replaces earlier feedback on the run. Raises NotFoundError."""

    def withdraw(self, run_id: str) -> None: ...

    def of_thread(self, thread_id: str) -> dict[str, Feedback]:
        """By the id of the run."""


class QuestionSearch(Protocol):
    """Questions of all chats, by meaning."""

    def near(self, query: str, limit: int) -> list[tuple[str, float]]:
        """(thread id, cosine distance), nearest first, each thread once; empty where meanings cannot be compared."""


class Preferences(Protocol):
    """The reader's last choices, as JSON values."""

    def all(self) -> dict[str, object]: ...

    def keep(self, name: str, value: object) -> None: ...


class RunLists(Protocol):
    """All runs, of whichever thread: found, summed over time, removed."""

    def find(self, wanted: RunFilter, limit: int, offset: int = 0) -> list[RunLine]:
        """Newest first."""

    def lines(self, wanted: RunFilter) -> Iterator[RunLine]:
        """All of them, newest first."""

    def count(self, wanted: RunFilter) -> int: ...

    def engines(self) -> list[str]:
        """Names of all engines that have answered."""

    def sums(self, wanted: RunFilter, span: TimeSpan) -> list[RunSum]:
        """Sums in order of time, without active runs."""

    def remove(self, wanted: RunFilter) -> Removed:
        """Deletes the runs, except active ones, and conversations without runs."""


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
