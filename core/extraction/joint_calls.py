"""Several documents that are read at the same time, each too short to fill a call to a model, share one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition
from time import monotonic
from typing import Generic, TypeVar

Part = TypeVar("Part")
GATHER_SECONDS = 0.3
"""How long a document waits for others when no call is under way; a model takes longer for its answer."""
LISTEN_SECONDS = 0.05


@dataclass(eq=False, slots=True)
class _Waiting(Generic[Part]):
    part: Part
    size: int
    since: float = field(default_factory=monotonic)
    taken: bool = False
    done: bool = False


class JointCalls(Generic[Part]):
    """Decides who asks for whom. Thread-safe."""

    def __init__(self, most: int) -> None:
        """most: size of what one call may hold."""
        self._most = most
        self._waiting: list[_Waiting[Part]] = []
        self._under_way = 0
        self._turn = Condition()

    @contextmanager
    def turn(self, part: Part, size: int, heard: Callable[[], None]) -> Iterator[list[Part]]:
        """The parts to ask for within the block, this one first; none where another thread has asked for it already.

        A call begins when it is full, or when none is under way and others had time to join. heard is called now and
        then while waiting, and may raise.
        """
        own = _Waiting(part, size)
        batch = self._joined(own, heard)
        try:
            yield [each.part for each in batch]
        finally:
            if batch:
                self._finish(batch)

    def _joined(self, own: _Waiting[Part], heard: Callable[[], None]) -> list[_Waiting[Part]]:
        with self._turn:
            self._waiting.append(own)
            try:
                while not own.done:
                    if not own.taken and self._may_begin(own):
                        return self._take()
                    heard()
                    self._turn.wait(LISTEN_SECONDS)
            except BaseException:
                if own in self._waiting:
                    self._waiting.remove(own)
                raise
        return []

    def _may_begin(self, own: _Waiting[Part]) -> bool:
        if self._waiting[0] is not own:
            return False
        is_full = sum(each.size for each in self._waiting) >= self._most
        return is_full or (not self._under_way and monotonic() - own.since >= GATHER_SECONDS)

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
        return batch

    def _finish(self, batch: list[_Waiting[Part]]) -> None:
        with self._turn:
            for each in batch:
                each.done = True
            self._under_way -= 1
            self._turn.notify_all()
