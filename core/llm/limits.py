"""The checks that a rule makes between pieces of work; a model call makes them through Meter.before_call."""

from core.errors import BudgetError, CancelledError
from core.ports import Meter


def stop_if_cancelled(meter: Meter) -> None:
    if meter.cancelled():
        raise CancelledError("error.cancelled")


def stop_if_over(meter: Meter) -> None:
    """Raises CancelledError when the user stopped the question, BudgetError when its seconds are used up."""
    stop_if_cancelled(meter)
    if meter.remaining_seconds() <= 0:
        raise BudgetError("llm.budget_seconds")
