"""Work of a request in another thread: what may take long, and what is repeated during an outage of the database."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar

from core.platform.errors import RetryableServiceError

WAITING_AT_ONCE = 100
OUTAGE_SECONDS = 60.0
"""Longest outage; then the stream ends, and its reader can resume it."""
RETRY_SECONDS = 0.25
Made = TypeVar("Made")
_LIMITER: RunVar[CapacityLimiter | None] = RunVar("waiting", None)
"""Of the event loop."""


async def in_own_thread(work: Callable[..., Made], *given: object) -> Made:
    """Calls it in one of WAITING_AT_ONCE threads that nothing else needs, so that other requests are served."""
    limiter = _LIMITER.get() or CapacityLimiter(WAITING_AT_ONCE)
    _LIMITER.set(limiter)
    return await to_thread.run_sync(work, *given, limiter=limiter)


async def until_available(call: Callable[..., Made], *given: object) -> Made:
    """Calls in another thread, again during an outage. Raises RetryableServiceError after OUTAGE_SECONDS."""
    until = time.monotonic() + OUTAGE_SECONDS
    while True:
        try:
            return await asyncio.to_thread(call, *given)
        except RetryableServiceError:
            if time.monotonic() > until:
                raise
        await asyncio.sleep(RETRY_SECONDS)
