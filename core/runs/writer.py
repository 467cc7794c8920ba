"""Writes a run's events to the log in batches, without holding up the run, and tells at once who listens here."""

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from functools import reduce

from core.domain.events import AnswerDelta, AnswerReset, Event
from core.domain.runs import Run
from core.ports import RunLog
from core.runs.view import RunView, apply

INTERVAL_SECONDS = 0.04
"""Between two writes."""
ANSWER_SECONDS = 0.25
"""Between two writes of nothing but more of the answer; who follows it in this process does not wait for them."""
Heard = Callable[[], None]


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
    """The way out for one run's events."""

    def __init__(self, run: Run, log: RunLog, bell: Bell, executor: Executor) -> None:
        self.run = run
        self._log = log
        self._bell = bell
        self._executor = executor
        self._lock = threading.Lock()
        self._view = RunView()
        self._unseen: list[Event] = []
        """Not in the view yet."""
        self._pending: list[Event] = []
        self._speaking = False
        self._listeners: tuple[Heard, ...] = ()
        self._urgent = threading.Event()
        self._more = threading.Event()
        """Something else than more of the answer waits to be written."""
        self._written_at = float("-inf")
        self._job: Future[None] | None = None
        self._writing = False
        self._closed = False

    @property
    def view(self) -> RunView:
        """The run as it would look if all events were written."""
        with self._lock:
            return self._seen()

    def listen(self, heard: Heard) -> None:
        """heard is called with every event, in the thread that tells it: it must not wait for anything."""
        with self._lock:
            self._listeners = (*self._listeners, heard)

    def unlisten(self, heard: Heard) -> None:
        with self._lock:
            self._listeners = tuple(one for one in self._listeners if one is not heard)

    def emit(self, event: Event) -> None:
        """Events after the end are dropped. Raises what the log raised when it could not store earlier ones."""
        with self._lock:
            if self._closed:
                return
            if self._job is not None and self._job.done():
                self._job.result()
            self._unseen.append(event)
            self._pending.append(event)
            self._hurry(event)
            if not self._writing:
                self._writing = True
                self._job = self._executor.submit(self._write)
        self._tell()

    def end(self, run: Run, event: Event) -> None:
        """Writes what is pending, stores the run as it ended, then its last event. Raises what the log raised."""
        with self._lock:
            self._closed = True
            self._unseen.append(event)
            job = self._job
        self._urgent.set()
        self._more.set()
        if job is not None:
            job.result()
        self._log.finish(run)
        self._log.append(run.id, [event])
        self._bell.ring()
        self._tell()

    def _seen(self) -> RunView:
        if self._unseen:
            self._view = reduce(apply, coalesced(self._unseen), self._view)
            self._unseen.clear()
        return self._view

    def _hurry(self, event: Event) -> None:
        """The first words of an answer are written at once, further ones with patience."""
        first_words = isinstance(event, AnswerDelta) and not self._speaking
        if first_words:
            self._urgent.set()
        if first_words or not isinstance(event, AnswerDelta):
            self._more.set()
        self._speaking = isinstance(event, AnswerDelta) or (self._speaking and not isinstance(event, AnswerReset))

    def _tell(self) -> None:
        for heard in self._listeners:
            heard()

    def _write(self) -> None:
        """Writes until nothing is pending; waits between writes unless something urgent came."""
        while batch := self._next_batch():
            self._log.append(self.run.id, coalesced(batch))
            self._written_at = time.monotonic()
            self._bell.ring()

    def _next_batch(self) -> list[Event]:
        self._urgent.wait(max(0.0, self._written_at + INTERVAL_SECONDS - time.monotonic()))
        self._more.wait(max(0.0, self._written_at + ANSWER_SECONDS - time.monotonic()))
        with self._lock:
            batch, self._pending = self._pending, []
            self._writing = bool(batch)
            if not self._closed:
                self._urgent.clear()
                self._more.clear()
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
