"""Limits of time for the calls of an endpoint: a deadline, pauses that it asks for, a break while it is away."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from core.models.failures import BusyError
from core.models.meter import Meter, ModelPhase, Tell, nobody
from core.models.ports import Pause
from core.platform.errors import CancelledError, ServiceError

SLICE_SECONDS = 0.1
LONGEST = 10
"""Multiple of its time limit that a call may take while it shows signs of life."""
OUT_OF_REACH = {
    "llm.key_missing",
    "llm.key_refused",
    "llm.malformed",
    "llm.no_credit",
    "llm.not_found",
    "llm.timeout",
    "llm.unreachable",
}


@dataclass(slots=True)
class Deadline:
    """A time limit that every sign of life restarts, up to LONGEST times in all."""

    at: float
    """On the monotonic clock, in seconds."""
    stopped: Callable[[], bool]
    """True if the user stopped the work."""
    silence: float = 0.0
    """Longest silence in seconds."""
    last: float = 0.0
    """The latest end, whatever signs of life there are."""
    left: Callable[[], float] = lambda: math.inf
    """Seconds that the question has left."""
    tell: Tell = nobody

    @classmethod
    def after(
        cls,
        seconds: float,
        stopped: Callable[[], bool],
        left: Callable[[], float] = lambda: math.inf,
        tell: Tell = nobody,
    ) -> "Deadline":
        now = time.monotonic()
        return cls(now + min(seconds, left()), stopped, seconds, now + LONGEST * seconds, left, tell)

    def alive(self) -> None:
        """A sign of life of the endpoint."""
        now = time.monotonic()
        self.at = max(self.at, min(now + min(self.silence, self.left()), self.last))

    def hear(self, phase: ModelPhase, percent: int) -> None:
        """Progress of the model on this machine."""
        self.tell(phase, percent)
        self.alive()

    def seconds(self) -> float:
        """Seconds left. Raises CancelledError if the user stopped the work, ServiceError if no time is left."""
        if self.stopped():
            raise CancelledError("error.cancelled")
        left = self.at - time.monotonic()
        if left <= 0:
            raise ServiceError("llm.timeout")
        return left

    def sleep(self, seconds: float) -> None:
        """Waits; raises as soon as the user stops or the time is up."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, SLICE_SECONDS, self.seconds()))


def deadline_of(seconds: float, meter: Meter) -> Deadline:
    """The deadline of one call for a question."""
    return Deadline.after(seconds, meter.cancelled, meter.remaining_seconds, meter.progress)


class RetryAfterGate:
    """Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until = 0.0

    def ask(self, seconds: float) -> None:
        """Starts a pause; an earlier pause that ends later stays."""
        with self._lock:
            self._until = max(self._until, time.monotonic() + seconds)

    def wait(self, deadline: Deadline) -> None:
        """Raises what the deadline raises."""
        while (left := self._until - time.monotonic()) > 0:
            deadline.sleep(left)


def _asks_too_long(error: ServiceError) -> bool:
    """A pause (429) that is longer than anybody waits: it was waited for once."""
    return isinstance(error, BusyError) and error.too_long


class CircuitBreaker:
    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = 0.0
        self._key = ""

    def check(self) -> None:
        """While open, raises the error that opened it."""
        if time.monotonic() < self._until:
            raise ServiceError(self._key)

    def after(self, error: ServiceError) -> None:
        """Opens if the next call would fail for the same reason."""
        if (error.key in OUT_OF_REACH or _asks_too_long(error)) and time.monotonic() >= self._until:
            self._key = error.key
            self._until = time.monotonic() + self._seconds

    def pause(self) -> Pause | None:
        left = self._until - time.monotonic()
        return Pause(self._key, left) if left > 0 else None

    def end(self) -> None:
        self._until = 0.0
