"""The one engine of a data folder as its users see it: started on first use, joined by other processes."""

import contextlib
import math
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from core.models.local.engine_process import RECORD
from core.models.local.engine_record import SLICE_SECONDS, EngineLease, EngineOrder, EngineRecord, read_record
from core.models.local.machine import free_memory
from core.models.local.ports import EngineState, EngineStatus
from core.models.local.sizing import check_memory
from core.models.meter import ModelPhase, Tell, nobody
from core.platform.errors import CancelledError, ServiceError
from core.platform.files.disk import disk_errors
from core.platform.files.file_lock import try_lock
from core.platform.processes.isolated_process import module_command, python_path

FIRST_SECONDS, LONGEST_SECONDS = 1.0, 60.0
HEALTHY_SECONDS = 60.0
"""An engine that was loaded for this long is restarted at once."""
MODULE = "core.models.local.engine_process"
SILENT_SECONDS = 120.0
"""A start without a sign of life, which is growing memory or an answer, for this long has failed."""
END_SECONDS = 10.0
_SIGN_MEGABYTES = 1.0
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "HOME", "USERPROFILE", "LD_LIBRARY_PATH")
"""Environment variables that the engine gets. Keys are withheld from it."""
_WAITING = {"OMP_WAIT_POLICY": "passive"}
"""Its threads sleep at barriers. Spinning, they take the cores from each other as soon as anything else runs."""
Stopped = Callable[[], bool]


