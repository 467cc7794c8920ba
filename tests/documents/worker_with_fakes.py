"""The ingestion process with slow doubles for parser, extractor and indexes."""

import threading
import time
from datetime import datetime, tzinfo
from pathlib import Path

from core.documents.pipeline import dbos_engine
from core.documents.pipeline.dbos_engine import DbosEngine
from core.documents.pipeline.dispatch import ATTEMPTS
from core.documents.pipeline.worker import serve
from core.platform import clock
from core.platform.files.file_lock import try_lock
from tests.fakes.extraction import FakeExtractor
from tests.fakes.ingestion import FakeIndex, tools_of
from tests.fakes.parsing import NotingParser


def main(data: Path, seconds: float, version: str = dbos_engine._VERSION) -> None:
    """seconds: of a step; version: of the workflow, for a release before this one.

    The file `clock` of the folder holds the seconds that the clock is ahead.
    """
    dbos_engine._VERSION = version

    def wait() -> None:
        (data / "steps.log").open("a").write("x")
        time.sleep(seconds)

    _set_clock(data / "clock")
    lock = try_lock(data / "worker.lock")
    assert lock is not None
    tools = tools_of(data, NotingParser(data / "reading.log", wait), FakeExtractor(wait), FakeIndex(wait))
    engine = DbosEngine(f"sqlite:///{data / 'dbos.sqlite'}", concurrency=1, attempts=ATTEMPTS)
    serve(tools, engine, data, threading.Event())


def _set_clock(ahead: Path) -> None:
    true = time.time

    def shifted() -> float:
        return true() + (float(ahead.read_text() or 0) if ahead.exists() else 0.0)

    class Shifted(datetime):
        @classmethod
        def now(cls, zone: tzinfo | None = None) -> "Shifted":
            return cls.fromtimestamp(shifted(), zone)

    time.time = shifted
    clock.datetime = Shifted  # type: ignore[attr-defined]
