"""The time of what is stored; tests give another one."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Times with a time zone."""


def utc_now() -> datetime:
    return datetime.now(UTC)


def read_moment(text: str) -> datetime:
    """ISO 8601, in UTC where it names no zone. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
