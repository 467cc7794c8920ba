"""Retries calls during an outage of the database, so that streams continue after it."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from core.platform.errors import RetryableServiceError

OUTAGE_SECONDS = 60.0
"""Longest outage; then the stream ends, and its reader can resume it."""
RETRY_SECONDS = 0.25
Found = TypeVar("Found")


async def until_available(call: Callable[..., Found], *given: object) -> Found:
    """Calls in another thread, again during an outage. Raises RetryableServiceError after OUTAGE_SECONDS."""
    until = time.monotonic() + OUTAGE_SECONDS
    while True:
        try:
            return await asyncio.to_thread(call, *given)
        except RetryableServiceError:
            if time.monotonic() > until:
                raise
        await asyncio.sleep(RETRY_SECONDS)
