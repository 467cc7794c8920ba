"""The ingestion process: `python -m core.ingest.worker --data DIR`. It ends when the process that started it ends."""

import argparse
import logging
import os
import signal
import sys
import threading
from collections.abc import Sequence
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import FrameType

from core.errors import ServiceError
from core.ingest.dispatch import Dispatcher
from core.ingest.lock import OCCUPIED, FolderLock
from core.ingest.pipeline import Pipeline
from core.ingest.spool import SpoolQueue
from core.ingest.stages import Tools
from core.ports import IngestEngine

_LOG = logging.getLogger("graphtalk.ingest")
_TURN_SECONDS = 0.3
_LOG_BYTES = 5_000_000


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    stop = threading.Event()
    _watch_parent(stop)
    _lower_priority()
    lock = FolderLock(options.data / "worker.lock")
    if not lock.acquire():
        return OCCUPIED
    _log_to(options.data / "logs" / "worker.log")
    from core.bootstrap import Services
    from core.settings import load_settings

    with Services(load_settings(options.data)) as services:
        serve(services.ingest_tools, services.ingest_engine, options.data, stop)
    return 0


def serve(tools: Tools, engine: IngestEngine, data: Path, stop: threading.Event) -> None:
    """Until stop is set. A stage that is under way is left where it is; the next process takes it up."""
    work = data / "work"
    dispatcher = Dispatcher(tools.library, SpoolQueue(data / "spool", tools.library), engine, work)
    dispatcher.sweep()
    pipeline = Pipeline(tools, work)
    engine.start(pipeline)
    dispatcher.recover()
    _LOG.info("ready, process %d", os.getpid())
    while not stop.wait(_TURN_SECONDS):
        try:
            dispatcher.turn()
        except ServiceError as error:  # the database is busy or away; the next turn asks again
            _LOG.warning("%s", error)
    pipeline.leave()
    _LOG.info("stopping")


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m core.ingest.worker", description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    return parser.parse_args(arguments)


def _watch_parent(stop: threading.Event) -> None:
    """Standard input is a pipe from the parent that nothing is ever written to: its end is the parent's end."""

    def ask(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    def watch() -> None:
        sys.stdin.buffer.read()
        stop.set()

    signal.signal(signal.SIGTERM, ask)
    signal.signal(signal.SIGINT, ask)
    if not sys.stdin.isatty():
        threading.Thread(target=watch, name="parent watch", daemon=True).start()


def _lower_priority() -> None:
    """The page comes first."""
    if sys.platform != "win32":
        os.nice(5)


def _log_to(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = RotatingFileHandler(path, maxBytes=_LOG_BYTES, backupCount=2, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    _LOG.setLevel(logging.INFO)
    logging.getLogger("core.ingest").setLevel(logging.INFO)


if __name__ == "__main__":
    status = main(sys.argv[1:])
    logging.shutdown()
    os._exit(status)  # threads of a stage that is under way end with the process
