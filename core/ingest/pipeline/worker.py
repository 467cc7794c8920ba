"""The work of the ingestion process: what is queued goes through the stages until the process is to end."""

import logging
import os
import threading
from pathlib import Path

from core.errors import ServiceError
from core.ingest.pipeline.dispatch import Dispatcher
from core.ingest.pipeline.pipeline import Pipeline
from core.ingest.pipeline.spool import SpoolQueue
from core.ingest.pipeline.stages.job import StageDeps
from core.ingest.pipeline.vector_builder import VectorBuilder
from core.ports.ingestion import IngestEngine

_LOG = logging.getLogger("graphtalk.ingest")
_TURN_SECONDS = 0.3


def serve(deps: StageDeps, engine: IngestEngine, data: Path, stop: threading.Event) -> None:
    """Until stop is set. A stage that is under way is left where it is; the next process takes it up."""
    work = data / "work"
    queue = SpoolQueue(data / "spool", deps.records)
    dispatcher = Dispatcher(deps.bases, deps.documents, deps.records, queue, engine, work)
    dispatcher.sweep()
    pipeline = Pipeline(deps, work)
    engine.start(pipeline)
    dispatcher.recover()
    builder = VectorBuilder(deps.bases, deps.documents, deps.chunk_index)
    threading.Thread(target=builder.serve, args=(stop, pipeline.spare_slot), name="vectors", daemon=True).start()
    _LOG.info("ready, process %d", os.getpid())
    while not stop.wait(_TURN_SECONDS):
        try:
            dispatcher.turn()
        except ServiceError as error:  # the database is busy or away; the next turn asks again
            _LOG.warning("%s", error)
    pipeline.leave()
    _LOG.info("stopping")
