"""Limits, counts and progress of model calls, and how work is cancelled."""

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import Protocol

from core.platform.errors import BudgetError, CancelledError
from core.runs.model import Usage


class Cancel(Protocol):
    """A request to stop, checked between pieces of work; set from another thread or process."""

    def requested(self) -> bool: ...


class Uncancelled:
    """A Cancel that is never requested."""

    def requested(self) -> bool:
        return False


class CancelWhen:
    """A Cancel that is requested while a condition holds."""

    def __init__(self, requested: Callable[[], bool]) -> None:
        self.requested = requested


def stop_if_requested(cancel: Cancel) -> None:
    """Raises CancelledError."""
    if cancel.requested():
        raise CancelledError("error.cancelled")


class ModelPhase(StrEnum):
    """Phases of a call of a model on this machine before its first words."""

    LOADING = "loading"
    READING = "reading"
    """Its prompt."""


class Meter(Protocol):
    """Limits and counts of all model calls of one question."""

    def remaining_seconds(self) -> float: ...

    def before_call(self, task: str, seconds: float = 0.0) -> None:
        """Raises BudgetError or CancelledError when no further call may start. seconds is how long it may take."""

    def progress(self, phase: ModelPhase, percent: int) -> None:
        """Reports how far the call under way has come."""

    def after_call(
        self, task: str, prompt: str, response: str, seconds: float, usage: Usage, certainty: float | None = None
    ) -> None:
        """certainty: mean log probability of the reply's tokens, where the endpoint tells it."""

    def certainty(self, task: str) -> float | None:
        """That of the last call for the task."""

    def check_tokens(self, streamed: int) -> None:
        """Raises BudgetError when the tokens of a reply under way are more than the question has left."""

    def before_tool(self, tool: str, arguments: str) -> None:
        """Raises BudgetError or CancelledError when the tool may not be called; arguments are JSON."""

    def degraded(self, task: str, reason: str, params: tuple[tuple[str, str], ...] = ()) -> None:
        """The model failed and the rule answered. params: placeholders of the reason, which is a catalogue key."""

    def asked(self) -> tuple[str, ...]:
        """Tasks that a model was called for, in the order of their first calls."""

    def failure(self) -> str:
        """Why the model first failed in this work: catalogue key; empty when it did not."""

    def cancelled(self) -> bool: ...


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
        stop_if_requested(self._cancel)

    def progress(self, phase: ModelPhase, percent: int) -> None:
        """Ignored, because nobody watches a single call."""

    def after_call(
        self, task: str, prompt: str, response: str, seconds: float, usage: Usage, certainty: float | None = None
    ) -> None:
        del prompt, response, seconds, certainty
        with self._lock:
            self.usage += usage
            self._asked[task] = None

    def certainty(self, task: str) -> float | None:
        """None, because it is not kept."""
        del task
        return None

    def check_tokens(self, streamed: int) -> None:
        """Ignored, because reading documents has no budget of tokens."""

    def before_tool(self, tool: str, arguments: str) -> None:
        del arguments
        self.before_call(tool)

    def degraded(self, task: str, reason: str, params: tuple[tuple[str, str], ...] = ()) -> None:
        del task, params
        with self._lock:
            self.degradations += 1
            self._failure = self._failure or reason

    def asked(self) -> tuple[str, ...]:
        return tuple(self._asked)

    def failure(self) -> str:
        return self._failure


Tell = Callable[[ModelPhase, int], None]
"""(phase, per cent of it): called with the progress of a request."""


def nobody(phase: ModelPhase, percent: int) -> None:
    """Ignores progress."""


_LISTENER: ContextVar[Tell] = ContextVar("listener", default=nobody)


@contextmanager
def telling(tell: Tell) -> Iterator[None]:
    """Requests started inside the block report their progress to `tell`."""
    token = _LISTENER.set(tell)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def listener() -> Tell:
    return _LISTENER.get()
