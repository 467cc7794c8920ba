"""Ends a stream whose reader is not admitted any more: by a key that was revoked, or a sign-in that was ended."""

import time
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.interfaces.http.retry import until_available

LOOK_AGAIN_SECONDS = 1.0


class _Ended(Exception):
    """Inside the app that streams."""


async def serve_while(admitted: Callable[[], bool], app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """admitted: asked in another thread, at most once in LOOK_AGAIN_SECONDS, before more of a body is sent."""
    due = time.monotonic() + LOOK_AGAIN_SECONDS

    async def checked(message: Message) -> None:
        nonlocal due
        if message.get("more_body") and time.monotonic() >= due:
            if not await until_available(admitted):
                raise _Ended
            due = time.monotonic() + LOOK_AGAIN_SECONDS
        await send(message)

    try:
        await app(scope, receive, checked)
    except* _Ended:
        await send({"type": "http.response.body", "body": b"", "more_body": False})
