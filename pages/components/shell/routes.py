"""All routes besides Streamlit's own. Those that serve data check a token or a key, because routes have no session."""

import asyncio
from importlib.util import find_spec
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Receive, Scope, Send

from pages.components.documents.routes import DOCUMENT_ROUTES
from pages.components.graph.route import GRAPH_ROUTES
from pages.components.run.live_route import LIVE_ROUTES
from pages.components.shell.frame import PAGE_ENTRIES
from pages.components.shell.services import services
from pages.components.shell.style import STYLE_ROUTES

if TYPE_CHECKING:
    from starlette.types import ASGIApp

PREFIXES = ("/api", "/agent", "/v1")
"""Path prefixes of the interface."""
MISSING = "The interface for programs is not installed. Install it with: pip install 'graphtalk[api]'"


class LateApi:
    """ASGI app, loaded with the first request; later ones wait for no thread, so that health is told at any time."""

    def __init__(self) -> None:
        self._app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Restore the prefix that the mount removed, because the interface has full paths."""
        if self._app is None:
            self._app = await asyncio.to_thread(_app)
        await self._app({**scope, "root_path": scope.get("app_root_path", "")}, receive, send)


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
PROBES = ("health", "host-config")
"""Names that Streamlit's client requests first below the path of a deep link."""


async def not_here(_: Request) -> Response:
    """Response that is neither a success, which Streamlit would accept, nor an error, which the browser would log."""
    return PlainTextResponse("see the path above", status_code=300)


PROBE_ROUTES = tuple(Route(f"/{room.name}/_stcore/{probe}", not_here) for room in PAGE_ENTRIES for probe in PROBES)
ROUTES: tuple[BaseRoute, ...] = (
    *DOCUMENT_ROUTES,
    *LIVE_ROUTES,
    *GRAPH_ROUTES,
    *API_ROUTES,
    *STYLE_ROUTES,
    *PROBE_ROUTES,
)
