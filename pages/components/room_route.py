"""The answer to where Streamlit's browser part looks for its endpoints first on a deep link: below the page's path."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from pages.components.frame import ROOMS

PROBES = ("health", "host-config")


async def not_here(_: Request) -> Response:
    """Neither good, or it would stay with this path, nor an error, which the browser would write to its console."""
    return PlainTextResponse("see the path above", status_code=300)


ROOM_ROUTES = tuple(Route(f"/{room.name}/_stcore/{probe}", not_here) for room in ROOMS for probe in PROBES)
