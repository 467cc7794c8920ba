"""The deadline of a model task, whatever it is waiting for."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from core.platform.errors import CancelledError, ServiceError

SLICE_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Deadline:
    at: float
    """On the monotonic clock, in seconds."""
    stopped: Callable[[], bool]
    """True if the user stopped the work."""

    @classmethod
    def after(cls, seconds: float, stopped: Callable[[], bool]) -> "Deadline":
        return cls(time.monotonic() + seconds, stopped)

    @property
    def over(self) -> bool:
        return time.monotonic() >= self.at

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


class RetryAfterGate:
    """Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until = 0.0

    def ask(self, seconds: float) -> None:
        """From now on; an earlier pause that ends later stays."""
        with self._lock:
            self._until = max(self._until, time.monotonic() + seconds)

    def wait(self, deadline: Deadline) -> None:
        """Raises what the deadline raises."""
        while (left := self._until - time.monotonic()) > 0:
            deadline.sleep(left)
