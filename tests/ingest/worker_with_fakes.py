"""The ingestion process with slow doubles for parser, extractor and indexes: `... DATA SECONDS`, SECONDS a step."""

import sys
import threading
import time
from pathlib import Path

from core.adapters.dbos_engine import DbosEngine
from core.ingest.dispatch import ATTEMPTS
from core.ingest.lock import FolderLock
from core.ingest.worker import serve
from tests.ingest.doubles import FakeExtractor, FakeIndex, FakeParser, tools_of


def main(data: Path, seconds: float) -> None:
    def wait() -> None:
        (data / "steps.log").open("a").write("x")
        time.sleep(seconds)

    assert FolderLock(data / "worker.lock").acquire()
    tools = tools_of(data, FakeParser(wait), FakeExtractor(wait), FakeIndex(wait))
    engine = DbosEngine(f"sqlite:///{data / 'dbos.sqlite'}", concurrency=1, attempts=ATTEMPTS)
    serve(tools, engine, data, threading.Event())


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
