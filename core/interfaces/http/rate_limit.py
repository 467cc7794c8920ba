"""How many requests a key may make: a token bucket a key, in this process."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from math import ceil

_MOST = 1_000
"""Buckets kept; the one used least recently goes."""


class RateLimit:
    """A full bucket allows a burst of a minute's requests; it fills evenly."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """By owner: requests left, and when that was true."""

    def wait(self, owner: str, per_minute: int) -> int:
        """Takes one request; 0 when it is allowed, otherwise the seconds after which the next one is."""
        now = self._clock()
        with self._lock:
            left, since = self._buckets.pop(owner, (float(per_minute), now))
            left = min(per_minute, left + (now - since) * per_minute / 60)
            allowed = left >= 1
            self._buckets[owner] = (left - 1 if allowed else left, now)
            if len(self._buckets) > _MOST:
                self._buckets.popitem(last=False)
        return 0 if allowed else max(1, ceil((1 - left) * 60 / per_minute))
