"""Limits of the body of a request, in size and time; refuses parameters in the address that a route does not have."""

import asyncio
from time import monotonic

from fastapi import Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Cookie, Header, Path
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.interfaces.http.problems import RefusedRequest, problem

MAX_BODY_BYTES = 1_000_000
BODY_SECONDS = 30.0
_LEAST_BYTES_A_SECOND = 1_000
"""Mean rate of the whole body, so that an occasional byte is not enough."""
_CLOSED = {"Connection": "close"}
_SHOWN = 60


class SlowBodies:
    """ASGI middleware. FastAPI answers what receiving raises; MCP's server only passes it on."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refusal = RefusedRequest(408, "api.problem.slow", seconds=f"{BODY_SECONDS:.0f}")
        refusal.headers.update(_CLOSED)
        due = monotonic() + BODY_SECONDS
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


async def check_query(request: Request) -> None:
    """Raises RefusedRequest for an unknown parameter, which would silently have no effect."""
    route = request.scope.get("route")
    if not request.query_params or not isinstance(route, APIRoute):
        return
    known = _parameters(route)
    unknown = next((name for name in request.query_params if name not in known), None)
    if unknown is None:
        return
    name = unknown[:_SHOWN]
    if not known:
        raise RefusedRequest(422, "api.problem.no_query", name=name)
    raise RefusedRequest(422, "api.problem.query", name=name, known=", ".join(known))


def _parameters(route: APIRoute) -> list[str]:
    """Names of query parameters; those of a parameter model have no kind."""
    found = get_flat_params(route.dependant)
    return [field.alias for field in found if not isinstance(field.field_info, Path | Header | Cookie)]
