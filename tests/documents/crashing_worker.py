"""The ingestion process, `... --data DIR`, with a parser that aborts it at a file that says "crash"."""

import os
import sys
import threading
from pathlib import Path

from core.documents.pipeline.dbos_engine import DbosEngine
from core.documents.pipeline.dispatch import ATTEMPTS
from core.documents.pipeline.worker import serve
from core.documents.ports.parsing import Parsed, Progress
from core.models.meter import Cancel
from core.platform.files.file_lock import try_lock
from tests.fakes.ingestion import tools_of
from tests.fakes.parsing import NotingParser


class CrashingParser(NotingParser):
    def parse(self, path: Path, name: str, media_type: str, cancel: Cancel, progress: Progress) -> Parsed:
        parsed = super().parse(path, name, media_type, cancel, progress)
        if "crash" in path.read_text():
            os.abort()
        return parsed


def main(data: Path) -> None:
    lock = try_lock(data / "worker.lock")
    assert lock is not None
    stop = threading.Event()

    def watch_parent() -> None:
        sys.stdin.read()
        stop.set()

    threading.Thread(target=watch_parent, daemon=True).start()
    engine = DbosEngine(f"sqlite:///{data / 'dbos.sqlite'}", concurrency=8, attempts=ATTEMPTS)
    serve(tools_of(data, CrashingParser(data / "reading.log")), engine, data, stop)


if __name__ == "__main__":
    main(Path(sys.argv[2]))
    os._exit(0)
