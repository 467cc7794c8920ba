"""Requests whose bodies do not come are refused, instead of holding a connection for ever."""

import asyncio
from time import monotonic

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.interfaces.http.problems import RefusedRequest, problem

PATIENCE_SECONDS = 30.0
_LEAST_BYTES_A_SECOND = 1_000
"""Over the whole body, so that a byte now and then is not enough."""
_CLOSED = {"Connection": "close"}


class SlowBodies:
    """ASGI middleware. FastAPI answers what receiving raises; MCP's server only passes it on."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refusal = RefusedRequest(408, "api.problem.slow", seconds=f"{PATIENCE_SECONDS:.0f}")
        refusal.headers.update(_CLOSED)
        due = monotonic() + PATIENCE_SECONDS
        is_whole = False

        async def in_time() -> Message:
            nonlocal due, is_whole
            if is_whole:
                return await receive()
            try:
                async with asyncio.timeout(due - monotonic()):
                    message = await receive()
            except TimeoutError:
                raise _TooSlow(refusal.status, str(refusal), refusal.headers) from None
            due += len(message.get("body", b"")) / _LEAST_BYTES_A_SECOND
            is_whole = not message.get("more_body")
            return message

        try:
            await self.app(scope, in_time, send)
        except* _TooSlow:
            await problem(scope["path"], refusal)(scope, receive, send)


class _TooSlow(HTTPException):
    """The body did not come in time."""
