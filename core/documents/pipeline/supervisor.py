"""Keeps one ingestion process running while the app or a command needs it, and passes on what keeps it from working.

The process reports a fault in a line on its standard output, because a full disk takes no file. Its supervisor stores
it in the data folder as well, where that is possible, so that commands and pages of other processes can show it.
"""

import json
import logging
import os
import subprocess
import sys
import threading
import time
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import IO

from core.platform.errors import AppError
from core.platform.files.atomic_file import write_atomically
from core.platform.processes.isolated_process import module_command, python_path
from core.platform.texts import known

_LOG = logging.getLogger(__name__)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
OCCUPIED = 3
"""Exit status: another ingestion process works on the data folder."""
FAULTY = 4
"""Exit status: a fault was reported."""
RECYCLED = 5
"""Exit status: the process grew too large and wants to be restarted."""
_ORDERLY = (0, OCCUPIED, FAULTY, RECYCLED)
_ALONE_SECONDS = 0.5
"""Time within which whatever ends all processes of the app, such as a kill of its group, ends this one as well."""
_OCCUPIED_PAUSE = 2.0
_HEALTHY_SECONDS = 60.0
"""A process that lived this long is restarted without a pause."""
_FAREWELL_SECONDS = 10.0
_LAST_WORDS_SECONDS = 1.0
_UNEXPLAINED = 3
"""Consecutive unexplained early exits before they are reported; a single one may be an out-of-memory kill."""
_MOST_LOGGED = 5_000_000
"""Bytes of the log with which a process still goes on; a longer one begins anew."""
_FILE = "ingestion-fault.json"
_READY = "ready"


class Supervisor:
    """start() and stop() may be called more than once."""

    def __init__(self, data: Path, module: str, speaks: bool = False) -> None:
        """module: Python module to run, with --data and the data folder as arguments.

        speaks: its standard error is ours; otherwise it goes to a file.
        """
        self._speaks = speaks
        self._module = module
        self._data = data
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.failures = 0
        """Consecutive early exits of the process; its log says why."""
        self.fault: AppError | None = None
        """The reported fault; None while the process works or nothing is known yet."""
        self.was_ready = False
        """Whether an ingestion process, ours or another one, has started working on the data folder."""

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
        store(self._data, None)  # what an earlier process met may be over
        pause = _FIRST_PAUSE
        while not self._stop.is_set():
            began = time.monotonic()
            status = self._run()
            if status == OCCUPIED:
                self.was_ready, self.fault = True, None
                self._stop.wait(_OCCUPIED_PAUSE)
                continue
            if self._stop.is_set():
                return
            if status == RECYCLED:
                continue
            healthy = time.monotonic() - began > _HEALTHY_SECONDS
            self.failures = 0 if healthy else self.failures + 1
            pause = _FIRST_PAUSE if healthy else min(_LONGEST_PAUSE, pause * 2)
            if status != FAULTY and self.failures >= _UNEXPLAINED:
                self._learn(AppError("ingest.error.process_ends", log=self._log))
            if status != FAULTY:  # else it has said why
                _LOG.warning("the ingestion process ended with status %s; starting it again in %.1f s", status, pause)
            self._stop.wait(pause)

    def _run(self) -> int:
        """Runs the process once; returns its exit status."""
        command = module_command(self._module, "--data", str(self._data.resolve()))
        environment = {**os.environ, "PYTHONPATH": python_path()}
        with nullcontext(None) if self._speaks else self._open_log() as stderr:
            process = subprocess.Popen(  # noqa: S603  # our own interpreter and module
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, env=environment
            )
            listener = threading.Thread(target=self._listen, args=(process,), name="ingest listener", daemon=True)
            listener.start()
            while process.poll() is None and not self._stop.wait(0.1):
                pass
            status = _ended(process)
            listener.join(_LAST_WORDS_SECONDS)
        if status not in _ORDERLY and not self._stop.wait(_ALONE_SECONDS):
            self._count_death(process.pid)
        return status

    def _count_death(self, process_id: int) -> None:
        """This process still lives, so the other one died alone."""
        from core.documents.pipeline.stage_notes import StageNotes

        try:
            StageNotes(self._data / "work").count_death(process_id)
        except OSError as error:
            _LOG.warning("it is not noted which documents were being read: %s", error)

    @property
    def _log(self) -> Path:
        return self._data / "logs" / "worker.stderr.log"

    def _open_log(self) -> IO[bytes]:
        """Falls back to the null device on a full disk, because the process has to start to report that."""
        try:
            self._log.parent.mkdir(parents=True, exist_ok=True)
            log = self._log.open("ab")  # what the last process said, or what another one says now, stays
            if log.tell() > _MOST_LOGGED:
                log.truncate(0)
            return log
        except OSError:
            return Path(os.devnull).open("wb")

    def _listen(self, process: "subprocess.Popen[bytes]") -> None:
        for line in process.stdout or ():
            is_message, fault = parse_report(line)
            if is_message:
                self.was_ready = self.was_ready or fault is None
                self._learn(fault)

    def _learn(self, fault: AppError | None) -> None:
        if fault:
            _LOG.warning("documents are not read: %s", fault)
        self.fault = fault
        store(self._data, fault)


def _ended(process: subprocess.Popen[bytes]) -> int:
    """Asks the process to end by closing its standard input; kills it after a while."""
    if process.stdin:
        process.stdin.close()
    try:
        return process.wait(_FAREWELL_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def report(fault: AppError | None) -> None:
    """Called in the ingestion process; None means that it works."""
    with suppress(OSError):  # whoever started it is gone, and so will be this process
        sys.stdout.write(_line(fault) + "\n")
        sys.stdout.flush()


def parse_report(line: bytes) -> tuple[bool, AppError | None]:
    """Parses a line of the process's output, which may also come from a library: (is a report, its fault)."""
    try:
        message = json.loads(line)
    except ValueError:
        return False, None
    if message == _READY:
        return True, None
    fault = _error(message)
    return fault is not None, fault


def store(data: Path, fault: AppError | None) -> None:
    """Stores the fault for other processes, if the disk allows it."""
    with suppress(AppError, OSError):
        if fault:
            write_atomically(data / _FILE, _line(fault).encode())
        else:
            (data / _FILE).unlink(missing_ok=True)


def stored(data: Path) -> AppError | None:
    try:
        return _error(json.loads((data / _FILE).read_bytes()))
    except (OSError, ValueError):
        return None


def _line(fault: AppError | None) -> str:
    return json.dumps({"key": fault.key, "params": fault.params} if fault else _READY)


def _error(message: object) -> AppError | None:
    match message:
        case {"key": str(key), "params": dict(params)} if known(key):
            return AppError(key, **params)
    return None
