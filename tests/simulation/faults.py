"""Faults of a process, each at a counted moment: kill -9, a power loss, a full disk, a clock that jumps.

Those of a database on a server: a connection that is lost, a server that ends and recovers.
"""

import errno
import os
import signal
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum
from functools import partial
from pathlib import Path
from random import Random
from tempfile import NamedTemporaryFile
from typing import Any

import sqlalchemy
from sqlalchemy import event

from core.platform import clock
from core.platform.files import atomic_file
from core.platform.settings.settings import SQL_FILE


class FaultKind(StrEnum):
    NONE = "none"
    KILL_BEFORE_STATEMENT = "kill_before_statement"
    """kill -9 before an SQL statement or a commit."""
    KILL_BEFORE_MOVE = "kill_before_move"
    """kill -9 before a finished file is moved into place."""
    KILL_AFTER_MOVE = "kill_after_move"
    FULL_DISK = "full_disk"
    """From a moment on, no file is moved into place, or a new one takes half of what is written; no database grows."""
    POWER_LOSS = "power_loss"
    """kill -9 before a move, and files that were moved into place without waiting for the disk are torn or empty."""
    COMMITS_LOST = "commits_lost"
    """A power loss that also takes what SQLite has logged since it last waited for the disk."""
    SLOW_DISK = "slow_disk"
    """It takes up to 20 ms until a file is moved or written through to the disk."""
    COMPANION = "companion"
    """A second process of the app has the folder as well, until it is killed."""
    BAD_MODEL = "bad_model"
    """A model that invents, breaks off, hangs, never ends or fails, and now and then answers."""
    CLOCK = "clock"
    """The clock is wrong by up to three days, in either direction, and jumps between two actions."""
    CONNECTION_LOST = "connection_lost"
    """To a database on a server: before a statement, before a commit, or after it and before its answer."""
    DATABASE_RESTARTED = "database_restarted"
    """One of Postgres' processes is killed, and it ends all connections, recovers and starts again."""
    VECTORS_LOST = "vectors_lost"
    """Chroma's folder is gone before the process begins."""
    VECTORS_DAMAGED = "vectors_damaged"
    """A file in Chroma's folder is torn, gone or has other bytes before the process begins."""
    VECTORS_AWAY = "vectors_away"
    """Chroma is on a server that does not answer."""


OF_A_SERVER = frozenset({FaultKind.CONNECTION_LOST, FaultKind.DATABASE_RESTARTED})
OF_VECTORS = frozenset({FaultKind.VECTORS_LOST, FaultKind.VECTORS_DAMAGED, FaultKind.VECTORS_AWAY})
_OF_SQLITE = frozenset({FaultKind.COMMITS_LOST})
TOLD = OF_A_SERVER | OF_VECTORS | {FaultKind.FULL_DISK}
"""Those that a person may be told of by an AppError."""
_ENDING = frozenset(
    {
        FaultKind.KILL_BEFORE_STATEMENT,
        FaultKind.KILL_BEFORE_MOVE,
        FaultKind.KILL_AFTER_MOVE,
        FaultKind.POWER_LOSS,
        FaultKind.COMMITS_LOST,
    }
)
LEAVING = TOLD | _ENDING | {FaultKind.COMPANION}
"""Those after which entries of what is gone may be left in the indexes."""
DAMAGING = frozenset({FaultKind.VECTORS_LOST, FaultKind.VECTORS_DAMAGED})
_NOT_WHOLE = frozenset({FaultKind.FULL_DISK, FaultKind.VECTORS_AWAY})
_LOG_HEAD, _FRAME_HEAD, _LOGGED_FRAMES, _COPIED_FRAMES = 32, 24, 16, 128
"""Bytes of SQLite's log before its first frame and before each page, and where its index says how many frames there are
and how many are copied."""
_DURABLE = "simulation-durable"
_MOST_SECONDS_WRONG = 259_200
_FULL = "DO $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$"


