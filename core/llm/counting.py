"""A meter for work that is no question: it counts and listens for a stop, and sets no limit of its own."""

import math
import threading

from core.domain.runs import Usage
from core.errors import CancelledError
from core.ports import Cancel


class CountingMeter:
    """The Meter of calls made while a document is read; safe to use from several threads."""

    def __init__(self, cancel: Cancel) -> None:
        self._cancel = cancel
        self._lock = threading.Lock()
        self.usage = Usage()
        self.degradations = 0
        """How often a rule answered for the model."""

    def remaining_seconds(self) -> float:
        return math.inf

    def cancelled(self) -> bool:
        return self._cancel.requested()

    def before_call(self, task: str) -> None:
        del task
        if self.cancelled():
            raise CancelledError("error.cancelled")

    def after_call(self, task: str, prompt: str, response: str, seconds: float, usage: Usage) -> None:
        del task, prompt, response, seconds
        with self._lock:
            self.usage += usage

    def before_tool(self, tool: str, arguments: str) -> None:
        del arguments
        self.before_call(tool)

    def degraded(self, task: str, reason: str) -> None:
        del task, reason
        with self._lock:
            self.degradations += 1
