"""The ingestion process with slow doubles for parser, extractor and indexes: `... DATA SECONDS`, SECONDS a step.

A third argument is the version of the workflow, for a release before this one.
"""

import sys
import threading
import time
from pathlib import Path

from core.documents.pipeline import dbos_engine
from core.documents.pipeline.dbos_engine import DbosEngine
from core.documents.pipeline.dispatch import ATTEMPTS
from core.documents.pipeline.worker import serve
from core.platform.files.file_lock import try_lock
from tests.fakes.extraction import FakeExtractor
from tests.fakes.ingestion import FakeIndex, tools_of
from tests.fakes.parsing import NotingParser


def main(data: Path, seconds: float, version: str = dbos_engine._VERSION) -> None:
    dbos_engine._VERSION = version

    def wait() -> None:
        (data / "steps.log").open("a").write("x")
        time.sleep(seconds)

    lock = try_lock(data / "worker.lock")
    assert lock is not None
    tools = tools_of(data, NotingParser(data / "reading.log", wait), FakeExtractor(wait), FakeIndex(wait))
    engine = DbosEngine(f"sqlite:///{data / 'dbos.sqlite'}", concurrency=1, attempts=ATTEMPTS)
    serve(tools, engine, data, threading.Event())


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), *sys.argv[3:])
