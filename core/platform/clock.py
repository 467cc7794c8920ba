"""The time of what is stored; tests give another one."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Times with a time zone."""


def utc_now() -> datetime:
    return datetime.now(UTC)
