"""Writes a run's events to the log in batches of a few milliseconds, without holding up the run."""

import threading
import time
from collections.abc import Iterable
from concurrent.futures import Executor, Future

from core.domain.events import AnswerDelta, Event
from core.domain.runs import Run
from core.ports import RunLog
from core.runs.view import RunView, apply

INTERVAL_SECONDS = 0.04
"""Between two writes: at most 25 a second, so that a page has little to repaint."""


class Bell:
    """Rung whenever something was written; followers wait for it."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._rung = 0

    def ring(self) -> None:
        with self._condition:
            self._rung += 1
            self._condition.notify_all()

    @property
    def rung(self) -> int:
        return self._rung

    def wait(self, since: int, seconds: float) -> None:
        """Returns when it was rung after `since`, or after so many seconds."""
        with self._condition:
            self._condition.wait_for(lambda: self._rung > since, timeout=seconds)


class RunWriter:
    """The way out for one run's events. `view` is the run as it would look if all of them were written."""

    def __init__(self, run: Run, log: RunLog, bell: Bell, executor: Executor) -> None:
        self.run = run
        self.view = RunView()
        self._log = log
        self._bell = bell
        self._executor = executor
        self._lock = threading.Lock()
        self._pending: list[Event] = []
        self._urgent = threading.Event()
        self._written_at = float("-inf")
        self._job: Future[None] | None = None
        self._writing = False
        self._closed = False

    def emit(self, event: Event) -> None:
        """Events after the end are dropped. Raises what the log raised when it could not store earlier ones."""
        with self._lock:
            if self._closed:
                return
            if self._job is not None and self._job.done():
                self._job.result()
            first_words = isinstance(event, AnswerDelta) and not self.view.answer
            self.view = apply(self.view, event)
            self._pending.append(event)
            if first_words:
                self._urgent.set()
            if not self._writing:
                self._writing = True
                self._job = self._executor.submit(self._write)

    def end(self, run: Run, event: Event) -> None:
        """Writes what is pending, stores the run as it ended, then its last event. Raises what the log raised."""
        with self._lock:
            self._closed = True
            self.view = apply(self.view, event)
            job = self._job
        self._urgent.set()
        if job is not None:
            job.result()
        self._log.finish(run)
        self._log.append(run.id, [event])
        self._bell.ring()

    def _write(self) -> None:
        """Writes until nothing is pending; waits between writes unless something urgent came."""
        while batch := self._next_batch():
            self._log.append(self.run.id, coalesced(batch))
            self._written_at = time.monotonic()
            self._bell.ring()

    def _next_batch(self) -> list[Event]:
        self._urgent.wait(max(0.0, self._written_at + INTERVAL_SECONDS - time.monotonic()))
        with self._lock:
            batch, self._pending = self._pending, []
            self._writing = bool(batch)
            if not self._closed:
                self._urgent.clear()
        return batch


def coalesced(events: Iterable[Event]) -> list[Event]:
    """Neighbouring pieces of the answer joined into one."""
    joined: list[Event] = []
    for event in events:
        last = joined[-1] if joined else None
        if isinstance(event, AnswerDelta) and isinstance(last, AnswerDelta):
            joined[-1] = AnswerDelta(last.text + event.text)
        else:
            joined.append(event)
    return joined
