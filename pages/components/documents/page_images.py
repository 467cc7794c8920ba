"""Page images for citations and previews: their addresses and the route that serves them."""

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from urllib.parse import quote as url_quote

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from core.documents.model import Box
from core.interfaces.http.waiting import in_own_thread
from core.platform.errors import AppError, NotFoundError
from core.platform.ids import content_id
from pages.components.shell.services import services
from pages.components.shell.tokens import PARAMETER, is_signed, not_found, signed

MAX_QUOTE = 1_200
WIDTHS = (480, 900, 1400)
"""Available widths in pixels; few, to keep the cache small."""


def page_image_url(document_id: str, page: int, width: int = 900) -> str:
    """Address of the image of a page (0-based)."""
    return f"{signed(_path(document_id, page))}&w={width}"


def figure_url(document_id: str, page: int, box: Box) -> str:
    """Address of the image of a box on a page (0-based)."""
    return signed(_figure_path(document_id, page, ",".join(map(str, box))))


async def page_image(request: Request) -> Response:
    """Serve a page image; 404 for addresses not issued by a page of this process, unknown pages and other widths."""
    document_id, page = request.path_params["document_id"], request.path_params["page"]
    width = request.query_params.get("w", "900")
    if width not in map(str, WIDTHS):
        return not_found()
    images = services().lifecycle.page_images
    return await _image(request, _path(document_id, page), lambda: images.png(document_id, page, int(width)))


async def figure(request: Request) -> Response:
    """Serve the image of a box, with the checks of page_image()."""
    document_id, page, edges = (request.path_params[name] for name in ("document_id", "page", "edges"))
    images = services().lifecycle.page_images

    def part() -> bytes:
        x0, y0, x1, y1 = map(int, edges.split(","))
        return images.part(document_id, page, (x0, y0, x1, y1))

    return await _image(request, _figure_path(document_id, page, edges), part)


async def _image(request: Request, path: str, make: Callable[[], bytes]) -> Response:
    if not is_signed(path, request.query_params.get(PARAMETER, "")):
        return not_found()
    try:
        image = await in_own_thread(make)
    except NotFoundError:
        return not_found()
    except AppError as error:
        return PlainTextResponse(str(error), status_code=503)
    tag = f'"{sha256(image).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, max-age=86400"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(image, media_type="image/png", headers=headers)


def quote_url(document_id: str, page: int, quote: str, within: Sequence[Box]) -> str:
    """Address of the places of the words on a page (0-based), as JSON: boxes in thousandths of the page."""
    asked = json.dumps([quote[:MAX_QUOTE], within], ensure_ascii=False)
    return f"{signed(_quote_path(document_id, page, asked))}&q={url_quote(asked)}"


async def quote_places(request: Request) -> Response:
    """Serve the places of a quote, perhaps none; 404 for addresses not issued by a page of this process."""
    document_id, page = request.path_params["document_id"], request.path_params["page"]
    asked = request.query_params.get("q", "")
    if not is_signed(_quote_path(document_id, page, asked), request.query_params.get(PARAMETER, "")):
        return not_found()
    quote, within = json.loads(asked)
    try:
        boxes = await in_own_thread(services().lifecycle.page_images.quoted, document_id, page, quote, within)
    except AppError:
        boxes = []
    return JSONResponse(boxes, headers={"Cache-Control": "private, max-age=86400"})


def _quote_path(document_id: str, page: int, asked: str) -> str:
    return f"/files/quote/{document_id}/{page}/{content_id(asked)}"


def _path(document_id: str, page: int) -> str:
    return f"/files/page/{document_id}/{page}.png"


def _figure_path(document_id: str, page: int, edges: str) -> str:
    return f"/files/figure/{document_id}/{page}/{edges}.png"


IMAGE_ROUTES = (
    Route("/files/page/{document_id}/{page:int}.png", page_image),
    Route("/files/figure/{document_id}/{page:int}/{edges}.png", figure),
    Route("/files/quote/{document_id}/{page:int}/{digest}", quote_places),
)
