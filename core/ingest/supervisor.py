"""Keeps one ingestion process running for as long as the app or a command needs it."""

import logging
import subprocess
import sys
import threading
import time
from pathlib import Path

from core.ingest.lock import OCCUPIED

_LOG = logging.getLogger(__name__)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
_OCCUPIED_PAUSE = 2.0
_HEALTHY_SECONDS = 60.0
"""A process that lived so long gets a fresh start without a pause."""
_FAREWELL_SECONDS = 10.0


class Supervisor:
    """start() and stop() may be called more than once."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self.failures = 0
        """How often in a row the process ended soon after its start; the log says why."""

    @property
    def process_id(self) -> int | None:
        """Of the ingestion process, when one of ours is running."""
        process = self._process
        return process.pid if process and process.poll() is None else None

    def start(self) -> None:
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._stop.clear()
                self._thread = threading.Thread(target=self._keep, name="ingest supervisor", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        with self._lock:
            self._stop.set()
            thread, self._thread = self._thread, None
        if thread:
            thread.join()

    def _keep(self) -> None:
        pause = _FIRST_PAUSE
        while not self._stop.is_set():
            began = time.monotonic()
            status = self._run()
            if status == OCCUPIED:
                self._stop.wait(_OCCUPIED_PAUSE)
                continue
            if self._stop.is_set():
                return
            healthy = time.monotonic() - began > _HEALTHY_SECONDS
            self.failures = 0 if healthy else self.failures + 1
            pause = _FIRST_PAUSE if healthy else min(_LONGEST_PAUSE, pause * 2)
            _LOG.warning("the ingestion process ended with status %s; starting it again in %.1f s", status, pause)
            self._stop.wait(pause)

    def _run(self) -> int:
        """One life of the process; its exit status."""
        logs = self._data / "logs"
        logs.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "core.ingest.worker", "--data", str(self._data.resolve())]
        with (logs / "worker.stderr.log").open("wb") as stderr:
            process = subprocess.Popen(  # noqa: S603  # our own interpreter and module
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=stderr, cwd=_root()
            )
            self._process = process
            while process.poll() is None and not self._stop.wait(0.1):
                pass
            return _ended(process)


def _ended(process: subprocess.Popen[bytes]) -> int:
    """Ask it to end by closing its standard input, insist after a while."""
    if process.stdin:
        process.stdin.close()
    try:
        return process.wait(_FAREWELL_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def _root() -> Path:
    """Where the package lies, so that -m finds it without being installed."""
    return Path(__file__).parents[2]
