"""Runs left unfinished by a dead process: another one answers them, or they end as interrupted."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from core.domain.clock import utc_now
from core.domain.events import RunFailed, RunStarted
from core.domain.people import Person, acting_as
from core.domain.runs import Run, RunRequest
from core.errors import AppError, ServiceError
from core.ports.processes import Lease
from core.ports.runs import RunLog
from core.runs.view import INTERRUPTED, apply, as_ended, fold

_LOG = logging.getLogger(__name__)
Asker = Callable[[Run], Person | None]
OWNERLESS = timedelta(seconds=10)
"""How long a run may lack its first event, which names its owner, where the run does not name it."""
FRESH = timedelta(minutes=15)
"""Who asked longer ago does not wait any more, and is not answered all of a sudden."""
MAX_BEGINNINGS = 3
"""A run that took so many processes with it is not begun again."""
_AWAY = ("storage.unavailable", "storage.busy", "retrieval.chroma_unreachable")
"""Failures that are over when a server is back."""


def may_pass(log: RunLog, run: Run, failure: RunFailed) -> bool:
    """Whether the run may succeed when it is begun again."""
    try:
        return failure.message in _AWAY and _beginnings(log, run) < MAX_BEGINNINGS
    except ServiceError:
        return True


def _beginnings(log: RunLog, run: Run) -> int:
    return sum(isinstance(event, RunStarted) for _, event in log.events(run.id, 0))


@dataclass(frozen=True, slots=True)
class Recovery:
    log: RunLog
    owner: Lease
    asker: Asker | None
    """None where no run is taken over."""
    begin: Callable[[Run, RunRequest], None]
    """Answers it here, for the person who acts. Raises AppError."""

    def settle(self, gone: Callable[[str, str], bool]) -> list[str]:
        """Ids of the runs found: of all processes where this one leads, of its own otherwise.

        `gone` says of a run and its owner that nobody works on it.
        """
        leads = self.owner.leads()
        under_way = [run for run in self.log.running() if leads or run.process == self.owner.id]
        left = [run for run in under_way if self._is_left(run, gone)]
        for run in left:
            self._settle(run)
        if leads:
            self.owner.tidy()
        return [run.id for run in left]

    def _settle(self, run: Run) -> None:
        """From now on its own process is refused, should it live after all."""
        person = self.asker(run) if self.asker else None
        request = self._request(run) if person else None
        if not self.log.take_over(run, self.owner.id):
            return
        mine = replace(run, process=self.owner.id)
        if person is None or request is None:
            self._interrupt(mine)
            return
        _LOG.info("going on with a run of %s", run.process)
        try:
            with acting_as(person):
                self.begin(mine, request)
        except AppError as error:
            _LOG.warning("a run cannot be answered again: %s", error)
            self._interrupt(mine)

    def _request(self, run: Run) -> RunRequest | None:
        """To be answered from its beginning; None where nobody waits or it did harm too often."""
        if _beginnings(self.log, run) >= MAX_BEGINNINGS or abs(utc_now() - run.started_at) > FRESH:
            return None
        return self.log.asked(run)

    def _interrupt(self, run: Run) -> None:
        """Stored as interrupted with the text so far; followers are notified."""
        end = RunFailed(INTERRUPTED)
        ended = as_ended(run, apply(fold(event for _, event in self.log.events(run.id, 0)), end))
        self.log.finish(ended)
        self.log.append(run.id, [end])

    def _is_left(self, run: Run, gone: Callable[[str, str], bool]) -> bool:
        owner = run.process or self._named_owner(run)
        if not owner:
            return abs(utc_now() - run.started_at) >= OWNERLESS  # the clock may have been set back since
        return gone(run.id, owner)

    def _named_owner(self, run: Run) -> str:
        """Of a run begun before runs named their process."""
        events = self.log.events(run.id, 0)
        return next((event.owner for _, event in events if isinstance(event, RunStarted)), "")
