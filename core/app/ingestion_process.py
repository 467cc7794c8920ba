"""The ingestion process: `python -m core.app.ingestion_process --data DIR`.

It ends with the process that started it.
"""

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
from typing import TYPE_CHECKING

from core.app.logs import Once, formatter
from core.documents.pipeline.stages.job import StageDeps
from core.documents.pipeline.supervisor import FAULTY, OCCUPIED, RECYCLED, report
from core.documents.pipeline.worker import Shared, serve
from core.platform.errors import AppError
from core.platform.files.disk import check_space, disk_errors
from core.platform.files.file_lock import try_lock
from core.platform.processes.process_tuning import give_way_soon
from core.platform.settings.settings import load_settings

if TYPE_CHECKING:
    from core.app.services import Services
    from core.platform.settings.settings import Settings

_LOG = logging.getLogger("graphtalk.ingest")
_LOG_BYTES = 5_000_000


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    stop = threading.Event()
    _watch_parent(stop)
    has_own_log = True
    try:
        settings = load_settings(options.data)
        has_own_log = not settings.is_shared
        with disk_errors(options.data):
            check_space(options.data)
            lock = None if settings.is_shared else try_lock(options.data / "worker.lock")
        if lock is None and not settings.is_shared:
            return OCCUPIED
        _log_to(options.data / "logs" / "worker.log" if has_own_log else None, settings)
        return RECYCLED if _serve(settings, stop) else 0
    except AppError as error:
        if has_own_log:  # else who started it says it beside the lines of this one
            _LOG.error("%s", error)
        report(error)
        return FAULTY


def _serve(settings: "Settings", stop: threading.Event) -> bool:
    from core.app.services import Services

    give_way_soon()
    with Services(settings) as services:
        ingestion = services.ingestion
        shared = Shared(ingestion.queue, ingestion.lease) if settings.is_shared else None
        return serve(stage_deps(services), ingestion.durable_engine, settings.data, stop, shared)


def stage_deps(services: "Services") -> StageDeps:
    from core.documents.pipeline.parse_cache import ParseCache
    from core.graph.linking.linking import link

    library = services.library
    return StageDeps(
        bases=library.bases,
        documents=library.documents,
        publications=library.publications,
        records=library.ingest_records,
        files=services.storage.files,
        engines=services.ingestion.engines,
        parses=ParseCache(services.settings.data / "cache" / "parsed"),
        chunk_index=services.search.chunk_index,
        lexical_index=services.search.lexical_index,
        link=link,
        replacing=services.lifecycle.replacing,
        shared=services.storage.blobs,
    )


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m core.app.ingestion_process", description=__doc__)
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


def _log_to(path: Path | None, settings: "Settings") -> None:
    """None: to standard error, because several workers may have the folder."""
    handler: logging.Handler = logging.StreamHandler()
    if path:
        with disk_errors(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(path, maxBytes=_LOG_BYTES, backupCount=2, encoding="utf-8")
    handler.setFormatter(formatter(settings.log_format))
    handler.addFilter(Once())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    _LOG.setLevel(logging.INFO)
    logging.getLogger("core.documents").setLevel(logging.INFO)


if __name__ == "__main__":
    status = main(sys.argv[1:])
    logging.shutdown()
    os._exit(status)  # threads of a stage that is under way end with the process
