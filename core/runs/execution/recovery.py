"""Runs left unfinished by a dead process or an outage: answered again, or ended as interrupted."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from core.platform.clock import utc_now
from core.platform.errors import AppError, ServiceError
from core.platform.identity import SYSTEM, Person, acting_as
from core.platform.processes.ports import Lease
from core.runs.events import Event, RunFailed, RunStarted
from core.runs.execution.attachments import WAIT_LIMIT
from core.runs.history.model_failure import as_ended
from core.runs.history.view import INTERRUPTED, apply, fold
from core.runs.model import Run, RunRequest, Usage
from core.runs.ports import RunLog

_LOG = logging.getLogger(__name__)
Asker = Callable[[Run], Person | None]
Begin = Callable[[Run, RunRequest, Usage], None]
FRESH = timedelta(minutes=15)
"""Age after which nobody waits for an answer any more."""
MAX_PROCESSES = 5
"""Processes that may die with a run before it is not started again."""
OUTAGE_SECONDS = 180.0
"""Outage of a server after which a run fails."""
_BETWEEN_OUTAGES = 60.0
"""Seconds between two failures of a run from which they count as two outages."""
MAX_BEGINNINGS = 20
"""Starts of a run, for whatever reason."""
_PAUSES = (2.0, 4.0, 8.0, 16.0)
"""Seconds until the next start of a run after each failure of a server; the last one repeats."""
AGAIN_SECONDS = 5.0
"""Pause before runs that could not be stored are settled, and between two attempts."""
_TEMPORARY = ("storage.unavailable", "storage.busy", "retrieval.chroma_unreachable")
"""Failures that end with the outage of a server."""


@dataclass(frozen=True, slots=True)
class Successor:
    """What this process does with runs that another process left unfinished."""

    asker: Asker | None = None
    """For whom a run is answered; None for a person who is gone. Without it, runs that do not wait for files are ended
    as interrupted."""
    serves: bool = False
    """Begins runs that wait for attached files again; without it they are left to a process that does."""

    def begins(self, run: Run) -> bool:
        return self.asker is not None or (self.serves and bool(run.options.attached))

    def person(self, run: Run) -> Person | None:
        if self.asker:
            return self.asker(run)
        return SYSTEM if self.begins(run) else None


@dataclass(frozen=True, slots=True)
class _Outage:
    """Failures of a run for want of a server; times are of the monotonic clock."""

    failures: int
    first: float
    last: float

    @property
    def seconds(self) -> float:
        return self.last - self.first

    def lasts(self, now: float) -> bool:
        return now - self.last < _BETWEEN_OUTAGES

    def pauses(self, now: float) -> bool:
        """Whether the next start of the run is not due yet."""
        return now - self.last < _PAUSES[min(self.failures, len(_PAUSES)) - 1]


class Recovery:
    """Finds and settles unfinished runs for one process."""

    def __init__(self, log: RunLog, owner: Lease, successor: Successor, begin: Begin, has_room: Callable[[], bool]):
        """`begin` answers a run here, for the person who acts, after others have spent something on it; it raises
        AppError."""
        self._log = log
        self._owner = owner
        self._successor = successor
        self._begin = begin
        self._has_room = has_room
        self._settling = threading.Lock()
        """Keeps two threads from starting the same run."""
        self._noting = threading.Lock()
        self._outages: dict[str, _Outage] = {}
        """By run."""

    def may_pass(self, run: Run, failure: RunFailed) -> bool:
        """Whether the run may be started again later, because the outage of a server may end soon."""
        if self._successor.asker is None or failure.message not in _TEMPORARY or _is_stale(run):
            return False
        try:
            beginnings = sum(isinstance(event, RunStarted) for _, event in self._log.events(run.id, 0))
        except ServiceError:
            beginnings = 0
        outage = self._noted(run.id, time.monotonic())
        return outage.seconds <= OUTAGE_SECONDS and beginnings < MAX_BEGINNINGS

    def _noted(self, run_id: str, now: float) -> _Outage:
        with self._noting:
            self._outages = {id: outage for id, outage in self._outages.items() if outage.lasts(now)}
            before = self._outages.get(run_id, _Outage(0, now, now))
            self._outages[run_id] = _Outage(before.failures + 1, before.first, now)
            return self._outages[run_id]

    def settle(self, gone: Callable[[str, str], bool]) -> list[str]:
        """Ids of the runs found: of all processes where this one leads, of its own otherwise.

        `gone` says of a run and its owner that nobody works on it.
        """
        with self._settling:
            leads = self._owner.leads()
            under_way = [run for run in self._log.running() if leads or run.process == self._owner.id]
            left = [run for run in under_way if self._is_left(run, gone)]
            for run in left:
                self._settle(run)
            if leads:
                self._owner.tidy()
        return [run.id for run in left]

    def _settle(self, run: Run) -> None:
        """Takes the run over, so that events of its former process are refused."""
        if run.options.attached and not self._successor.begins(run):
            return
        events = [event for _, event in self._log.events(run.id, 0)]
        person = self._successor.person(run)
        request = self._request(run, events) if person else None
        if request and not self._has_room():
            return  # it waits for its turn
        if not self._log.take_over(run, self._owner.id):
            return
        mine = replace(run, process=self._owner.id)
        if person is None or request is None:
            self._interrupt(mine, events)
            return
        _LOG.info("going on with a run of %s", run.process)
        try:
            with acting_as(person):
                self._begin(mine, request, fold(events).usage)
        except ServiceError as error:
            _LOG.warning("a run is left until the next sign of life: %s", error)
        except AppError as error:
            _LOG.warning("a run cannot be answered again: %s", error)
            self._interrupt(mine, events)

    def _request(self, run: Run, events: Sequence[Event]) -> RunRequest | None:
        """The request to answer again; None if nobody waits, or the run failed too often."""
        begun = [event.owner for event in events if isinstance(event, RunStarted)]
        if len(begun) >= MAX_BEGINNINGS or len({*begun}) >= MAX_PROCESSES or _is_stale(run):
            return None
        return self._log.asked(run)

    def _interrupt(self, run: Run, events: Sequence[Event]) -> None:
        """Stored as interrupted with the text so far; followers are notified."""
        end = RunFailed(INTERRUPTED)
        self._log.finish(as_ended(run, apply(fold(events), end)), events=[end])

    def _is_left(self, run: Run, gone: Callable[[str, str], bool]) -> bool:
        if not run.process:  # stored by a version whose runs did not name it
            return True
        return gone(run.id, run.process) and not self._pauses(run.id)

    def _pauses(self, run_id: str) -> bool:
        with self._noting:
            outage = self._outages.get(run_id)
        return outage is not None and outage.pauses(time.monotonic())


class LaterSettling:
    """Settles runs of this process that the database could not store, as soon as it can; close() when done.

    Otherwise they would look as if they were under way until the next start.
    """

    def __init__(self, settle: Callable[[], object]) -> None:
        self._settle = settle
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._is_closed = False

    def begin(self) -> None:
        with self._lock:
            if self._timer or self._is_closed:
                return
            self._timer = threading.Timer(AGAIN_SECONDS, self._attempt)
            self._timer.daemon = True
            self._timer.start()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            if self._timer:
                self._timer.cancel()

    def _attempt(self) -> None:
        with self._lock:
            self._timer = None
        try:
            with acting_as(SYSTEM):
                self._settle()
        except AppError as error:
            _LOG.warning("runs that the database could not store are not settled yet: %s", error.key)
            self.begin()


def _is_stale(run: Run) -> bool:
    """Whether nobody waits for the answer any more."""
    return abs(utc_now() - run.started_at) > (FRESH + WAIT_LIMIT if run.options.attached else FRESH)
