"""Mount of the HTTP interface, which is loaded with its first request so that pages do not wait for it."""

import asyncio
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Receive, Scope, Send

from pages.components.shell.services import services

if TYPE_CHECKING:
    from starlette.types import ASGIApp

PREFIXES = ("/api", "/agent", "/v1")
"""Path prefixes of the interface."""
MISSING = "The interface for programs is not installed. Install it with: pip install 'graphtalk[api]'"


class LateApi:
    """ASGI app."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Restore the prefix that the mount removed, because the interface has full paths."""
        app = await asyncio.to_thread(_app)
        await app({**scope, "root_path": scope.get("app_root_path", "")}, receive, send)


@cache
def _app() -> "ASGIApp":
    if find_spec("fastapi") is None:
        return JSONResponse({"detail": MISSING}, 501)
    from core.interfaces.http.app import make_app

    return make_app(services)


_LATE = LateApi()
API_ROUTES: tuple[BaseRoute, ...] = (
    *(Mount(prefix, app=_LATE) for prefix in PREFIXES),
    *(Route(path, _LATE) for path in ("/api", "/mcp")),
)
