"""Waits for a database that is away: a stream under way goes on when it is back."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from core.platform.errors import RetryableServiceError

AWAY_SECONDS = 60.0
"""For so long; then the stream breaks off, and its reader can come back to it."""
LOOK_SECONDS = 0.25
Found = TypeVar("Found")


async def until_available(call: Callable[..., Found], *given: object) -> Found:
    """In another thread, again while a service is away. Raises RetryableServiceError if it stays away."""
    until = time.monotonic() + AWAY_SECONDS
    while True:
        try:
            return await asyncio.to_thread(call, *given)
        except RetryableServiceError:
            if time.monotonic() > until:
                raise
        await asyncio.sleep(LOOK_SECONDS)
