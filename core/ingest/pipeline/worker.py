"""The work of the ingestion process: what is queued goes through the stages until the process is to end."""

import logging
import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from core.disk import check_space
from core.errors import DamagedError, OutOfSpaceError, ServiceError
from core.ingest.pipeline.dispatch import Dispatcher
from core.ingest.pipeline.fault import tell
from core.ingest.pipeline.pipeline import Pipeline
from core.ingest.pipeline.spool import SpoolQueue
from core.ingest.pipeline.stages.job import StageDeps
from core.ingest.pipeline.vector_builder import VectorBuilder
from core.ports.ingestion import IngestEngine
from core.resident_memory import resident_megabytes

_LOG = logging.getLogger("graphtalk.ingest")
_TURN_SECONDS = 0.3
_PRIORITY = 5
_MOST_MEGABYTES = 800
"""Libraries keep a little of every document; a process of this size ends between two stages and makes room."""
_LEAST_SECONDS = 60.0


def serve(deps: StageDeps, engine: IngestEngine, data: Path, stop: threading.Event) -> bool:
    """Until stop is set, or until the process has grown too large: then True, and another one is to go on.

    A stage that is under way is left where it is; the next process takes it up.

    Raises OutOfSpaceError and DamagedError: only another start can go on from there.
    """
    work = data / "work"
    queue = SpoolQueue(data / "spool", deps.records)
    dispatcher = Dispatcher(deps.bases, deps.documents, deps.records, queue, engine, work)
    dispatcher.sweep()
    pipeline = Pipeline(deps, work)
    engine.start(pipeline)
    dispatcher.recover()
    builder = VectorBuilder(deps.bases, deps.documents, deps.chunk_index)
    threading.Thread(target=builder.serve, args=(stop, pipeline.spare_slot), name="vectors", daemon=True).start()
    _lower_priority()
    tell(None)
    began = time.monotonic()
    _LOG.info("ready, process %d", os.getpid())
    try:
        while not stop.wait(_TURN_SECONDS):
            _turn(dispatcher)
            check_space(data)
            if pipeline.fault:
                raise pipeline.fault
            if _has_grown(began) and pipeline.pause(stop):
                return True
        return False
    finally:
        stop.set()
        pipeline.leave()
        _LOG.info("stopping")


def _has_grown(began: float) -> bool:
    """Not at once, or a process that needs as much from the start would be replaced for ever."""
    return time.monotonic() - began > _LEAST_SECONDS and resident_megabytes() > _MOST_MEGABYTES


def _lower_priority() -> None:
    """The page comes first; not before the process is ready, or a busy machine would keep it from ever being so.

    Linux has a priority for each thread; one that is begun later has that of the thread that began it.
    """
    if sys.platform == "linux":
        for thread in threading.enumerate():
            with suppress(ProcessLookupError):  # it has ended meanwhile
                os.setpriority(os.PRIO_PROCESS, thread.native_id or 0, _PRIORITY)
    elif sys.platform != "win32":
        os.nice(_PRIORITY)


def _turn(dispatcher: Dispatcher) -> None:
    try:
        dispatcher.turn()
    except (OutOfSpaceError, DamagedError):
        raise
    except ServiceError as error:  # the database is busy or away; the next turn asks again
        _LOG.warning("%s", error)