class RestartPause:
    """Growing pauses between restarts of an engine that ends by itself."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._failures = 0
        self._until = 0.0
        self._key = ""

    def check(self) -> None:
        """Raises ServiceError during a pause."""
        if fault := self.fault:
            raise fault

    @property
    def fault(self) -> ServiceError | None:
        """Why the engine is not restarted yet; None outside a pause."""
        left = self._until - time.monotonic()
        return ServiceError(self._key, seconds=math.ceil(left), log=self._log) if left > 0 else None

    def begin(self, loaded_seconds: float | None) -> None:
        """After an end. loaded_seconds: how long the model was loaded; None if it never was."""
        self._failures = 1 if (loaded_seconds or 0.0) > HEALTHY_SECONDS else self._failures + 1
        self._key = "local_model.engine_not_started" if loaded_seconds is None else "local_model.engine_ended"
        if self._failures > 1 or loaded_seconds is None:
            self._until = time.monotonic() + min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** (self._failures - 1))

    def end(self) -> None:
        self._failures, self._until = 0, 0.0


class LocalEngine:
    """`wanted` is called for each request, so that changed settings take effect from the next one."""

    def __init__(self, folder: Path, wanted: Callable[[], EngineOrder], log: Path, module: str = MODULE) -> None:
        self._folder = folder
        self._wanted = wanted
        self._log = log
        self._module = module
        self._lock = threading.Lock()
        self._lease: EngineLease | None = None
        self._order: EngineOrder | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._loaded_at: float | None = None
        self._pause = RestartPause(log)

    def ready(self, stopped: Stopped, tell: Tell = nobody) -> EngineRecord:
        """The record of the engine, once it has loaded its model.

        Raises ServiceError with the remedy, CancelledError, or what `wanted` raises.
        """
        order = self._wanted()
        with self._alone(stopped):
            lease = self._held(order, stopped)
        self._wait_until_loaded(lease, stopped, tell)
        lease.touch()
        return lease.record

    def status(self) -> EngineStatus:
        """Never waits."""
        lease, order = self._lease, self._order
        if lease is None or order is None or not lease.is_alive():
            fault = self._pause.fault
            return EngineStatus(EngineState.FAILED if fault else EngineState.OFF, fault=fault)
        megabytes = lease.megabytes()
        if lease.is_loaded:
            return EngineStatus(EngineState.READY, 100, megabytes)
        size = max(1, Path(order.path).stat().st_size)
        return EngineStatus(EngineState.LOADING, min(99, int(megabytes * 1e8 / size)), megabytes)

    def close(self) -> None:
        """The engine ends soon, unless another process uses it."""
        with self._lock:
            self._release()

    @contextmanager
    def _alone(self, stopped: Stopped) -> Iterator[None]:
        """One thread at a time starts or joins an engine."""
        while not self._lock.acquire(timeout=SLICE_SECONDS):
            _stop_if(stopped)
        try:
            yield
        finally:
            self._lock.release()

    def _held(self, order: EngineOrder, stopped: Stopped) -> EngineLease:
        lease = self._lease
        if lease and lease.record.order == order.digest and lease.is_alive():
            return lease
        if lease and not lease.is_alive():
            self._learn_of_end(lease)
        if self._order and self._order.digest != order.digest:
            self._pause.end()
        self._order = order
        self._pause.check()
        self._release()
        with self._starting(stopped):
            self._lease = self._joined(order, stopped) or self._started(order, stopped)
        self._loaded_at = None
        return self._lease

    @contextmanager
    def _starting(self, stopped: Stopped) -> Iterator[None]:
        """One process at a time, so that there are never two engines."""
        with disk_errors(self._folder):
            while (lock := try_lock(self._folder / "starting.lock", SLICE_SECONDS)) is None:
                _stop_if(stopped)
        try:
            yield
        finally:
            lock.release()

    def _joined(self, order: EngineOrder, stopped: Stopped) -> EngineLease | None:
        """A lease on the running engine; one that runs another order is ended."""
        record = read_record(self._folder / RECORD)
        if record is None:
            return None
        try:
            lease = EngineLease(record)
        except OSError:
            return None
        if lease.is_genuine(lambda: _stop_if(stopped)):
            if record.order == order.digest:
                return lease
            lease.end_engine()
            _wait(lambda: not lease.is_alive(), END_SECONDS, stopped)
        lease.close()
        return None

    def _started(self, order: EngineOrder, stopped: Stopped) -> EngineLease:
        check_memory(order.limits.memory, free_memory(), order.model)
        self._log.parent.mkdir(parents=True, exist_ok=True)
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        with self._log.open("wb") as log:
            child = self._child = subprocess.Popen(  # noqa: S603  # our own interpreter and module
                module_command(self._module, str(self._folder.resolve())),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env={**environment, **_WAITING, "PYTHONPATH": python_path()},
                start_new_session=True,
            )
        assert child.stdin
        with contextlib.suppress(OSError), child.stdin:  # it has ended, which is seen below
            child.stdin.write(order.to_json().encode() + b"\n")
        _wait(lambda: child.poll() is not None or self._record_of(child), SILENT_SECONDS, stopped)
        if record := self._record_of(child):
            with contextlib.suppress(OSError):  # it has ended meanwhile
                return EngineLease(record)
        self._pause.begin(None)
        raise self._not_started()

    def _record_of(self, child: "subprocess.Popen[bytes]") -> EngineRecord | None:
        record = read_record(self._folder / RECORD)
        return record if record and record.pid == child.pid else None

    def _wait_until_loaded(self, lease: EngineLease, stopped: Stopped, tell: Tell) -> None:
        """Raises ServiceError when the engine ends meanwhile, or shows no sign of life."""
        megabytes, since = 0.0, time.monotonic()
        while not lease.answers():
            _stop_if(stopped)
            if not lease.is_alive():
                with self._alone(stopped):
                    self._learn_of_end(lease)
                raise self._not_started()
            if abs((now := lease.megabytes()) - megabytes) > _SIGN_MEGABYTES:
                megabytes, since = now, time.monotonic()
                tell(ModelPhase.LOADING, self.status().percent)
            if time.monotonic() - since > SILENT_SECONDS:
                self._kill_child()
                raise ServiceError("local_model.engine_stuck", log=self._log)
            time.sleep(SLICE_SECONDS)
        self._loaded_at = self._loaded_at or time.monotonic()

    def _not_started(self) -> ServiceError:
        return self._pause.fault or ServiceError("local_model.engine_not_started", log=self._log)

    def _learn_of_end(self, lease: EngineLease) -> None:
        """Notes the end of an engine once. One that ends in order has removed its record before."""
        if lease is not self._lease:
            return
        if read_record(self._folder / RECORD) == lease.record:
            self._pause.begin(None if self._loaded_at is None else time.monotonic() - self._loaded_at)
        self._release()

    def _release(self) -> None:
        if self._lease:
            self._lease.close()
        self._lease = None
        if self._child and self._child.poll() is not None:
            self._child = None

    def _kill_child(self) -> None:
        if self._child and self._child.poll() is None:
            self._child.kill()
            self._child.wait()


def _stop_if(stopped: Stopped) -> None:
    if stopped():
        raise CancelledError("error.cancelled")


def _wait(true: Callable[[], object], seconds: float, stopped: Stopped) -> None:
    """Waits until it is true or the time is over. Raises CancelledError."""
    ends = time.monotonic() + seconds
    while not true() and time.monotonic() < ends:
        _stop_if(stopped)
        time.sleep(SLICE_SECONDS / 4)
