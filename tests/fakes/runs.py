"""Conversations, runs and their worker in memory."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from core.domain.events import END_EVENTS, AnswerDelta, Event, NodeStarted, RunStarted, RunStopped
from core.domain.run_lists import Removed, RunFilter, RunLine, RunSum, Span
from core.domain.runs import Run, RunPurpose, RunRequest, RunStatus, Thread, Turn
from core.errors import NotFoundError
from core.runs.view import RunView
from tests.fakes.samples import NOW


@dataclass
class FakeThreads:
    kept: dict[str, Thread] = field(default_factory=dict)
    now: datetime = NOW
    turns: dict[str, list[Turn]] = field(default_factory=dict)

    def find(self, query: str = "") -> list[Thread]:
        return [thread for thread in reversed(self.kept.values()) if query.lower() in thread.title.lower()]

    def get(self, thread_id: str) -> Thread:
        if thread_id not in self.kept:
            raise NotFoundError("storage.thread_gone")
        return self.kept[thread_id]

    def create(self, title: str, base_id: str, workflow: str, purpose: RunPurpose = RunPurpose.CHAT) -> Thread:
        thread = Thread(f"t{len(self.kept) + 1}", title, base_id, workflow, self.now, self.now)
        self.kept[thread.id] = thread
        return thread

    def rename(self, thread_id: str, title: str) -> None:
        self.kept[thread_id] = replace(self.get(thread_id), title=title)

    def allow_web(self, thread_id: str, allowed: bool) -> None:
        self.kept[thread_id] = replace(self.get(thread_id), web_allowed=allowed)

    def delete(self, thread_id: str) -> None:
        self.kept.pop(thread_id, None)

    def history(self, thread_id: str, limit: int) -> list[Turn]:
        return self.turns.get(thread_id, [])[-limit:]


class FakeRunLog:
    """Runs and events in order; safe to use from several threads."""

    def __init__(self, failure: Exception | None = None, now: datetime = NOW) -> None:
        self.kept: dict[str, Run] = {}
        self.logged: dict[str, list[Event]] = {}
        self.appends: list[int] = []
        """How many events each append brought."""
        self.failure = failure
        self.reads = 0
        """How often events were asked for."""
        self._now = now
        self._lock = threading.Lock()

    def start(self, request: RunRequest, thread_id: str, engine: str) -> Run:
        with self._lock:
            run = Run(
                id=f"r{len(self.kept) + 1}",
                thread_id=thread_id,
                base_id=request.base_id,
                question=request.question,
                workflow=request.workflow,
                engine=engine,
                status=RunStatus.RUNNING,
                started_at=self._now + timedelta(seconds=len(self.kept)),
                purpose=request.purpose,
            )
            self.kept[run.id], self.logged[run.id] = run, []
            return run

    def append(self, run_id: str, events: Sequence[Event]) -> int:
        with self._lock:
            if self.failure:
                raise self.failure
            if run_id not in self.logged:
                raise NotFoundError("error.run_missing")
            self.logged[run_id] += events
            self.appends.append(len(events))
            return len(self.logged[run_id])

    def events(self, run_id: str, after: int) -> list[tuple[int, Event]]:
        with self._lock:
            self.reads += 1
            return list(enumerate(self.logged.get(run_id, ()), start=1))[after:]

    def finish(self, run: Run) -> None:
        with self._lock:
            if run.id not in self.kept:
                raise NotFoundError("error.run_missing")
            self.kept[run.id] = run

    def get(self, run_id: str) -> Run:
        with self._lock:
            if run_id not in self.kept:
                raise NotFoundError("error.run_missing")
            return self.kept[run_id]

    def of_thread(self, thread_id: str) -> list[Run]:
        return [run for run in self.kept.values() if run.thread_id == thread_id]

    def running(self) -> list[Run]:
        return [run for run in self.kept.values() if run.status is RunStatus.RUNNING]


@dataclass
class FakeRunLists:
    """Narrows by the words of the question, the ending, the purpose and the age."""

    log: FakeRunLog

    def find(self, wanted: RunFilter, limit: int, offset: int = 0) -> list[RunLine]:
        return list(self.lines(wanted))[offset : offset + limit]

    def lines(self, wanted: RunFilter) -> Iterator[RunLine]:
        return (line for run in reversed(self.log.kept.values()) if _fits(line := _line_of(run), wanted))

    def count(self, wanted: RunFilter) -> int:
        return len(list(self.lines(wanted)))

    def engines(self) -> list[str]:
        return sorted({run.engine for run in self.log.kept.values()})

    def sums(self, wanted: RunFilter, span: Span) -> list[RunSum]:
        form = "%Y-%m-%d %H" if span is Span.HOUR else "%Y-%m-%d"
        lines = reversed(list(self.lines(wanted)))
        return [
            RunSum(line.started_at.strftime(form), line.engine, line.ending, 1, line.seconds, line.usage)
            for line in lines
        ]

    def remove(self, wanted: RunFilter) -> Removed:
        gone = [line.id for line in self.lines(wanted)]
        for run_id in gone:
            del self.log.kept[run_id]
        return Removed(len(gone), 0)


def _line_of(run: Run) -> RunLine:
    facts = (run.workflow, run.engine, run.status, run.outcome, run.started_at, run.seconds, run.usage)
    return RunLine(run.id, run.thread_id, run.question, *facts, run.degraded, run.purpose)


def _fits(line: RunLine, wanted: RunFilter) -> bool:
    return (
        wanted.question.lower() in line.question.lower()
        and wanted.ending in ("", line.ending)
        and wanted.purpose in (None, line.purpose)
        and (wanted.before is None or line.started_at < wanted.before)
    )


@dataclass
class FakeWorker:
    """Starts runs and leaves them under way, for the test to go on with."""

    threads: FakeThreads
    runs: FakeRunLog
    asked: list[RunRequest] = field(default_factory=list)
    dead: set[str] = field(default_factory=set)
    views: dict[str, RunView] = field(default_factory=dict)
    """Of runs under way in this process; without one, another process runs it."""
    listeners: dict[str, Callable[[], None]] = field(default_factory=dict)
    warmed: bool = False

    def start(self, request: RunRequest, owner: str = "") -> str:
        self.asked.append(request)
        title, base = request.question[:60], request.base_id
        thread_id = request.thread_id or self.threads.create(title, base, request.workflow).id
        run = self.runs.start(request, thread_id, "built-in")
        begun: list[Event] = [
            RunStarted(run.question, run.workflow, run.engine, owner),
            NodeStarted("guard", 1),
            AnswerDelta("So far"),
        ]
        self.runs.append(run.id, begun)
        return run.id

    def stop(self, run_id: str) -> bool:
        self.end(run_id, [RunStopped(1.0)], RunStatus.STOPPED)
        return True

    def view(self, run_id: str) -> RunView | None:
        return self.views.get(run_id)

    @contextmanager
    def listening(self, run_id: str, heard: Callable[[], None]) -> Iterator[None]:
        self.listeners[run_id] = heard
        try:
            yield
        finally:
            del self.listeners[run_id]

    def is_alive(self, run_id: str, owner_id: str) -> bool:
        return owner_id not in self.dead and self.runs.get(run_id).status is RunStatus.RUNNING

    def recover(self) -> list[str]:
        return []

    def warm(self) -> None:
        self.warmed = True

    def end(self, run_id: str, events: Sequence[Event], status: RunStatus = RunStatus.DONE) -> None:
        assert isinstance(events[-1], END_EVENTS)
        self.runs.append(run_id, events)
        self.runs.finish(replace(self.runs.get(run_id), status=status))

    def close(self) -> None:
        pass
