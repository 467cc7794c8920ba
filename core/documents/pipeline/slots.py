"""Limits concurrent work on this machine; documents closer to completion go first."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock

from core.models.meter import Cancel
from core.platform.errors import CancelledError

Rank = tuple[int, datetime, str]
"""Smaller ranks go first."""
_LISTEN_SECONDS = 0.8


@dataclass(eq=False, slots=True)
class _Waiter:
    rank: Rank
    number: int
    """Slots that are wanted at once."""
    turn: Lock = field(default_factory=Lock)
    """Held until they are given."""


class Slots:
    """Thread-safe. Only the next in turn is woken, because there may be a hundred waiting."""

    def __init__(self, number: int) -> None:
        self._free = number
        self._waiting: list[_Waiter] = []
        self._lock = Lock()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @contextmanager
    def slot(self, rank: Rank, cancel: Cancel, number: int = 1) -> Iterator[None]:
        """Holds so many slots at once. Raises CancelledError while waiting."""
        self._enter(_Waiter(rank, number), cancel)
        try:
            yield
        finally:
            with self._lock:
                self._free += number
                self._pass_on()

    def _enter(self, own: _Waiter, cancel: Cancel) -> None:
        own.turn.acquire()
        with self._lock:
            self._waiting.append(own)
            self._pass_on()
        while not own.turn.acquire(timeout=_LISTEN_SECONDS):
            if cancel.requested():
                self._give_up(own)

    def _give_up(self, own: _Waiter) -> None:
        """Slots that were given in the same moment are passed on, and so are those that it kept others from."""
        with self._lock:
            if own in self._waiting:
                self._waiting.remove(own)
            else:
                self._free += own.number
            self._pass_on()
        raise CancelledError("error.cancelled")

    def _pass_on(self) -> None:
        while self._waiting:
            first = min(self._waiting, key=lambda waiting: waiting.rank)
            if first.number > self._free:
                return
            self._waiting.remove(first)
            self._free -= first.number
            first.turn.release()
