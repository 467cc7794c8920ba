"""Stretches of a text, merged."""

from collections.abc import Iterable

Interval = tuple[int, int]
"""(start, end) of a stretch, end exclusive."""


def merged(intervals: Iterable[Interval]) -> list[Interval]:
    """Return the stretches in order, those that touch or overlap as one."""
    joined: list[Interval] = []
    for start, end in sorted(intervals):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
