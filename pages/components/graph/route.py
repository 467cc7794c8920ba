"""Routes that serve a drawing of the graph in a sandbox without the app's origin."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from pathlib import Path

import streamlit
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from core.platform.identity import acting_id
from pages.components.shell.services import services
from pages.components.shell.tokens import not_found, token_of

PREFIX = "/graph-view"
ASSETS = Path(__file__).parents[3] / "assets" / "graph"
LIBRARY = "vis-network.min.js"
FONT = "font.woff2"
"""Font of the app, which Streamlit ships."""
NAMES = ("view.css", "view.js", LIBRARY, FONT)
POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)


Content = str | bytes
"""An HTML page, or the binary data of a canvas."""


class Drawings:
    """Cache of the last drawings, by a secret name known to the page that shows them."""

    def __init__(self, capacity: int = 64) -> None:
        self._capacity = capacity
        self._pages: OrderedDict[str, tuple[str, Content]] = OrderedDict()
        self._lock = threading.Lock()

    def address(self, key: str, make: Callable[[], Content]) -> str:
        """Path of the drawing of `key`, which is made if missing; equal keys have equal addresses."""
        token = token_of(f"{PREFIX}/{acting_id()}/{key}")
        if self.get(token) is None:
            page = make()
            with self._lock:
                self._pages[token] = (acting_id(), page)
                while len(self._pages) > self._capacity:
                    self._pages.popitem(last=False)
        return f"{PREFIX}/{token}"

    def get(self, token: str) -> Content | None:
        with self._lock:
            if token in self._pages:
                self._pages.move_to_end(token)
            owner, page = self._pages.get(token, ("", None))
            return page if owner == acting_id() else None


@cache
def drawings() -> Drawings:
    return Drawings()


@cache
def parts() -> Drawings:
    """Cache of whole graphs: few, because each may have some megabytes."""
    return Drawings(capacity=8)


async def graph_view(request: Request) -> Response:
    """Serve a drawing; its secret address is the permission."""
    token = request.path_params["token"]
    page = drawings().get(token) or parts().get(token)
    if page is None:
        return not_found()
    headers = {
        "Content-Security-Policy": POLICY,
        "Cache-Control": "private, no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
    media_type = "text/html" if isinstance(page, str) else "application/octet-stream"
    return Response(page, media_type=media_type, headers=headers)


async def graph_view_asset(request: Request) -> Response:
    """Serve a script or style of the drawing, which is public."""
    name = request.path_params["name"]
    if name not in NAMES:
        return not_found()
    path = services().drawing.script() if name == LIBRARY else _font() if name == FONT else ASSETS / name
    if path is None:
        return not_found()
    # A sandboxed page has an opaque origin: to it even our own files come from elsewhere.
    headers = {"Cross-Origin-Resource-Policy": "cross-origin", "Access-Control-Allow-Origin": "*"}
    return FileResponse(path, headers={**headers, "Cache-Control": "public, max-age=3600"})


@cache
def _font() -> Path | None:
    """Path of the font, whose name changes with Streamlit's version; without it a system font is used."""
    media = Path(streamlit.__file__).parent / "static" / "static" / "media"
    return next(media.glob("SourceSansVF-Upright*.woff2"), None)


GRAPH_ROUTES = (
    Route(f"{PREFIX}/assets/{{name}}", graph_view_asset),
    Route(f"{PREFIX}/{{token}}", graph_view),
)
