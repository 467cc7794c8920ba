"""What a person may ask in a day, and when more of it is free."""

from collections.abc import Sequence
from datetime import datetime, timedelta

DAY = timedelta(days=1)
_MINUTE = timedelta(minutes=1)


def free_again(spent: Sequence[tuple[datetime, int]], limit: int) -> datetime | None:
    """The first whole minute in which less than the limit is spent; None where that is so now, or without a limit.

    spent: of the last day, oldest first; each ceases to count a day after it was spent.
    """
    left = sum(amount for _, amount in spent)
    if not limit or left < limit:
        return None
    for at, amount in spent:
        left -= amount
        if left < limit:
            free = at + DAY + _MINUTE
            return free.replace(second=0, microsecond=0)
    return None
