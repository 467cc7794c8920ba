"""Settles runs left unfinished by a dead process."""

from collections.abc import Callable
from datetime import timedelta

from core.domain.clock import utc_now
from core.domain.events import RunFailed, RunStarted
from core.domain.runs import Run
from core.ports.runs import RunLog
from core.runs.view import INTERRUPTED, apply, as_ended, fold

OWNERLESS = timedelta(seconds=10)
"""How long a run may lack its first event, which names its owner."""


def recover(log: RunLog, alive: Callable[[str, str], bool]) -> list[Run]:
    """The runs that are now interrupted. `alive` says whether a run and its owner are still active."""
    return [_interrupted(log, run) for run in log.running() if not _is_under_way(log, run, alive)]


def _is_under_way(log: RunLog, run: Run, alive: Callable[[str, str], bool]) -> bool:
    owner = next((event.owner for _, event in log.events(run.id, 0) if isinstance(event, RunStarted)), "")
    if not owner:
        return abs(utc_now() - run.started_at) < OWNERLESS  # the clock may have been set back since
    return alive(run.id, owner)


def _interrupted(log: RunLog, run: Run) -> Run:
    """Stored as interrupted with the text so far; followers are notified."""
    end = RunFailed(INTERRUPTED)
    ended = as_ended(run, apply(fold(event for _, event in log.events(run.id, 0)), end))
    log.finish(ended)
    log.append(run.id, [end])
    return ended
