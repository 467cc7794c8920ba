"""Conversations, runs and their events."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from core.domain.events import Event
from core.domain.run_lists import Removed, RunFilter, RunLine, RunSum, Span
from core.domain.runs import Run, RunPurpose, RunRequest, Thread, Turn


class Threads(Protocol):
    def find(self, query: str = "") -> list[Thread]:
        """Conversations, last used first; a query matches the title and the questions."""

    def get(self, thread_id: str) -> Thread:
        """Raises NotFoundError."""

    def create(self, title: str, base_id: str, workflow: str, purpose: RunPurpose = RunPurpose.CHAT) -> Thread: ...

    def rename(self, thread_id: str, title: str) -> None: ...

    def allow_web(self, thread_id: str, allowed: bool) -> None:
        """Whether the conversation's questions are searched for on the web without asking. Raises NotFoundError."""

    def delete(self, thread_id: str) -> None: ...

    def history(self, thread_id: str, limit: int) -> list[Turn]:
        """The newest turns that finished, oldest first."""


class RunLog(Protocol):
    """Runs and their events; what a page shows of a run, live or later, comes from here."""

    def start(self, request: RunRequest, thread_id: str, engine: str) -> Run: ...

    def append(self, run_id: str, events: Sequence[Event]) -> int:
        """Stores events in order; returns the newest sequence number."""

    def events(self, run_id: str, after: int) -> list[tuple[int, Event]]: ...

    def finish(self, run: Run) -> None: ...

    def get(self, run_id: str) -> Run:
        """Raises NotFoundError."""

    def of_thread(self, thread_id: str) -> list[Run]: ...

    def running(self) -> list[Run]: ...


class RunLists(Protocol):
    """All runs, of whichever thread: found, summed over time, removed."""

    def find(self, wanted: RunFilter, limit: int, offset: int = 0) -> list[RunLine]:
        """Newest first."""

    def lines(self, wanted: RunFilter) -> Iterator[RunLine]:
        """All of them, newest first."""

    def count(self, wanted: RunFilter) -> int: ...

    def engines(self) -> list[str]:
        """Whatever has ever answered."""

    def sums(self, wanted: RunFilter, span: Span) -> list[RunSum]:
        """In order of time; without runs under way."""

    def remove(self, wanted: RunFilter) -> Removed:
        """Deletes the runs, except those under way, and conversations of which nothing is left."""
