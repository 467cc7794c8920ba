"""Combines concurrent writes to one index, because opening a writer costs more than writing the entries."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from time import monotonic, sleep
from typing import Generic, TypeVar

from core.platform.errors import AppError

Item = TypeVar("Item")
GATHER_SECONDS = 0.1
"""How long a write waits for others to join it, if the last one was just now."""
_SOON_SECONDS = 1.0


@dataclass(eq=False, slots=True)
class _Part(Generic[Item]):
    items: Sequence[Item]
    done: bool = False
    alone: bool = False


class JointWrites(Generic[Item]):
    """Thread-safe."""

    def __init__(self) -> None:
        self._waiting: list[_Part[Item]] = []
        self._lock = Lock()
        self._writing = Lock()
        self._last = -_SOON_SECONDS

    def write(self, items: Sequence[Item], write: Callable[[Sequence[Item]], None]) -> None:
        """Returns when the items are written, by any thread. Raises only failures caused by these items."""
        own = _Part(items)
        with self._lock:
            self._waiting.append(own)
        with self._writing:
            if not own.done:
                self._write(own, write)

    def _write(self, own: _Part[Item], write: Callable[[Sequence[Item]], None]) -> None:
        if not own.alone and monotonic() - self._last < _SOON_SECONDS:
            sleep(GATHER_SECONDS)
        parts = [own] if own.alone else self._taken()
        for part in parts:
            part.alone = True  # unless it is done in a moment
        try:
            write([item for part in parts for item in part.items])
        except AppError:
            if len(parts) == 1:
                raise
            self._write(own, write)
            return
        self._last = monotonic()
        for part in parts:
            part.done = True

    def _taken(self) -> list[_Part[Item]]:
        """All waiting parts, including this one."""
        with self._lock:
            taken, self._waiting = self._waiting, []
        return taken
