"""One pause for all calls to an endpoint that asked one of them to wait."""

import threading
import time

from core.llm.deadline import Deadline


class Hold:
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
