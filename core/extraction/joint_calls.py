"""Several documents that are read at the same time, each too short to fill a call to a model, share one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock
from time import monotonic
from typing import Generic, TypeVar

Part = TypeVar("Part")
GATHER_SECONDS = 0.5
"""When nothing else came for so long and no call is under way, those that wait go on; a model takes longer than that
for its answer."""
GAPS = 3
"""On a busy machine they come slowly: so many times the last gap has to pass as well."""
MOST_SECONDS = 10.0
"""How long the first may wait while others come."""
LOOK_SECONDS = 0.05
"""How often the next one looks whether others still come; it alone, because there may be a hundred waiting."""
LISTEN_SECONDS = 0.5


@dataclass(eq=False, slots=True)
class _Waiting(Generic[Part]):
    part: Part
    size: int
    since: float = field(default_factory=monotonic)
    taken: bool = False
    done: bool = False
    called: Event = field(default_factory=Event)
    """Something has changed for it."""


class JointCalls(Generic[Part]):
    """Decides who asks for whom. Thread-safe."""

    def __init__(self, most: int) -> None:
        """most: size of what one call may hold."""
        self._most = most
        self._waiting: list[_Waiting[Part]] = []
        self._under_way = 0
        self._came = float("-inf")
        self._gap = 0.0
        """Between the last two that came, while they keep coming."""
        self._lock = Lock()

    @contextmanager
    def turn(self, part: Part, size: int, check: Callable[[], None]) -> Iterator[list[Part]]:
        """The parts to ask for within the block, this one first; none where another thread has asked for it already.

        A call begins when it is full, or when none is under way and no others come. check is called now and then while
        waiting, and may raise.
        """
        own = _Waiting(part, size)
        batch = self._joined(own, check)
        try:
            yield [each.part for each in batch]
        finally:
            if batch:
                self._finish(batch)

    def _joined(self, own: _Waiting[Part], check: Callable[[], None]) -> list[_Waiting[Part]]:
        with self._lock:
            self._waiting.append(own)
            gap, self._came = own.since - self._came, own.since
            self._gap = gap if gap < MOST_SECONDS else 0.0
        try:
            while not own.done:
                own.called.clear()
                with self._lock:
                    is_next = not own.taken and self._waiting[0] is own
                    if is_next and self._may_begin(own):
                        return self._take()
                check()
                own.called.wait(LOOK_SECONDS if is_next else LISTEN_SECONDS)
        finally:
            self._leave(own)
        return []

    def _leave(self, own: _Waiting[Part]) -> None:
        """Of one that was stopped while it waited."""
        with self._lock:
            if own in self._waiting:
                self._waiting.remove(own)
                self._call_next()

    def _call_next(self) -> None:
        if self._waiting:
            self._waiting[0].called.set()

    def _may_begin(self, own: _Waiting[Part]) -> bool:
        if sum(each.size for each in self._waiting) >= self._most:
            return True
        now, last = monotonic(), self._waiting[-1]
        quiet = max(GATHER_SECONDS, GAPS * self._gap)
        has_waited = now - last.since >= quiet or now - own.since >= MOST_SECONDS
        return has_waited and not self._under_way

    def _take(self) -> list[_Waiting[Part]]:
        """The oldest that fit together, at least one."""
        batch = [self._waiting.pop(0)]
        room = self._most - batch[0].size
        while self._waiting and self._waiting[0].size <= room:
            room -= self._waiting[0].size
            batch.append(self._waiting.pop(0))
        for each in batch:
            each.taken = True
        self._under_way += 1
        self._call_next()
        return batch

    def _finish(self, batch: list[_Waiting[Part]]) -> None:
        with self._lock:
            self._under_way -= 1
            self._call_next()
        for each in batch:
            each.done = True
            each.called.set()
