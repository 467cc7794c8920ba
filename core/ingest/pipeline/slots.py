"""Limits concurrent work on this machine; documents closer to completion go first."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from threading import Lock

from core.errors import CancelledError
from core.ports.metering import Cancel

Rank = tuple[int, datetime, str]
"""Smaller ranks go first."""
_LISTEN_SECONDS = 0.8


class Slots:
    """Thread-safe. Only the next in turn is woken, because there may be a hundred waiting."""

    def __init__(self, number: int) -> None:
        self._free = number
        self._waiting: list[tuple[Rank, Lock]] = []
        self._lock = Lock()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @contextmanager
    def slot(self, rank: Rank, cancel: Cancel) -> Iterator[None]:
        """Raises CancelledError while waiting."""
        self._enter(rank, cancel)
        try:
            yield
        finally:
            with self._lock:
                self._free += 1
                self._pass_on()

    def _enter(self, rank: Rank, cancel: Cancel) -> None:
        own = (rank, Lock())
        own[1].acquire()
        with self._lock:
            self._waiting.append(own)
            self._pass_on()
        while not own[1].acquire(timeout=_LISTEN_SECONDS):
            if cancel.requested():
                self._give_up(own)

    def _give_up(self, own: tuple[Rank, Lock]) -> None:
        """A slot that was given in the same moment is passed on."""
        with self._lock:
            if own in self._waiting:
                self._waiting.remove(own)
            else:
                self._free += 1
                self._pass_on()
        raise CancelledError("error.cancelled")

    def _pass_on(self) -> None:
        while self._free and self._waiting:
            first = min(self._waiting, key=lambda waiting: waiting[0])
            self._waiting.remove(first)
            self._free -= 1
            first[1].release()
