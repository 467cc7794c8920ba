"""When a model's task has to be done, whatever it waits for."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from core.errors import CancelledError, ServiceError

SLICE_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Deadline:
    at: float
    """On the monotonic clock, in seconds."""
    stopped: Callable[[], bool]
    """Whether the user stopped the work."""

    @classmethod
    def after(cls, seconds: float, stopped: Callable[[], bool]) -> "Deadline":
        return cls(time.monotonic() + seconds, stopped)

    @property
    def over(self) -> bool:
        return time.monotonic() >= self.at

    def seconds(self) -> float:
        """What is left. Raises CancelledError when the user stopped, ServiceError when nothing is left."""
        if self.stopped():
            raise CancelledError("error.cancelled")
        left = self.at - time.monotonic()
        if left <= 0:
            raise ServiceError("llm.timeout")
        return left

    def sleep(self, seconds: float) -> None:
        """Waits, and raises as soon as the user stops or the time is over."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, SLICE_SECONDS, self.seconds()))
