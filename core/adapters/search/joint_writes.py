"""What threads write to one index at the same time is written together: opening a writer costs more than entries do."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from time import monotonic, sleep
from typing import Generic, TypeVar

Item = TypeVar("Item")
GATHER_SECONDS = 0.1
"""How long the next write waits for others while one follows the other."""
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
        """Returns when the items are written, by whatever thread. A failure is that of its own items only."""
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
        try:
            write([item for part in parts for item in part.items])
        except BaseException:
            if len(parts) == 1:
                raise
            for part in parts:
                part.alone = True
            self._write(own, write)
            return
        self._last = monotonic()
        for part in parts:
            part.done = True

    def _taken(self) -> list[_Part[Item]]:
        """All that wait, this one among them."""
        with self._lock:
            taken, self._waiting = self._waiting, []
        return taken
