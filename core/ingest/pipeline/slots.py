"""Limits concurrent work on this machine; documents closer to completion go first."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from threading import Condition

from core.errors import CancelledError
from core.ports.metering import Cancel

Rank = tuple[int, datetime, str]
"""Smaller ranks go first."""
_LISTEN_SECONDS = 0.5


class Slots:
    """Thread-safe."""

    def __init__(self, number: int) -> None:
        self._free = number
        self._waiting: list[Rank] = []
        self._turn = Condition()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @contextmanager
    def slot(self, rank: Rank, cancel: Cancel) -> Iterator[None]:
        """Raises CancelledError while waiting."""
        with self._turn:
            self._waiting.append(rank)
            try:
                while not self._free or min(self._waiting) != rank:
                    if cancel.requested():
                        raise CancelledError("error.cancelled")
                    self._turn.wait(_LISTEN_SECONDS)
                self._free -= 1
            finally:
                self._waiting.remove(rank)
                self._turn.notify_all()
        try:
            yield
        finally:
            with self._turn:
                self._free += 1
                self._turn.notify_all()
