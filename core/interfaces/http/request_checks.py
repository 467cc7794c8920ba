"""Limits of the body of a request, in size and time; refuses parameters in the address that a route does not have."""

from fastapi import Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Cookie, Header, Path
from fastapi.routing import APIRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from core.interfaces.http.problems import RefusedRequest, problem
from core.interfaces.http.slow_bodies import BODY_SECONDS, SLOW, SlowBodyError, in_time

MAX_BODY_BYTES = 1_000_000
_SHOWN = 60


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
