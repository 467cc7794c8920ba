"""Limits and counts of model calls, and the stop that work listens for."""

from enum import StrEnum
from typing import Protocol

from core.runs.model import Usage


class Cancel(Protocol):
    """Asked between pieces of work; set from another thread or process."""

    def requested(self) -> bool: ...


class Uncancelled:
    """A Cancel of work that ends by its own time, or with its process."""

    def requested(self) -> bool:
        return False


class ModelPhase(StrEnum):
    """What a model on this machine does with a call before its first words."""

    LOADING = "loading"
    READING = "reading"
    """Its prompt."""


class Meter(Protocol):
    """What every model call of one question goes through: limits before, counts after."""

    def remaining_seconds(self) -> float: ...

    def before_call(self, task: str, seconds: float = 0.0) -> None:
        """Raises BudgetError or CancelledError when no further call may start. seconds is how long it may take."""

    def progress(self, phase: ModelPhase, percent: int) -> None:
        """The call under way has come so far."""

    def after_call(self, task: str, prompt: str, response: str, seconds: float, usage: Usage) -> None: ...

    def check_tokens(self, streamed: int) -> None:
        """Raises BudgetError when the tokens of a reply under way are more than the question has left."""

    def before_tool(self, tool: str, arguments: str) -> None:
        """Raises BudgetError or CancelledError when the tool may not be called; arguments are JSON."""

    def degraded(self, task: str, reason: str) -> None:
        """The model failed and the rule answered."""

    def asked(self) -> tuple[str, ...]:
        """Tasks that a model was called for, in the order of their first calls."""

    def failure(self) -> str:
        """Why the model first failed in this work: catalogue key; empty when it did not."""

    def cancelled(self) -> bool: ...
