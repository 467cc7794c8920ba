"""All routes besides Streamlit's own. Those that serve data check a token or a key, because routes have no session."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from pages.components.documents.form_route import FORM_ROUTES
from pages.components.documents.page_images import IMAGE_ROUTES
from pages.components.graph.route import GRAPH_ROUTES
from pages.components.run.live_route import LIVE_ROUTES
from pages.components.shell.api import API_ROUTES
from pages.components.shell.frame import PAGE_ENTRIES
from pages.components.shell.style import STYLE_ROUTES

PROBES = ("health", "host-config")
"""Names that Streamlit's client requests first below the path of a deep link."""


async def not_here(_: Request) -> Response:
    """Response that is neither a success, which Streamlit would accept, nor an error, which the browser would log."""
    return PlainTextResponse("see the path above", status_code=300)


PROBE_ROUTES = tuple(Route(f"/{room.name}/_stcore/{probe}", not_here) for room in PAGE_ENTRIES for probe in PROBES)
ROUTES: tuple[BaseRoute, ...] = (
    *IMAGE_ROUTES,
    *FORM_ROUTES,
    *LIVE_ROUTES,
    *GRAPH_ROUTES,
    *API_ROUTES,
    *STYLE_ROUTES,
    *PROBE_ROUTES,
)
