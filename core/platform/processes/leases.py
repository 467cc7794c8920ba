"""Leases of processes: by a locked file in the data folder, or in SQL where they share a database.

The system releases the lock when a process dies. In SQL each process renews its lease regularly, by the clock of the
database.
"""

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from sqlalchemy import Connection, Engine, delete, func, insert, select, update

from core.platform.errors import AppError
from core.platform.files.disk import disk_errors
from core.platform.files.file_lock import try_lock
from core.platform.identity import SYSTEM, acting_as
from core.platform.processes.ports import Kind, ProcessInfo
from core.platform.sql.engine import reading, writing
from core.platform.sql.installation_tables import process_leases

_LOG = logging.getLogger(__name__)
_BEATS = 5
"""Renewals within the time of a lease."""
_LOOK_SECONDS = 5.0
"""Longest time for which a process that looks at a new lease may keep its file locked."""
_SETTLED_BY: dict[Kind, tuple[Kind, ...]] = {"app": ("app", "command"), "worker": ("worker",), "command": ()}
"""Kinds of processes whose remains a process of each kind settles."""


def processes(engine: Engine, lease_seconds: float) -> list[ProcessInfo]:
    """Processes, the oldest first, without those that ended in good order."""
    with acting_as(SYSTEM), reading(engine) as connection:
        now = _now(connection)
        rows = connection.execute(
            select(process_leases)
            .where(process_leases.c.left.is_(False))
            .order_by(process_leases.c.started_at, process_leases.c.id)
        ).mappings()
        return [
            ProcessInfo(
                row["id"],
                row["kind"],
                row["host"],
                row["started_at"],
                silent := max(0.0, (now - row["seen_at"]).total_seconds()),
                silent <= lease_seconds,
            )
            for row in rows
        ]


class SqlLease:
    """A lease that begins with the object and ends with close(), or with the process."""

    def __init__(
        self,
        engine: Engine,
        kind: Kind,
        lease_seconds: float,
        each_beat: Callable[[], None] = lambda: None,
    ) -> None:
        """each_beat: called in a thread of its own after each sign of life, at a fifth of the lease's time, unless it
        is still under way."""
        self._engine = engine
        self._kind = kind
        self._lease_seconds = lease_seconds
        self._each_beat = each_beat
        self._settling = ThreadPoolExecutor(1, thread_name_prefix="lease")
        self._settled: Future[None] | None = None
        self._id = f"{_host()}-{os.getpid()}-{uuid4().hex[:8]}"
        self._lost = False
        self._alive: frozenset[str] = frozenset()
        self._dead: tuple[str, ...] = ()
        self._leads = False
        """The three values at the last renewal."""
        self._in_touch_since = self._last_beat = time.monotonic()
        self._stop = threading.Event()
        self._register()
        self._look_around()
        self._thread = threading.Thread(target=self._keep, name="lease", daemon=True)
        self._thread.start()

    @property
    def id(self) -> str:
        return self._id

    @property
    def is_lost(self) -> bool:
        return self._lost

    def is_alive(self, owner_id: str) -> bool:
        if owner_id == self._id:
            return not self._stop.is_set()
        return owner_id in self._alive or any(
            each.is_alive for each in processes(self._engine, self._lease_seconds) if each.id == owner_id
        )

    def has_died(self, owner_id: str) -> bool:
        """Whether it is dead; an unknown process died before and was forgotten."""
        if owner_id in self._dead:
            return True
        with acting_as(SYSTEM), reading(self._engine) as connection:
            known = connection.execute(select(process_leases.c.id).where(process_leases.c.id == owner_id)).first()
        return known is None

    def leads(self) -> bool:
        return self._leads

    def dead(self) -> list[str]:
        return [*self._dead]

    def forget(self, owner_ids: Collection[str]) -> None:
        with acting_as(SYSTEM), writing(self._engine, durable=False) as connection:
            connection.execute(delete(process_leases).where(process_leases.c.id.in_(owner_ids)))
        self._dead = tuple(id for id in self._dead if id not in owner_ids)

    def tidy(self) -> None:
        if dead := self.dead():
            self.forget(dead)

    def close(self) -> None:
        """Ends the lease: a process that ended in good order is dead at once."""
        self._stop.set()
        self._thread.join()
        self._settling.shutdown()
        try:
            with acting_as(SYSTEM), writing(self._engine, durable=False) as connection:
                connection.execute(update(process_leases).where(process_leases.c.id == self._id).values(left=True))
        except AppError as error:
            _LOG.warning("the lease is left to run out: %s", error)

    def _left(self) -> list[str]:
        with acting_as(SYSTEM), reading(self._engine) as connection:
            wanted = process_leases.c.left & process_leases.c.kind.in_(_SETTLED_BY[self._kind])
            return list(connection.execute(select(process_leases.c.id).where(wanted)).scalars())

    def _register(self) -> None:
        with acting_as(SYSTEM), writing(self._engine, durable=False) as connection:
            now = _now(connection)
            row = {"id": self._id, "kind": self._kind, "host": socket.gethostname(), "started_at": now, "seen_at": now}
            connection.execute(insert(process_leases).values(row))

    def _keep(self) -> None:
        while not self._stop.wait(self._lease_seconds / _BEATS) and not self._lost:
            try:
                self._beat()
            except AppError as error:  # the database is away: the next sign of life comes when it is back
                _LOG.warning("no sign of life: %s", error)
            else:
                self._settle()

    def _settle(self) -> None:
        """Settles in another thread, so that renewals neither wait for it nor end with an error in it."""
        if self._settled is None or self._settled.done():
            self._settled = self._settling.submit(self._each_beat)
            self._settled.add_done_callback(_report)

    def _beat(self) -> None:
        with acting_as(SYSTEM), writing(self._engine, durable=False) as connection:
            change = update(process_leases).where(process_leases.c.id == self._id).values(seen_at=_now(connection))
            is_known = bool(connection.execute(change).rowcount)
        if not is_known and self._kind != "worker":  # its runs were taken over, each by itself; it takes new ones
            self._register()
        self._lost = not is_known and self._kind == "worker"
        if time.monotonic() - self._last_beat > self._lease_seconds:
            self._in_touch_since = time.monotonic()
        self._last_beat = time.monotonic()
        self._look_around()

    def _look_around(self) -> None:
        """Reads the other leases. For the time of a lease after a failure of the database, none is taken for dead."""
        every = processes(self._engine, self._lease_seconds)
        others = [each for each in every if each.kind == self._kind]
        self._alive = frozenset(each.id for each in others if each.is_alive)
        self._leads = next((each.id for each in others if each.is_alive), "") == self._id
        in_touch = time.monotonic() - self._in_touch_since >= self._lease_seconds
        concern = [each for each in every if each.kind in _SETTLED_BY[self._kind]]
        silent = [each.id for each in concern if not each.is_alive] if in_touch else []
        self._dead = (*self._left(), *silent)


