"""The deadline of a model task, whatever it is waiting for."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from core.models.meter import Meter, ModelPhase, Tell, nobody
from core.platform.errors import CancelledError, ServiceError

SLICE_SECONDS = 0.1
LONGEST = 10
"""Multiple of its time limit that a call may take while it shows signs of life."""


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