@dataclass(frozen=True, slots=True)
class Fault:
    kind: FaultKind
    moment: int
    """Statements or moves until it happens."""

    @property
    def ends_process(self) -> bool:
        return self.kind in _ENDING

    @property
    def is_survived(self) -> bool:
        """Whether the process ends by itself, with everything done."""
        return not self.ends_process and self.kind not in _NOT_WHOLE

    @staticmethod
    def drawn(random: Random, on_server: bool) -> "Fault":
        kind = random.choice([kind for kind in FaultKind if kind not in (_OF_SQLITE if on_server else OF_A_SERVER)])
        of_statements = {FaultKind.KILL_BEFORE_STATEMENT: 900, **dict.fromkeys(OF_A_SERVER, 300)}
        most = of_statements.get(kind, 40)
        return Fault(kind, random.randrange(1, most))

    def arm(self, random: Random, data: Path) -> None:
        """For the rest of this process."""
        if self.kind is FaultKind.KILL_BEFORE_STATEMENT:
            _at_statement(self.moment, lambda *_: _die())
        elif self.kind is FaultKind.CONNECTION_LOST:
            _at_statement(self.moment, partial(_lose, random.random() < 0.5), of="postgresql")
        elif self.kind is FaultKind.DATABASE_RESTARTED:
            _at_statement(self.moment, lambda raw, _: os.kill(raw.info.backend_pid, signal.SIGKILL), of="postgresql")
        elif self.kind is FaultKind.CLOCK:
            self.before_action(random)
        elif self.kind is FaultKind.POWER_LOSS:
            _lose_power(self.moment, random, lambda: None)
        elif self.kind is FaultKind.COMMITS_LOST:
            log = _Log(data / SQL_FILE)
            _lose_power(self.moment, random, lambda: log.cut(random))
        elif self.kind is FaultKind.SLOW_DISK:
            _slow_down(random)
        elif self.kind in (FaultKind.KILL_BEFORE_MOVE, FaultKind.KILL_AFTER_MOVE, FaultKind.FULL_DISK):
            _watch_moves(self, is_short=random.random() < 0.5)

    def before_action(self, random: Random) -> None:
        if self.kind is FaultKind.CLOCK:
            _shift_clock(timedelta(seconds=random.randint(-_MOST_SECONDS_WRONG, _MOST_SECONDS_WRONG)))


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _countdown(moments: int, then: Callable[[], None]) -> Callable[[], bool]:
    left = [moments]

    def count() -> bool:
        """Whether the moment has come."""
        left[0] -= 1
        if left[0] <= 0:
            then()
        return left[0] <= 0

    return count


def _watch_moves(fault: Fault, is_short: bool) -> None:
    """is_short: whether a full disk is met in the middle of a write, rather than in a move."""
    full = fault.kind is FaultKind.FULL_DISK
    count = _countdown(fault.moment, (lambda: None) if full else _die)
    move = os.replace

    def watched(source: Any, target: Any, **options: Any) -> None:
        if fault.kind is FaultKind.KILL_AFTER_MOVE:
            move(source, target, **options)
            count()
            return
        if count() and full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))
        move(source, target, **options)

    os.replace = watched  # type: ignore[assignment]
    if full:
        event.listen(sqlalchemy.Engine, "before_cursor_execute", partial(_stop_growth, count), retval=True)
        if is_short:
            vars(atomic_file)["NamedTemporaryFile"] = partial(_short_file, NamedTemporaryFile, count)


def _short_file(make: Callable[..., Any], is_full: Callable[[], bool], **options: Any) -> Any:
    file = make(**options)
    if is_full():
        file.write = partial(_write_half, file.write)
    return file


