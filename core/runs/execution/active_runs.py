"""The runs that this process answers now, and commands for them from other processes."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.platform.errors import AppError, RetryableServiceError
from core.platform.identity import SYSTEM, Person, acting, acting_as
from core.runs.execution.consent import ConsentReply
from core.runs.execution.writer import RunWriter
from core.runs.model import Run, RunCommand, RunRequest, Turn, Usage

if TYPE_CHECKING:
    from core.runs.fork.fork import TakenOver

_LOG = logging.getLogger(__name__)
LOOK_SECONDS = 1.0
SETTLING_SECONDS = 3.0
"""Longest wait for the end of a run whose answer is complete."""


@dataclass(slots=True)
class RunControl:
    """Input to a run from outside: stop() and the user's answer."""

    _set: threading.Event = field(default_factory=threading.Event)
    answer: ConsentReply = field(default_factory=ConsentReply)

    def set(self) -> None:
        self._set.set()

    def requested(self) -> bool:
        return self._set.is_set()

    def wait(self, seconds: float) -> bool:
        """Whether the run is stopped within the seconds."""
        return self._set.wait(seconds)


@dataclass(slots=True)
class ActiveRun:
    run: Run
    request: RunRequest
    history: tuple[Turn, ...]
    writer: RunWriter
    taken: TakenOver | None = None
    """Steps of the run that it continues."""
    spent: Usage = field(default_factory=Usage)
    """Usage by processes that answered it before."""
    is_first: bool = True
    """No process has written events of it before."""
    cancel: RunControl = field(default_factory=RunControl)
    started_at: float = field(default_factory=time.monotonic)
    ended: threading.Lock = field(default_factory=threading.Lock)
    """Acquired once, by the thread that ends the run."""
    person: Person | None = field(default_factory=acting)

    def is_settling(self, thread_id: str) -> bool:
        """Whether it is a run of the chat whose answer is complete."""
        return self.run.thread_id == thread_id and self.writer.view.is_ready


class ActiveRuns:
    def __init__(self) -> None:
        self._lock = threading.Condition()
        """Notified when there is room for another run, or one has ended."""
        self._runs: dict[str, ActiveRun] = {}
        self._coming = 0

    @contextmanager
    def coming(self, most: int, seconds: float) -> Iterator[None]:
        """Reserves room for a run that is stored as one of this process and then added.

        Waits while there are `most` runs. Raises RetryableServiceError if there are still as many after the seconds.
        """
        with self._lock:
            if not self._lock.wait_for(lambda: self._count_all() < most, seconds):
                raise RetryableServiceError("run.busy", count=self._count_all())
            self._coming += 1
        try:
            yield
        finally:
            with self._lock:
                self._coming -= 1
                self._lock.notify_all()

    def await_complete(self, thread_id: str) -> None:
        """Waits until runs of the chat whose answers are complete have ended, because the question may be about them.

        Only ended runs are part of the conversation, and a run looks for follow-up questions before it ends.
        """
        runs = self._runs.values()
        with self._lock:
            self._lock.wait_for(lambda: not any(one.is_settling(thread_id) for one in runs), SETTLING_SECONDS)

    def add(self, active: ActiveRun) -> None:
        with self._lock:
            self._runs[active.run.id] = active

    def forget(self, active: ActiveRun) -> None:
        with self._lock:
            if self._runs.get(active.run.id) is active:
                del self._runs[active.run.id]
                self._lock.notify_all()

    def all(self) -> list[ActiveRun]:
        with self._lock:
            return list(self._runs.values())

    def count(self) -> int:
        """Number of active runs and of those about to be added."""
        with self._lock:
            return self._count_all()

    def _count_all(self) -> int:
        return len(self._runs) + self._coming

    def has(self, run_id: str) -> bool:
        with self._lock:
            return run_id in self._runs

    def has_left(self, run_id: str) -> bool:
        """Whether a run that is stored as one of this process is certainly not active here."""
        with self._lock:
            return not self._coming and run_id not in self._runs

    def own(self, run_id: str) -> ActiveRun | None:
        """The run, if it belongs to the acting person."""
        with self._lock:
            active = self._runs.get(run_id)
        is_own = active is not None and acting() in (None, SYSTEM, active.person)
        return active if is_own else None


class CommandPoller:
    """Polls for commands while runs are active, in a thread that ends with the last of them."""

    def __init__(
        self,
        source: Callable[[], list[RunCommand]],
        carry_out: Callable[[RunCommand], object],
        count_active: Callable[[], int],
    ) -> None:
        self._source = source
        self._carry_out = carry_out
        self._count_active = count_active
        self._lock = threading.Lock()
        self._watching = False
        self._over = threading.Event()

    def begin(self) -> None:
        """Called with every run."""
        with self._lock:
            if self._watching or self._over.is_set():
                return
            self._watching = True
        threading.Thread(target=self._watch, name="run commands", daemon=True).start()

    def close(self) -> None:
        self._over.set()

    def _watch(self) -> None:
        while not self._over.wait(LOOK_SECONDS):
            with self._lock:
                self._watching = self._count_active() > 0
                if not self._watching:
                    return
            try:
                with acting_as(SYSTEM):
                    for command in self._source():
                        self._carry_out(command)
            except AppError as error:  # the database is unavailable; the next poll follows
                _LOG.warning("cannot look for commands to runs: %s", error)
