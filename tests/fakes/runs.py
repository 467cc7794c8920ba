"""Conversations, runs and their worker in memory."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from core.platform.errors import NotFoundError
from core.runs.branches import path_to
from core.runs.events import END_EVENTS, AnswerDelta, Event, NodeStarted, RunStarted, RunStopped
from core.runs.history.view import RunView
from core.runs.model import AnswerOutcome, Feedback, Run, RunCommand, RunPurpose, RunRequest, RunStatus, Thread, Turn
from core.runs.run_lists import PROBABLE, Removed, RunFilter, RunLine, RunSum, TimeSpan, probable_beginnings
from tests.fakes.samples import NOW


@dataclass
class FakeThreads:
    kept: dict[str, Thread] = field(default_factory=dict)
    now: datetime = NOW
    turns: dict[str, list[Turn]] = field(default_factory=dict)

    away: dict[str, Thread] = field(default_factory=dict)
    log: "FakeRunLog | None" = None
    """Where forks copy from."""

    def find(self, query: str = "") -> list[Thread]:
        return [thread for thread in reversed(self.kept.values()) if query.lower() in thread.title.lower()]

    def get(self, thread_id: str) -> Thread:
        if thread_id not in self.kept:
            raise NotFoundError("storage.thread_gone")
        return self.kept[thread_id]

    def create(self, title: str, base_id: str, workflow: str, purpose: RunPurpose = RunPurpose.CHAT) -> Thread:
        thread = Thread(f"t{len(self.kept) + len(self.away) + 1}", title, base_id, workflow, self.now, self.now)
        self.kept[thread.id] = thread
        return thread

    def rename(self, thread_id: str, title: str) -> None:
        self._change(thread_id, title=title)

    def allow_web(self, thread_id: str, allowed: bool) -> None:
        self._change(thread_id, web_allowed=allowed)

    def pin(self, thread_id: str, pinned: bool) -> None:
        self._change(thread_id, pinned=pinned)

    def file(self, thread_id: str, folder: str) -> None:
        self._change(thread_id, folder=folder)

    def show(self, thread_id: str, run_id: str) -> None:
        self._change(thread_id, leaf_id=run_id)

    def fork(self, thread_id: str, run_id: str, title: str) -> Thread:
        assert self.log
        source, parent = self.get(thread_id), ""
        thread = self.create(title, source.base_id, source.workflow)
        branch = path_to({run.id: run.parent_id for run in self.log.of_thread(thread_id)}, run_id)
        for run in map(self.log.get, branch):
            copied = replace(run, id=f"{run.id}-{thread.id}", thread_id=thread.id, parent_id=parent)
            self.log.kept[copied.id], self.log.logged[copied.id] = copied, list(self.log.logged[run.id])
            parent = copied.id
        self.show(thread.id, parent)
        return self.get(thread.id)

    def put_away(self, thread_id: str) -> None:
        self.away[thread_id] = self.get(thread_id)
        del self.kept[thread_id]

    def restore(self, thread_id: str) -> None:
        self.kept[thread_id] = self.away.pop(thread_id)

    def purge(self, before: datetime) -> None:
        self.away.clear()

    def history(self, thread_id: str, limit: int, after: str | None = None) -> list[Turn]:
        return self.turns.get(thread_id, [])[-limit:]

    def _change(self, thread_id: str, **changes: Any) -> None:
        self.kept[thread_id] = replace(self.get(thread_id), **changes)


class FakeRunLog:
    """Runs and events in order; safe to use from several threads."""

    def __init__(self, failure: Exception | None = None, now: datetime = NOW) -> None:
        self.kept: dict[str, Run] = {}
        self.logged: dict[str, list[Event]] = {}
        self.requests: dict[str, RunRequest] = {}
        self.consents: dict[str, str] = {}
        self.stops: set[str] = set()
        """Runs that are to stop."""
        self.appends: list[int] = []
        """How many events each append brought."""
        self.failure = failure
        self.threads: FakeThreads | None = None
        """Whose branches it knows."""
        self.reads = 0
        """How often events were asked for."""
        self._now = now
        self._lock = threading.Lock()

    def start(self, request: RunRequest, thread_id: str, engine: str, process: str = "") -> Run:
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
                parent_id=self._parent(thread_id, request.after),
                options=request.options,
                purpose=request.purpose,
                process=process,
            )
            self.requests[run.id] = replace(request, thread_id=thread_id, after=run.parent_id)
            if self.threads and thread_id in self.threads.kept:
                self.threads.show(thread_id, run.id)
            self.kept[run.id], self.logged[run.id] = run, []
            return run

    def begin(self, request: RunRequest, title: str, engine: str, process: str = "") -> Run:
        base, workflow, purpose = request.base_id, request.workflow, request.purpose
        thread_id = self.threads.create(title, base, workflow, purpose).id if self.threads else f"t{len(self.kept) + 1}"
        return self.start(replace(request, after=""), thread_id, engine, process)

    def _parent(self, thread_id: str, after: str | None) -> str:
        if after is not None:
            return after
        return self.threads.kept[thread_id].leaf_id if self.threads and thread_id in self.threads.kept else ""

    def append(self, run_id: str, events: Sequence[Event], process: str = "") -> int:
        with self._lock:
            if self.failure:
                raise self.failure
            if run_id not in self.logged or self._is_lost(run_id, process):
                raise NotFoundError("error.run_missing")
            self.logged[run_id] += events
            self.appends.append(len(events))
            return len(self.logged[run_id])

    def events(self, run_id: str, after: int) -> list[tuple[int, Event]]:
        with self._lock:
            self.reads += 1
            return list(enumerate(self.logged.get(run_id, ()), start=1))[after:]

    def finish(self, run: Run, process: str = "", events: Sequence[Event] = ()) -> None:
        with self._lock:
            if self.failure:
                raise self.failure
            if run.id not in self.kept or self._is_lost(run.id, process):
                raise NotFoundError("error.run_missing")
            self.kept[run.id] = run
            if events:
                self.logged[run.id] += events
                self.appends.append(len(events))

    def get(self, run_id: str) -> Run:
        with self._lock:
            if run_id not in self.kept:
                raise NotFoundError("error.run_missing")
            return self.kept[run_id]

    def of_thread(self, thread_id: str) -> list[Run]:
        return [run for run in self.kept.values() if run.thread_id == thread_id]

    def running(self) -> list[Run]:
        return [run for run in self.kept.values() if run.status is RunStatus.RUNNING]

    def request_stop(self, run_id: str) -> bool:
        under_way = run_id in {run.id for run in self.running()}
        self.stops |= {run_id} if under_way else set()
        return under_way

    def send_consent(self, run_id: str, consent: str) -> bool:
        if run_id in self.consents or run_id not in {run.id for run in self.running()}:
            return False
        self.consents[run_id] = consent
        return True

    def commands(self, process: str) -> list[RunCommand]:
        told = [run.id for run in self.running() if run.process == process and run.id in {*self.stops, *self.consents}]
        return [RunCommand(id, id in self.stops, self.consents.get(id, "")) for id in told]

    def asked(self, run: Run) -> RunRequest | None:
        return None if run.id in self.stops else self.requests[run.id]

    def take_over(self, run: Run, process: str) -> bool:
        with self._lock:
            self.kept[run.id] = replace(self.kept[run.id], process=process)
            self.consents.pop(run.id, None)
            return True

    def _is_lost(self, run_id: str, process: str) -> bool:
        return bool(process) and self.kept[run_id].process != process


@dataclass
class FakeFeedback:
    log: FakeRunLog
    given: dict[str, Feedback] = field(default_factory=dict)

    def give(self, given: Feedback) -> None:
        self.log.get(given.run_id)
        self.given[given.run_id] = given

    def withdraw(self, run_id: str) -> None:
        self.given.pop(run_id, None)

    def of_thread(self, thread_id: str) -> dict[str, Feedback]:
        return {name: one for name, one in self.given.items() if self.log.get(name).thread_id == thread_id}


@dataclass
class FakePreferences:
    kept: dict[str, object] = field(default_factory=dict)

    def all(self) -> dict[str, object]:
        return dict(self.kept)

    def keep(self, name: str, value: object) -> None:
        self.kept[name] = value


@dataclass
class FakeQuestions:
    nearest: list[tuple[str, float]] = field(default_factory=list)

    def near(self, query: str, limit: int) -> list[tuple[str, float]]:
        return self.nearest[:limit]


@dataclass
class FakeRunLists:
    """Narrows by the words of the question, the ending, the purpose and the age."""

    log: FakeRunLog
    feedback: "FakeFeedback"

    def find(self, wanted: RunFilter, limit: int, offset: int = 0) -> list[RunLine]:
        return list(self.lines(wanted))[offset : offset + limit]

    def lines(self, wanted: RunFilter) -> Iterator[RunLine]:
        runs = (run for run in reversed(self.log.kept.values()) if wanted.base_id in ("", run.base_id))
        found = (line for run in runs if _fits(line := _line_of(run), wanted))
        return (line for line in found if wanted.verdict in ("", self._verdict(line.id)))

    def _verdict(self, run_id: str) -> str:
        given = self.feedback.given.get(run_id)
        return given.verdict.value if given else "none"

    def count(self, wanted: RunFilter) -> int:
        return len(list(self.lines(wanted)))

    def engines(self) -> list[str]:
        return sorted({run.engine for run in self.log.kept.values()})

    def sums(self, wanted: RunFilter, span: TimeSpan) -> list[RunSum]:
        form = "%Y-%m-%d %H" if span is TimeSpan.HOUR else "%Y-%m-%d"
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
    probable = run.outcome == AnswerOutcome.ANSWERED and run.answer.startswith(probable_beginnings())
    return RunLine(run.id, run.thread_id, run.question, *facts, run.degraded, run.purpose, probable)


def _fits(line: RunLine, wanted: RunFilter) -> bool:
    return (
        wanted.question.lower() in line.question.lower()
        and wanted.ending in ("", PROBABLE if line.is_probable else line.ending)
        and wanted.purpose in (None, line.purpose)
        and (wanted.since is None or line.started_at >= wanted.since)
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
