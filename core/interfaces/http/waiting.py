"""Work of a request that may take long: a question or an image that waits for its turn, a model that is asked."""

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar

WAITING_AT_ONCE = 100
Made = TypeVar("Made")
_LIMITER: RunVar[CapacityLimiter | None] = RunVar("waiting", None)
"""Of the event loop."""


async def in_own_thread(work: Callable[..., Made], *given: object) -> Made:
    """Calls it in one of WAITING_AT_ONCE threads that nothing else needs, so that other requests are served."""
    limiter = _LIMITER.get() or CapacityLimiter(WAITING_AT_ONCE)
    _LIMITER.set(limiter)
    return await to_thread.run_sync(work, *given, limiter=limiter)
