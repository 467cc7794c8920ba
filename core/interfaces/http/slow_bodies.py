"""A limit of the time for which the body of a request is waited for."""

import asyncio
from time import monotonic

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

from core.platform.errors import AppError

BODY_SECONDS = 30.0
MOST_SECONDS = 2 * BODY_SECONDS
"""So long may a body stop that came fast before."""
_LEAST_BYTES_A_SECOND = 1_000
"""Mean rate, so that an occasional byte is not enough."""
SLOW = "api.problem.slow"


class SlowBodyError(HTTPException):
    """The body did not come in time. Starlette's and FastAPI's apps answer it and close the connection."""

    def __init__(self) -> None:
        super().__init__(408, str(AppError(SLOW, seconds=f"{BODY_SECONDS:.0f}")), {"Connection": "close"})


def in_time(receive: Receive) -> Receive:
    """Of one request; what it returns raises SlowBodyError. Only the time in which the app waits is counted."""
    left, is_whole = BODY_SECONDS, False

    async def received() -> Message:
        nonlocal left, is_whole
        if is_whole:
            return await receive()
        began = monotonic()
        try:
            async with asyncio.timeout(left):
                message = await receive()
        except TimeoutError:
            raise SlowBodyError from None
        earned = len(message.get("body", b"")) / _LEAST_BYTES_A_SECOND
        left = min(left + earned - (monotonic() - began), MOST_SECONDS)
        is_whole = not message.get("more_body")
        return message

    return received
