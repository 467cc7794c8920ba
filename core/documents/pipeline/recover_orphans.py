"""What ingestion processes had begun that are dead goes on in a living one."""

import logging
import time

from core.documents.pipeline.dispatch import Dispatcher
from core.documents.ports.ingestion import IngestEngine
from core.platform.processes.ports import WorkerLease

_LOG = logging.getLogger("graphtalk.ingest")
_LOOK_SECONDS = 5.0


class TakeOver:
    """Of one worker beside others."""

    def __init__(self, lease: WorkerLease, engine: IngestEngine, dispatcher: Dispatcher) -> None:
        self._lease = lease
        self._engine = engine
        self._dispatcher = dispatcher
        self._looked = float("-inf")

    def turn(self) -> None:
        """Called periodically."""
        dead = self._lease.dead()
        if gone := [*dead, *(each for each in self._strays() if each not in dead)]:
            _LOG.info("taking over from %s", ", ".join(gone))
            self._engine.take_over(gone)
            self._lease.forget(dead)
            self._dispatcher.recover()

    def _strays(self) -> list[str]:
        """Who has work, but no lease: taken for dead and forgotten, it took another document before it noticed."""
        if time.monotonic() - self._looked < _LOOK_SECONDS or not self._lease.leads():
            return []
        self._looked = time.monotonic()
        return [each for each in self._engine.executors() if each != self._lease.id and self._lease.has_died(each)]
