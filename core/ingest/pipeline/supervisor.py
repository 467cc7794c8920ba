"""Keeps one ingestion process running while the app or a command needs it."""

import logging
import os
import subprocess
import threading
import time
from pathlib import Path

from core.child_process import module_command, python_path

_LOG = logging.getLogger(__name__)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
OCCUPIED = 3
"""Exit status of an ingestion process that found another one working on its data folder."""
_OCCUPIED_PAUSE = 2.0
_HEALTHY_SECONDS = 60.0
"""A process that lived this long is restarted without a pause."""
_FAREWELL_SECONDS = 10.0


class Supervisor:
    """start() and stop() may be called more than once."""

    def __init__(self, data: Path, module: str) -> None:
        """module: what the process runs, with the data folder as its --data."""
        self._module = module
        self._data = data
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

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
            pause = _FIRST_PAUSE if healthy else min(_LONGEST_PAUSE, pause * 2)
            _LOG.warning("the ingestion process ended with status %s; starting it again in %.1f s", status, pause)
            self._stop.wait(pause)

    def _run(self) -> int:
        """Runs the process once; returns its exit status."""
        logs = self._data / "logs"
        logs.mkdir(parents=True, exist_ok=True)
        command = module_command(self._module, "--data", str(self._data.resolve()))
        environment = {**os.environ, "PYTHONPATH": python_path()}
        with (logs / "worker.stderr.log").open("wb") as stderr:
            process = subprocess.Popen(  # noqa: S603  # our own interpreter and module
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=stderr, env=environment
            )
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
