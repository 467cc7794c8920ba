"""When a person who has used up a day's share may ask again."""

from datetime import UTC, datetime, timedelta

import pytest

from core.people.daily_quota import free_again

NOON = datetime(2026, 11, 22, 12, 0, 30, tzinfo=UTC)
SPENT = [(NOON + timedelta(hours=hour), tokens) for hour, tokens in enumerate((100, 10, 300))]


def at(hour: int) -> datetime:
    """The minute in which what was spent then no longer counts."""
    return datetime(2026, 11, 23, 12 + hour, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("limit", "expected"), [(0, None), (411, None), (410, at(0)), (311, at(0)), (310, at(1)), (300, at(2)), (1, at(2))]
)
def test_more_may_be_asked_once_enough_is_a_day_old(limit: int, expected: datetime | None) -> None:
    assert free_again(SPENT, limit) == expected


def test_who_has_spent_nothing_may_ask() -> None:
    assert free_again([], 1) is None
