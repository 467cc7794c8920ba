"""Writes the events of a run to the log in batches without blocking the run, and notifies listeners at once."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from contextlib import suppress
from functools import reduce

from core.platform.identity import on_behalf
from core.runs.events import AnswerDelta, AnswerReset, Event, ModelProgress
from core.runs.history.view import RunView, apply
from core.runs.model import Run
from core.runs.ports import RunLog

FIRST_SECONDS = 0.1
"""Delay of the first write; a shorter run is written as a whole with its end."""
INTERVAL_SECONDS = 0.2
"""Seconds between two writes; listeners in this process do not wait for them."""
ANSWER_SECONDS = 0.25
"""Seconds between two writes if only the answer grew; followers in this process do not depend on it."""
Listener = Callable[[], None]


class ChangeSignal:
    """Signalled after every write; followers wait for it."""

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
        """Returns when signalled after `since`, or after the given seconds."""
        with self._condition:
            self._condition.wait_for(lambda: self._rung > since, timeout=seconds)


class RunWriter:
    """The event output of one run."""

    def __init__(self, run: Run, log: RunLog, bell: ChangeSignal, executor: Executor) -> None:
        self.run = run
        self._log = log
        self._bell = bell
        self._executor = executor
        self._lock = threading.Lock()
        self._view = RunView()
        self._unseen: list[Event] = []
        """Events not yet in the view."""
        self._pending: list[Event] = []
        self._speaking = False
        self._listeners: tuple[Listener, ...] = ()
        self._urgent = threading.Event()
        self._more = threading.Event()
        """Set if other events than answer text wait to be written."""
        self._next_write_at = time.monotonic() + FIRST_SECONDS
        self._answer_write_at = self._next_write_at
        self._job: Future[None] | None = None
        self._writing = False
        self._closed = False
        self.written: list[Event] = []
        """All events that this writer has stored, for followers in this process."""

    @property
    def view(self) -> RunView:
        """The run as it would look with all events written."""
        with self._lock:
            return self._seen()

    def listen(self, listener: Listener) -> None:
        """The listener runs in the emitting thread and must not block."""
        with self._lock:
            self._listeners = (*self._listeners, listener)

    def unlisten(self, listener: Listener) -> None:
        with self._lock:
            self._listeners = tuple(one for one in self._listeners if one is not listener)

    def emit(self, event: Event) -> None:
        """Drops events after the end. Raises what the log raised if it could not store earlier ones."""
        with self._lock:
            if self._closed:
                return
            if self._job is not None and self._job.done():
                self._job.result()
            self._unseen.append(event)
            self._pending.append(event)
            self._schedule(event)
            if not self._writing:
                self._writing = True
                self._job = self._executor.submit(on_behalf(self._write))
        self._notify()

    def end(self, run: Run, event: Event) -> None:
        """Stores the finished run with what is pending and its last event. Raises what the log raised."""
        with self._lock:
            self._closed = True
            self._unseen.append(event)
            job = self._job
            left, self._pending = self._pending, []
        self._urgent.set()
        self._more.set()
        if job is not None:
            job.result()
        last = [*coalesced(left), event]
        self._log.finish(run, self.run.process, last)
        self.written.extend(last)
        self._bell.ring()
        self._notify()

    def store(self) -> None:
        """Returns when all events so far are in the log. Raises what the log raised."""
        with self._lock:
            job = self._job
        self._urgent.set()
        self._more.set()
        if job is not None:
            job.result()

    def leave(self) -> None:
        """Writes pending events and drops later ones; another process continues the run."""
        with self._lock:
            self._closed = True
        self.store()

    def _seen(self) -> RunView:
        if self._unseen:
            self._view = reduce(apply, coalesced(self._unseen), self._view)
            self._unseen.clear()
        return self._view

    def _schedule(self, event: Event) -> None:
        """The first words of an answer are written at once, further ones are batched."""
        first_words = isinstance(event, AnswerDelta) and not self._speaking
        if first_words:
            self._urgent.set()
        if first_words or not isinstance(event, AnswerDelta):
            self._more.set()
        self._speaking = isinstance(event, AnswerDelta) or (self._speaking and not isinstance(event, AnswerReset))

    def _notify(self) -> None:
        for listener in self._listeners:
            listener()

    def _write(self) -> None:
        """Writes until nothing is pending; pauses between writes unless something urgent arrived."""
        while batch := self._next_batch():
            events = coalesced(batch)
            self._log.append(self.run.id, events, self.run.process)
            self.written.extend(events)
            now = time.monotonic()
            self._next_write_at, self._answer_write_at = now + INTERVAL_SECONDS, now + ANSWER_SECONDS
            self._bell.ring()

    def _next_batch(self) -> list[Event]:
        self._urgent.wait(max(0.0, self._next_write_at - time.monotonic()))
        self._more.wait(max(0.0, self._answer_write_at - time.monotonic()))
        with self._lock:
            batch, self._pending = self._pending, []
            self._writing = bool(batch)
            if not self._closed:
                self._urgent.clear()
                self._more.clear()
        return batch


def coalesced(events: Iterable[Event]) -> list[Event]:
    """Joins adjacent pieces of the answer and keeps the last of adjacent progress events."""
    joined: list[Event] = []
    for event in events:
        last = joined[-1] if joined else None
        if isinstance(event, AnswerDelta) and isinstance(last, AnswerDelta):
            joined[-1] = AnswerDelta(last.text + event.text)
        elif isinstance(event, ModelProgress) and isinstance(last, ModelProgress):
            joined[-1] = event
        else:
            joined.append(event)
    return joined


class AsyncSignal:
    """An event of the running loop that threads can set; set once until it is taken."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._is_set = False
        self._event = asyncio.Event()

    def tell(self) -> None:
        """Sets the event; may be called in any thread."""
        if not self._is_set:
            self._is_set = True
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._event.set)

    def take(self) -> None:
        self._is_set = False
        self._event.clear()

    async def wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()