def _write_half(write: Callable[[bytes], object], data: bytes) -> None:
    write(data[: len(data) // 2])
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _lose_power(moment: int, random: Random, also: Callable[[], None]) -> None:
    """Of files that Python writes, and of what `also` takes: what tantivy keeps back is out of reach of a process."""
    move, sync = os.replace, os.fsync
    synced: set[int] = set()
    torn: dict[str, int] = {}

    def die() -> None:
        """Nothing is written any more when files are torn."""
        killed = os.getpid()
        if os.fork():
            _die()
        while os.getppid() == killed:
            time.sleep(0.001)
        for path, size in torn.items():
            if os.path.isfile(path):
                os.truncate(path, random.randrange(size + 1))
        also()
        os._exit(0)

    count = _countdown(moment, die)

    def synchronised(file: Any) -> None:
        sync(file)
        synced.add(os.fstat(file if isinstance(file, int) else file.fileno()).st_ino)

    def moved(source: Any, target: Any, **options: Any) -> None:
        count()
        status = os.stat(source)
        move(source, target, **options)
        torn.pop(os.fspath(target), None)
        if status.st_ino not in synced and os.path.isfile(target):
            torn[os.fspath(target)] = status.st_size

    os.replace, os.fsync = moved, synchronised  # type: ignore[assignment]


class _Log:
    """SQLite's log of a database, of which a durable commit and a copy into the database wait for the disk."""

    def __init__(self, database: Path) -> None:
        self._log, self._index = (database.with_name(f"{database.name}-{end}") for end in ("wal", "shm"))
        self._written: tuple[bytes, int] = b"", 0
        event.listen(sqlalchemy.Engine, "before_cursor_execute", _note_durability)
        event.listen(sqlalchemy.pool.Pool, "checkin", self._note_written)

    def _note_written(self, _connection: object, record: Any) -> None:
        if record.info.get(_DURABLE):
            self._written = self._begun(), self._frames(_LOGGED_FRAMES)

    def _begun(self) -> bytes:
        """Of a log that begins anew, this changes."""
        with self._log.open("rb") as file:
            return file.read(_LOG_HEAD)

    def _frames(self, place: int) -> int:
        found: int = struct.unpack_from("=I", self._index.read_bytes(), place)[0]
        return found

    def cut(self, random: Random) -> None:
        if not self._log.is_file() or (size := self._log.stat().st_size) <= _LOG_HEAD:
            return
        begun, frames = self._written
        kept = max(self._frames(_COPIED_FRAMES), frames if begun == self._begun() else 0)
        (page_size,) = struct.unpack(">8xI", self._begun()[:12])
        os.truncate(self._log, random.randint(min(_LOG_HEAD + kept * (page_size + _FRAME_HEAD), size), size))


def _note_durability(connection: sqlalchemy.Connection, _: object, statement: str, *_more: object) -> None:
    if statement.startswith("PRAGMA synchronous"):
        connection.info[_DURABLE] = statement.endswith("FULL")


def _slow_down(random: Random) -> None:
    for name in ("replace", "fsync"):
        vars(os)[name] = partial(_slowly, vars(os)[name], random)


def _slowly(do: Callable[..., None], random: Random, *given: Any, **options: Any) -> None:
    time.sleep(random.uniform(0, 0.02))
    do(*given, **options)


def _stop_growth(
    count: Callable[[], bool], connection: sqlalchemy.Connection, _: object, statement: str, given: Any, *_more: object
) -> tuple[str, Any]:
    """The database itself says that the disk is full, as it does where no page can be added."""
    if not count():
        return statement, given
    if connection.dialect.name != "sqlite":
        grows = statement.lstrip().upper().startswith(("INSERT", "UPDATE", "CREATE"))
        return (_FULL, [()] if isinstance(given, list) else ()) if grows else (statement, given)
    raw = connection.connection.driver_connection
    assert raw is not None
    (pages,) = raw.execute("PRAGMA page_count").fetchone()
    raw.execute(f"PRAGMA max_page_count = {pages}")
    return statement, given


def _at_statement(moment: int, do: Callable[[Any, bool], object], of: str = "") -> None:
    """do: called once with the driver's connection, and whether a commit is due rather than a statement.

    of: the kind of database whose statements are counted; deleted bases are SQLite files everywhere.
    """
    left = [moment]

    def counted(connection: sqlalchemy.Connection, *about: object) -> None:
        if of and connection.dialect.name != of:
            return
        left[0] -= 1
        if left[0] == 0:
            do(connection.connection.driver_connection, not about)

    for name in ("before_cursor_execute", "commit"):
        event.listen(sqlalchemy.Engine, name, counted)


def _lose(is_answer: bool, raw: Any, commits: bool) -> None:
    """is_answer: whether what is lost is the answer to a commit, rather than the commit."""
    if is_answer and commits:
        raw.commit()
    raw.close()


def _shift_clock(by: timedelta) -> None:
    class Shifted:
        @staticmethod
        def now(tz: tzinfo | None = None) -> datetime:
            return datetime.now(tz) + by

    vars(clock)["datetime"] = Shifted
