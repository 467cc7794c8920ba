"""Limits of work that is not a model call, and a meter for work that is not a question."""

import math
import threading

from core.models.meter import Cancel, Meter, ModelPhase
from core.platform.errors import BudgetError, CancelledError
from core.runs.model import Usage


def stop_if_cancelled(meter: Meter) -> None:
    if meter.cancelled():
        raise CancelledError("error.cancelled")


def stop_if_over(meter: Meter) -> None:
    """Raises CancelledError when the user stopped the question, BudgetError when its seconds are used up."""
    stop_if_cancelled(meter)
    if meter.remaining_seconds() <= 0:
        raise BudgetError("llm.budget_seconds")


class CountingMeter:
    """The Meter of model calls during ingestion; thread-safe."""

    def __init__(self, cancel: Cancel) -> None:
        self._cancel = cancel
        self._lock = threading.Lock()
        self.usage = Usage()
        self.degradations = 0
        """How often a rule replaced the model."""
        self._failure = ""
        self._asked: dict[str, None] = {}

    def remaining_seconds(self) -> float:
        return math.inf

    def cancelled(self) -> bool:
        return self._cancel.requested()

    def before_call(self, task: str, seconds: float = 0.0) -> None:
        del task, seconds
        if self.cancelled():
            raise CancelledError("error.cancelled")

    def progress(self, phase: ModelPhase, percent: int) -> None:
        """Nobody watches a single call."""

    def after_call(self, task: str, prompt: str, response: str, seconds: float, usage: Usage) -> None:
        del prompt, response, seconds
        with self._lock:
            self.usage += usage
            self._asked[task] = None

    def check_tokens(self, streamed: int) -> None:
        """Reading documents has no budget of tokens a question."""

    def before_tool(self, tool: str, arguments: str) -> None:
        del arguments
        self.before_call(tool)

    def degraded(self, task: str, reason: str) -> None:
        del task
        with self._lock:
            self.degradations += 1
            self._failure = self._failure or reason

    def asked(self) -> tuple[str, ...]:
        return tuple(self._asked)

    def failure(self) -> str:
        return self._failure
