"""A pause for an endpoint that is out of reach, so that a question does not wait for it once per node."""

import time

from core.errors import ServiceError

OUT_OF_REACH = {
    "llm.key_missing",
    "llm.key_refused",
    "llm.malformed",
    "llm.no_credit",
    "llm.not_found",
    "llm.timeout",
    "llm.unreachable",
}


class Rest:
    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = 0.0
        self._key = ""

    def check(self) -> None:
        """Raises the error that began the pause while it lasts."""
        if time.monotonic() < self._until:
            raise ServiceError(self._key)

    def after(self, error: ServiceError) -> None:
        """Begins the pause when the error is one that the next call would meet as well."""
        if error.key in OUT_OF_REACH and time.monotonic() >= self._until:
            self._key = error.key
            self._until = time.monotonic() + self._seconds

    def end(self) -> None:
        self._until = 0.0
