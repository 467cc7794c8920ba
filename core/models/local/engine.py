"""The one engine of a data folder, as a process that uses it sees it: started by the first need, joined by others."""

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from core.models.local.engine_lease import SLICE_SECONDS, EngineLease
from core.models.local.engine_order import EngineOrder
from core.models.local.engine_process import RECORD
from core.models.local.engine_record import EngineRecord, read_record
from core.models.local.machine import free_memory
from core.models.local.ports import EngineState, EngineStatus
from core.models.local.restart_pause import RestartPause
from core.models.local.sizing import check_memory
from core.models.meter import ModelPhase
from core.models.progress import Tell, nobody
from core.platform.errors import CancelledError, ServiceError
from core.platform.files.disk import told
from core.platform.files.file_lock import try_lock
from core.platform.processes.isolated_process import module_command, python_path

MODULE = "core.models.local.engine_process"
SILENT_SECONDS = 120.0
"""A start that shows no sign of life for so long has failed: no more memory taken, no answer."""
END_SECONDS = 10.0
_SIGN_MEGABYTES = 1.0
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "HOME", "USERPROFILE", "LD_LIBRARY_PATH")
"""Environment variables that the engine gets. Keys are withheld from it."""
_WAITING = {"OMP_WAIT_POLICY": "passive"}
"""Its threads sleep at barriers. Spinning, they take the cores from each other as soon as anything else runs."""
Stopped = Callable[[], bool]


class LocalEngine:
    """`wanted` is asked at each need, so a change of the settings holds from the next request."""

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
        """Where the engine answers, once it has loaded its model.

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
        with told(self._folder):
            while (lock := try_lock(self._folder / "starting.lock", SLICE_SECONDS)) is None:
                _stop_if(stopped)
        try:
            yield
        finally:
            lock.release()

    def _joined(self, order: EngineOrder, stopped: Stopped) -> EngineLease | None:
        """The engine that runs already; one that runs another order is ended."""
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
        """Once for each lease. An engine that ends as it should takes its record away before."""
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
    """Until it is true, or the time is over. Raises CancelledError."""
    ends = time.monotonic() + seconds
    while not true() and time.monotonic() < ends:
        _stop_if(stopped)
        time.sleep(SLICE_SECONDS / 4)
