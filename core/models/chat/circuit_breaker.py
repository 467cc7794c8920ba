"""Circuit breaker for an unreachable endpoint, so that a question does not wait for it at every node."""

import time

from core.models.failures import BusyError
from core.models.ports import Pause
from core.platform.errors import ServiceError

OUT_OF_REACH = {
    "llm.key_missing",
    "llm.key_refused",
    "llm.malformed",
    "llm.no_credit",
    "llm.not_found",
    "llm.timeout",
    "llm.unreachable",
}


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
