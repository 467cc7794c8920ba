"""Ends a stream whose reader has lost access, by a revoked key or a sign-out."""

import time
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.interfaces.http.waiting import until_available

CHECK_SECONDS = 1.0


class _Ended(Exception):
    """Raised inside the streaming app."""


async def serve_while(admitted: Callable[[], bool], app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """admitted: called in another thread before more of a body is sent, at most every CHECK_SECONDS."""
    due = time.monotonic() + CHECK_SECONDS

    async def checked(message: Message) -> None:
        nonlocal due
        if message.get("more_body") and time.monotonic() >= due:
            if not await until_available(admitted):
                raise _Ended
            due = time.monotonic() + CHECK_SECONDS
        await send(message)

    try:
        await app(scope, receive, checked)
    except* _Ended:
        await send({"type": "http.response.body", "body": b"", "more_body": False})
