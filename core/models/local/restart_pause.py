"""Growing pauses between restarts of an engine that ends by itself."""

import math
import time
from pathlib import Path

from core.platform.errors import ServiceError

FIRST_SECONDS, LONGEST_SECONDS = 1.0, 60.0
HEALTHY_SECONDS = 60.0
"""An engine that was loaded for so long is restarted at once."""


class RestartPause:
    def __init__(self, log: Path) -> None:
        self._log = log
        self._failures = 0
        self._until = 0.0
        self._key = ""

    def check(self) -> None:
        """Raises ServiceError during a pause."""
        if fault := self.fault:
            raise fault

    @property
    def fault(self) -> ServiceError | None:
        """Why the engine is left alone; None outside a pause."""
        left = self._until - time.monotonic()
        return ServiceError(self._key, seconds=math.ceil(left), log=self._log) if left > 0 else None

    def begin(self, loaded_seconds: float | None) -> None:
        """After an end. loaded_seconds: how long the model was loaded; None if it never was."""
        self._failures = 1 if (loaded_seconds or 0.0) > HEALTHY_SECONDS else self._failures + 1
        self._key = "local_model.engine_not_started" if loaded_seconds is None else "local_model.engine_ended"
        if self._failures > 1 or loaded_seconds is None:
            self._until = time.monotonic() + min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** (self._failures - 1))

    def end(self) -> None:
        self._failures, self._until = 0, 0.0
