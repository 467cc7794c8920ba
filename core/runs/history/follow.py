"""Follows a run's events from a cursor to its end, live or as replay, from any process."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from core.platform.errors import NotFoundError
from core.runs.events import END_EVENTS, Event, RunStarted
from core.runs.execution.writer import ChangeSignal
from core.runs.model import Run, RunStatus
from core.runs.ports import RunLog

IsAlive = Callable[[str, str], bool]
"""(run id, process) -> whether the run is active in the process."""
POLL_SECONDS = 0.25
SILENT_SECONDS = 300.0
"""Time without events after which a run counts as dead, unless its process is known to be alive."""
GRACE_SECONDS = 2.0
"""Allowed between the end of a run and its last event."""


class Followed(Protocol):
    """The part of a RunLog that following needs."""

    def events(self, run_id: str, after: int) -> list[tuple[int, Event]]: ...

    def get(self, run_id: str) -> Run: ...


class WrittenHere:
    """The log of a run that only this process writes, so that its events need not be read back."""

    def __init__(self, log: RunLog, run: Run, written: Sequence[Event], is_active: Callable[[], bool]) -> None:
        """run: as it began; written: all its events in the log, which grow until the run is no longer active."""
        self._log, self._run, self._written, self._is_active = log, run, written, is_active

    def get(self, run_id: str) -> Run:
        return self._run if self._is_active() else self._log.get(run_id)

    def events(self, run_id: str, after: int) -> list[tuple[int, Event]]:
        is_active = self._is_active()  # before reading, because it ends with its last event
        news = [*enumerate(self._written[after:], after + 1)]
        return news if news or is_active else self._log.events(run_id, after)


def follow(
    run_log: Followed,
    run_id: str,
    after: int = 0,
    poll_seconds: float = POLL_SECONDS,
    bell: ChangeSignal | None = None,
    alive: IsAlive | None = None,
) -> Iterator[tuple[int, Event]]:
    """(sequence number, event) after the given one; ends with the last event, or when no more can arrive.

    bell is rung when something of this process is written; alive: whether a run is active in its process.
    """
    last, owner, last_news = after, "", time.monotonic()
    while True:
        rung = bell.rung if bell else 0
        news = run_log.events(run_id, last)
        for number, event in news:
            last, last_news = number, time.monotonic()
            owner = event.owner if isinstance(event, RunStarted) else owner
            yield number, event
            if isinstance(event, END_EVENTS):
                return
        if not news and _is_over(run_log, run_id, owner, time.monotonic() - last_news, alive):
            if not run_log.events(run_id, last):
                return
            continue
        _wait(bell, rung, poll_seconds)


def _is_over(run_log: Followed, run_id: str, owner: str, silent_seconds: float, alive: IsAlive | None) -> bool:
    """Nothing more can arrive: the run does not exist, ended without a last event, is answered by nobody, or has been
    silent for too long where nobody knows whether it is answered.

    owner: the process that its first event names; a run whose events could not be written has none.
    """
    try:
        run = run_log.get(run_id)
    except NotFoundError:
        return True
    process, is_running = run.process or owner, run.status is RunStatus.RUNNING
    if alive and process:
        if not alive(run_id, process):
            return True
        if is_running:  # a model may take longer for its first word
            return False
    return silent_seconds > (SILENT_SECONDS if is_running else GRACE_SECONDS)


def _wait(bell: ChangeSignal | None, rung: int, seconds: float) -> None:
    if bell:
        bell.wait(rung, seconds)
    else:
        time.sleep(seconds)
