"""The time of what is stored; tests give another one."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Times with a time zone."""


def utc_now() -> datetime:
    return datetime.now(UTC)


def read_moment(text: str) -> datetime:
    """ISO 8601 as a time in UTC, which it is where it names no zone. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    try:
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError as error:
        raise ValueError("outside the years 1 to 9999 in UTC") from error
