"""Checks of every request: size, time and parameters; ETags, so that an unchanged response is not sent again."""

from hashlib import sha256

from fastapi import Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Cookie, Header, Path
from fastapi.routing import APIRoute
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.interfaces.http.problems import RefusedRequest, problem
from core.interfaces.http.slow_bodies import BODY_SECONDS, SLOW, SlowBodyError, in_time

MAX_BODY_BYTES = 1_000_000
_SHOWN = 60
PREFIX = "/api/v1/"
KIND = "application/json"
_ANY = "*"


class SlowBodies:
    """ASGI middleware. FastAPI answers what receiving raises; MCP's server only passes it on."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            await self.app(scope, in_time(receive), send)
        except* SlowBodyError:
            refusal = RefusedRequest(408, SLOW, seconds=f"{BODY_SECONDS:.0f}")
            refusal.headers["Connection"] = "close"
            await problem(scope["path"], refusal)(scope, receive, send)


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


class ETags:
    """ASGI middleware; the tag is a digest of the whole response, so that it is always correct."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or not scope["path"].startswith(PREFIX):
            await self.app(scope, receive, send)
            return
        known = Headers(scope=scope).get("If-None-Match", "")
        held: Message | None = None

        async def tagged(message: Message) -> None:
            nonlocal held
            if message["type"] == "http.response.start" and _is_tagged(message):
                held = message
                return
            if held is not None:
                start, held = held, None
                if not message.get("more_body"):
                    start, message = _answer(start, message, known)
                await send(start)
            await send(message)

        await self.app(scope, receive, tagged)


def _is_tagged(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    return start["status"] == 200 and headers.get("Content-Type", "").startswith(KIND) and "ETag" not in headers


def _answer(start: Message, body: Message, known: str) -> tuple[Message, Message]:
    tag = f'W/"{sha256(body.get("body", b"")).hexdigest()[:32]}"'
    headers = MutableHeaders(raw=list(start["headers"]))
    headers["ETag"] = tag
    headers["Cache-Control"] = "private, no-cache"  # may be stored, but must be revalidated
    headers.add_vary_header("Authorization")
    start = {**start, "headers": headers.raw}
    named = {each.strip().removeprefix("W/") for each in known.split(",")}
    if tag.removeprefix("W/") not in named and _ANY not in named:
        return start, body
    for name in ("Content-Length", "Content-Type"):
        del headers[name]
    return {**start, "status": 304, "headers": headers.raw}, {**body, "body": b""}
