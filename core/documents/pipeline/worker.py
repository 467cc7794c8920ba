"""Main loop of the ingestion process: runs queued documents through the stages."""

import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from core.documents.pipeline.dispatch import Dispatcher
from core.documents.pipeline.pipeline import Pipeline
from core.documents.pipeline.spool import SpoolQueue
from core.documents.pipeline.stage_notes import StageNotes
from core.documents.pipeline.stages.job import StageDeps
from core.documents.pipeline.supervisor import report
from core.documents.pipeline.vector_builder import VectorBuilder
from core.documents.ports.ingestion import IngestEngine, SubmittedDocuments
from core.platform.errors import CancelledError, DamagedError, OutOfSpaceError, ServiceError
from core.platform.files.disk import check_space
from core.platform.processes.ports import WorkerLease
from core.platform.processes.process_tuning import resident_megabytes

_LOG = logging.getLogger("graphtalk.ingest")
_TURN_SECONDS = 0.3
_LEADING_SECONDS = 2.0
_PRIORITY = 5
_MOST_MEGABYTES = 800
"""Libraries leak a little per document; a larger process exits between two stages and is restarted."""
_LEAST_SECONDS = 60.0
_LOOK_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Shared:
    """Queue and lease of a worker that shares the work with others."""

    queue: SubmittedDocuments
    lease: WorkerLease


def serve(
    deps: StageDeps, engine: IngestEngine, data: Path, stop: threading.Event, shared: Shared | None = None
) -> bool:
    """Runs until stop is set; returns True if the process has grown too large and should be restarted.

    A running stage is abandoned; the next process resumes it.

    Raises OutOfSpaceError and DamagedError, which only a restart can resolve.
    """
    work = data / "work"
    queue = shared.queue if shared else SpoolQueue(data / "spool", deps.records)
    dispatcher = Dispatcher(deps.bases, deps.documents, deps.records, queue, engine, work)
    StageNotes(work).settle()
    dispatcher.sweep()
    pipeline = Pipeline(deps, work, queue.cancelling)
    if not shared:
        dispatcher.goes_along = pipeline.goes_along
    engine.start(pipeline)
    dispatcher.recover()
    builder = VectorBuilder(deps.bases, deps.documents, deps.chunk_index)
    room = partial(_alone, pipeline, shared.lease, stop) if shared else pipeline.slots.spare
    threading.Thread(target=builder.serve, args=(stop, room), name="vectors", daemon=True).start()
    recovery = OrphanRecovery(shared.lease, engine, dispatcher) if shared else None
    _lower_priority()
    report(None)
    began = time.monotonic()
    _LOG.info("ready, process %d", os.getpid())
    try:
        while not stop.wait(_TURN_SECONDS):
            _turn(dispatcher, recovery)
            check_space(data)
            if pipeline.fault:
                raise pipeline.fault
            if shared and shared.lease.is_lost:
                raise ServiceError("ingest.error.lease_lost")
            if _has_grown(began) and pipeline.slots.pause(stop):
                return True
        return False
    finally:
        stop.set()
        _LOG.info("stopping")


class OrphanRecovery:
    """Hands the documents of dead ingestion processes to living ones, where several workers share a queue."""

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
        """Processes with work but no lease: taken for dead, they took another document before they noticed."""
        if time.monotonic() - self._looked < _LOOK_SECONDS or not self._lease.leads():
            return []
        self._looked = time.monotonic()
        return [each for each in self._engine.executors() if each != self._lease.id and self._lease.has_died(each)]


@contextmanager
def _alone(pipeline: Pipeline, lease: WorkerLease, stop: threading.Event) -> Iterator[None]:
    """A slot for making vectors, which the leading worker does for all; the others wait. Raises CancelledError."""
    while not lease.leads():
        if stop.wait(_LEADING_SECONDS):
            raise CancelledError("error.cancelled")
    with pipeline.slots.spare():
        yield


def _has_grown(began: float) -> bool:
    """Ignores the first minutes, or a process that needs this much from the start would restart for ever."""
    return time.monotonic() - began > _LEAST_SECONDS and resident_megabytes() > _MOST_MEGABYTES


def _lower_priority() -> None:
    """Gives the pages priority; called once the process is ready, or a busy machine might never let it start.

    Linux has a priority per thread; a new thread inherits it.
    """
    if sys.platform == "linux":
        for thread in threading.enumerate():
            with suppress(ProcessLookupError):  # it has ended meanwhile
                os.setpriority(os.PRIO_PROCESS, thread.native_id or 0, _PRIORITY)
    elif sys.platform != "win32":
        os.nice(_PRIORITY)


def _turn(dispatcher: Dispatcher, recovery: OrphanRecovery | None) -> None:
    try:
        dispatcher.turn()
        if recovery:
            recovery.turn()
    except (OutOfSpaceError, DamagedError):
        raise
    except ServiceError as error:  # the database is busy or away; the next turn asks again
        _LOG.warning("%s", error)
