"""Lets documents that are read at the same time, each too short to fill a call to a model, share calls."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Event, RLock
from time import monotonic
from typing import Generic, Protocol, TypeVar

from core.documents.extraction.packing import calls_for, least, shared_out

ROUNDS = 2
"""Rounds of full calls for all slots gathered before the first call, and begun at a time: one for the model, and one
for the slots that become free.
"""
GATHER_SECONDS = 0.5
"""Silence after which texts that fill no call are sent, if no call is under way."""
GAPS = 3
"""Multiple of the last gap between arrivals that has to pass as well; on a busy machine texts arrive slowly."""
MOST_SECONDS = 10.0
"""Longest wait of the first text while others arrive."""
LOOK_SECONDS = 0.05
"""Interval at which the first in line checks for arrivals; it alone, because a hundred may be waiting."""
LISTEN_SECONDS = 0.5


class JointPart(Protocol):
    """A text to be sent to the model."""

    @property
    def kind(self) -> Hashable:
        """Texts of different kinds share no call."""

    @property
    def size(self) -> int: ...

    def is_wanted(self) -> bool:
        """Whether its result is still needed."""


Part = TypeVar("Part", bound=JointPart)


@dataclass(eq=False, slots=True)
class _Caller:
    """A thread that waits for its parts."""

    called: Event = field(default_factory=Event)
    """Set when something has changed for the thread."""
    listened: float = float("-inf")
    """When its parts were last checked for being needed."""


@dataclass(eq=False, slots=True)
class _Waiting(Generic[Part]):
    part: Part
    caller: _Caller
    since: float = field(default_factory=monotonic)
    done: bool = False
    error: Exception | None = None


class JointCalls(Generic[Part]):
    """Decides which parts share a call, and when it is made. Thread-safe."""

    def __init__(self, ask: Callable[[Sequence[Part]], None], most: int, at_once: int) -> None:
        """ask: makes one call; most: size of a call; at_once: slots of the model."""
        self._ask = ask
        self._most = most
        self._at_once = at_once
        self._pool = ThreadPoolExecutor(ROUNDS * at_once, "joint call")
        self._waiting: list[_Waiting[Part]] = []
        self._under_way: Counter[Hashable] = Counter()
        """Number of calls of each kind."""
        self._expected = 0
        self._came = float("-inf")
        self._gap = 0.0
        """Seconds between the last two arrivals; 0 after a long silence."""
        self._lock = RLock()
        """Reentrant, because a call may end while it is being started."""

    @contextmanager
    def expecting(self) -> Iterator[Callable[[], None]]:
        """Announces texts that are prepared inside the block; the function that it yields is called once they wait."""
        left = [True]

        def arrived() -> None:
            with self._lock:
                if left:
                    left.clear()
                    self._expected -= 1
                    self._call_next()

        with self._lock:
            self._expected += 1
        try:
            yield arrived
        finally:
            arrived()

    def ask_for(self, parts: Sequence[Part], arrived: Callable[[], None] = lambda: None) -> list[Exception | None]:
        """Waits until each part was sent, or is no longer needed; the exception of its call for each.

        arrived: called when all of them wait.
        """
        if not parts:
            arrived()
            return []
        caller = _Caller()
        own = [_Waiting(part, caller) for part in parts]
        try:
            self._join(own)
            arrived()
            while self._is_open(own):
                is_next = self._look(caller)
                self._drop_unwanted(own)
                caller.called.wait(LOOK_SECONDS if is_next else LISTEN_SECONDS)
        finally:
            self._leave(own)
        return [each.error for each in own]

    def _is_open(self, own: Sequence[_Waiting[Part]]) -> bool:
        """Whether any part is left. The caller's event is set by every change from here on."""
        own[0].caller.called.clear()
        return not all(each.done for each in own)

    def _join(self, own: Sequence[_Waiting[Part]]) -> None:
        with self._lock:
            self._waiting += own
            gap, self._came = monotonic() - self._came, monotonic()
            self._gap = gap if gap < MOST_SECONDS else 0.0
            self._call_next()

    def _drop_unwanted(self, own: Sequence[_Waiting[Part]]) -> None:
        """Runs at intervals, because this check takes longer than that of who is next."""
        caller = own[0].caller
        if monotonic() - caller.listened >= LISTEN_SECONDS:
            caller.listened = monotonic()
            self._leave([each for each in own if not each.done and not each.part.is_wanted()])

    def _leave(self, gone: Sequence[_Waiting[Part]]) -> None:
        """Takes parts off the list; a call under way for them goes on."""
        if not gone:
            return
        with self._lock:
            for each in gone:
                each.done = True
            self._waiting = [each for each in self._waiting if not each.done]
            self._call_next()

    def _call_next(self) -> None:
        if self._waiting:
            self._waiting[0].caller.called.set()

    def _look(self, caller: _Caller) -> bool:
        """Begins calls if this caller is the first in line; returns whether it still is."""
        with self._lock:
            if not self._waiting or self._waiting[0].caller is not caller:
                return False
            for call in self._next_calls():
                self._begin(call)
            is_next = bool(self._waiting) and self._waiting[0].caller is caller
            if not is_next:
                self._call_next()
            return is_next

    def _next_calls(self) -> list[list[_Waiting[Part]]]:
        now = monotonic()
        kinds: dict[Hashable, list[_Waiting[Part]]] = {}
        for each in self._waiting:
            kinds.setdefault(each.part.kind, []).append(each)
        if self._expected and now - self._waiting[0].since < MOST_SECONDS:
            return self._full([*kinds.values()])
        return [call for own in kinds.values() if self._is_enough(own, now) for call in self._even(own)]

    def _full(self, kinds: Sequence[list[_Waiting[Part]]]) -> list[list[_Waiting[Part]]]:
        """Calls while more texts are prepared: none before there is enough for ROUNDS, then full ones."""
        rounds, under_way = ROUNDS * self._at_once, self._under_way.total()
        if not under_way and _size(self._waiting) < rounds * self._most:
            return []
        calls = [call for own in kinds for call in _filled(own, self._most)]
        return calls[: max(0, rounds - under_way)]

    def _is_enough(self, own: Sequence[_Waiting[Part]], now: float) -> bool:
        """Whether texts of a kind are sent when no others are being prepared."""
        is_slot_free = self._under_way.total() < self._at_once
        if _size(own) >= (least(self._most) if is_slot_free else self._most):
            return True
        quiet = max(GATHER_SECONDS, GAPS * self._gap)
        has_waited = now - own[-1].since >= quiet or now - own[0].since >= MOST_SECONDS
        return has_waited and not self._under_way[own[0].part.kind]

    def _even(self, own: Sequence[_Waiting[Part]]) -> list[list[_Waiting[Part]]]:
        groups = shared_out([each.part.size for each in own], calls_for(_size(own), self._most, self._at_once))
        return [[own[place] for place in group] for group in groups]

    def _begin(self, call: Sequence[_Waiting[Part]]) -> None:
        taken = {id(each) for each in call}
        self._waiting = [each for each in self._waiting if id(each) not in taken]
        self._under_way[call[0].part.kind] += 1
        parts = [each.part for each in call]
        self._pool.submit(self._ask, parts).add_done_callback(partial(self._end, call))

    def _end(self, call: Sequence[_Waiting[Part]], made: "Future[None]") -> None:
        error = made.exception()
        with self._lock:
            self._under_way[call[0].part.kind] -= 1
            for each in call:
                each.error, each.done = error if isinstance(error, Exception) else None, True
                each.caller.called.set()
            self._call_next()


def _size(waiting: Sequence[_Waiting[Part]]) -> int:
    return sum(each.part.size for each in waiting)


def _filled(own: Sequence[_Waiting[Part]], most: int) -> Iterator[list[_Waiting[Part]]]:
    """Calls of the oldest parts that fit together, as long as the rest fills a call."""
    left = [*own]
    while _size(left) >= most:
        call, room = [left.pop(0)], most
        room -= call[0].part.size
        while left and left[0].part.size <= room:
            room -= left[0].part.size
            call.append(left.pop(0))
        yield call