def _report(job: "Future[None]") -> None:
    error = job.exception()
    if isinstance(error, AppError):
        _LOG.warning("what others left is settled later: %s", error)
    elif error:
        _LOG.error("what others left cannot be settled", exc_info=error)


def _now(connection: Connection) -> datetime:
    """Time of the database, because clocks of machines differ."""
    found = connection.execute(select(func.current_timestamp())).scalar_one()
    read = datetime.fromisoformat(found) if isinstance(found, str) else found
    return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)


def _host() -> str:
    return "".join(character if character.isalnum() else "_" for character in socket.gethostname())[:40]


class ProcessLease:
    """This process as the owner of runs. close() when done."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.id = f"{_host()}-{os.getpid()}-{uuid4().hex[:8]}"
        with disk_errors(folder):
            lock = try_lock(self._path(self.id), _LOOK_SECONDS)
        if lock is None:
            raise OSError(f"{self._path(self.id)} is locked by another process")
        self._lock = lock

    def is_alive(self, owner_id: str) -> bool:
        """Owners on other machines cannot be checked, so they count as alive."""
        if owner_id == self.id:
            return self._lock.is_locked
        if not owner_id.startswith(f"{_host()}-"):
            return bool(owner_id)
        path = self._path(owner_id)
        try:
            lock = try_lock(path) if path.is_file() else None
        except OSError:
            return False
        if lock:
            lock.release()
        return lock is None and path.is_file()

    def has_died(self, owner_id: str) -> bool:
        return not self.is_alive(owner_id)

    def leads(self) -> bool:
        """Every process may settle what dead ones left: which are dead is known at once."""
        return True

    def tidy(self) -> None:
        """Removes files of dead owners, each while it is locked, or it could be that of a new one by then."""
        for path in self.folder.glob(f"{_host()}-*.lock"):
            with suppress(OSError), ExitStack() as held:  # on Windows it goes when it is released
                if path.stem != self.id and (lock := try_lock(path)):
                    held.callback(lock.release)
                    path.unlink(missing_ok=True)

    def close(self) -> None:
        self._lock.release()
        self._path(self.id).unlink(missing_ok=True)

    def _path(self, owner_id: str) -> Path:
        return self.folder / f"{Path(owner_id).name or 'unknown'}.lock"
