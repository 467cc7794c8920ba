"""Faults of a process, each at a counted moment: kill -9, a power loss, a full disk, a clock that jumps."""

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum
from random import Random
from typing import Any

import sqlalchemy
from sqlalchemy import event

from core.platform import clock


class FaultKind(StrEnum):
    NONE = "none"
    KILL_BEFORE_STATEMENT = "kill_before_statement"
    """kill -9 before an SQL statement or a commit."""
    KILL_BEFORE_MOVE = "kill_before_move"
    """kill -9 before a finished file is moved into place."""
    KILL_AFTER_MOVE = "kill_after_move"
    FULL_DISK = "full_disk"
    """From a moment on, no file is moved into place and no database grows."""
    POWER_LOSS = "power_loss"
    """kill -9 before a move, and files that were moved into place without waiting for the disk are torn or empty."""
    COMPANION = "companion"
    """A second process of the app has the folder as well, until it is killed."""
    BAD_MODEL = "bad_model"
    """A model that invents, breaks off, hangs, never ends or fails, and now and then answers."""
    CLOCK = "clock"
    """The clock is wrong by up to three days, in either direction."""


@dataclass(frozen=True, slots=True)
class Fault:
    kind: FaultKind
    moment: int
    """Statements or moves until it happens."""

    @property
    def is_survived(self) -> bool:
        """Whether the process ends by itself, with everything done."""
        return self.kind in (FaultKind.NONE, FaultKind.CLOCK, FaultKind.COMPANION, FaultKind.BAD_MODEL)

    @staticmethod
    def drawn(random: Random) -> "Fault":
        kind = random.choice(list(FaultKind))
        most = {FaultKind.KILL_BEFORE_STATEMENT: 900, FaultKind.CLOCK: 259_200}.get(kind, 40)
        return Fault(kind, random.randrange(1, most))

    def arm(self, random: Random) -> None:
        """For the rest of this process."""
        if self.kind is FaultKind.KILL_BEFORE_STATEMENT:
            count = _countdown(self.moment, _die)
            for name in ("before_cursor_execute", "commit"):
                event.listen(sqlalchemy.Engine, name, lambda *_: count())
        elif self.kind is FaultKind.CLOCK:
            _shift_clock(timedelta(seconds=random.choice((-1, 1)) * self.moment))
        elif self.kind is FaultKind.POWER_LOSS:
            _lose_power(self.moment, random)
        elif not self.is_survived:
            _watch_moves(self)


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


def _watch_moves(fault: Fault) -> None:
    full = fault.kind is FaultKind.FULL_DISK
    count = _countdown(fault.moment, (lambda: None) if full else _die)
    move = os.replace

    def watched(source: Any, target: Any, **options: Any) -> None:
        if fault.kind is FaultKind.KILL_AFTER_MOVE:
            move(source, target, **options)
            count()
            return
        if count() and full:
            raise OSError(28, "No space left on device", str(target))
        move(source, target, **options)

    os.replace = watched  # type: ignore[assignment]
    if full:
        event.listen(sqlalchemy.Engine, "before_cursor_execute", lambda connection, *_: _stop_growth(connection, count))


def _lose_power(moment: int, random: Random) -> None:
    """Only of files that Python writes: what SQLite and tantivy keep back is out of reach of a process."""
    move, sync = os.replace, os.fsync
    synced: set[int] = set()
    torn: dict[str, int] = {}

    def die() -> None:
        for path, size in torn.items():
            if os.path.isfile(path):
                os.truncate(path, random.randrange(size + 1))
        _die()

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


def _stop_growth(connection: sqlalchemy.Connection, count: Callable[[], bool]) -> None:
    """SQLite itself says that the disk is full, as it does where no page can be added."""
    if count():
        raw = connection.connection.driver_connection
        assert raw is not None
        (pages,) = raw.execute("PRAGMA page_count").fetchone()
        raw.execute(f"PRAGMA max_page_count = {pages}")


def _shift_clock(by: timedelta) -> None:
    class Shifted:
        @staticmethod
        def now(tz: tzinfo | None = None) -> datetime:
            return datetime.now(tz) + by

    vars(clock)["datetime"] = Shifted
