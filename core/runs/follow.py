"""Follows a run's events from a cursor to its end, live or as replay, from any process."""

import time
from collections.abc import Callable, Iterator, Sequence

from core.domain.events import END_EVENTS, Event, RunStarted
from core.domain.runs import RunStatus
from core.errors import NotFoundError
from core.ports.runs import RunLog
from core.runs.writer import ChangeSignal

POLL_SECONDS = 0.25
PATIENCE_SECONDS = 300.0
"""Without a sign of life for this long, a run counts as dead."""
GRACE_SECONDS = 2.0
"""Allowed between the end of a run and its last event."""


def follow(
    run_log: RunLog,
    run_id: str,
    after: int = 0,
    poll_seconds: float = POLL_SECONDS,
    bell: ChangeSignal | None = None,
    alive: Callable[[str, str], bool] | None = None,
    written: Sequence[Event] | None = None,
) -> Iterator[tuple[int, Event]]:
    """(sequence number, event) after the given one; ends at a last event, or when none can come any more.

    bell is rung when something of this process is written; alive says of a run and its owner whether it is under way;
    written is all of the log while this process alone writes it, and grows with it.
    """
    last, owner, last_news = after, "", time.monotonic()
    while True:
        rung = bell.rung if bell else 0
        news = run_log.events(run_id, last) if written is None else [*enumerate(written[last:], last + 1)]
        for number, event in news:
            last, last_news = number, time.monotonic()
            owner = event.owner if isinstance(event, RunStarted) else owner
            yield number, event
            if isinstance(event, END_EVENTS):
                return
        silent = time.monotonic() - last_news
        if not news and (_is_over(run_log, run_id, silent) or (alive and owner and not alive(run_id, owner))):
            if not run_log.events(run_id, last):
                return
            written = None
            continue
        _wait(bell, rung, poll_seconds)


def _is_over(run_log: RunLog, run_id: str, silent_seconds: float) -> bool:
    """Nothing more can arrive: the run does not exist, ended without a last event, or has been silent for too long."""
    try:
        status = run_log.get(run_id).status
    except NotFoundError:
        return True
    return silent_seconds > (PATIENCE_SECONDS if status is RunStatus.RUNNING else GRACE_SECONDS)


def _wait(bell: ChangeSignal | None, rung: int, seconds: float) -> None:
    if bell:
        bell.wait(rung, seconds)
    else:
        time.sleep(seconds)
