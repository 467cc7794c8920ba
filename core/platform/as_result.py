"""Failures as values, where one must not end the work on others."""

from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def attempted(do: Callable[[], Result]) -> Result | Exception:
    """What it returns or raises."""
    try:
        return do()
    except Exception as error:  # noqa: BLE001  # handed on as it is
        return error
