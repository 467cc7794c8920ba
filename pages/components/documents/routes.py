"""Routes that serve page images, figures, places of quotes and forms, and the addresses of each.

An address that no page of this process issued is answered by 404.
"""

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from urllib.parse import quote as url_quote

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from core.documents.model import Box
from core.interfaces.http.waiting import in_own_thread
from core.platform.errors import AppError, NotFoundError
from core.platform.ids import content_id
from pages.components.shell.services import services
from pages.components.shell.tokens import is_issued, not_found, signed

MAX_QUOTE = 1_200
WIDTHS = (480, 900, 1400)
"""Available widths in pixels; few, to keep the cache small."""


def page_image_url(document_id: str, page: int, width: int = 900) -> str:
    """Address of the image of a page (0-based)."""
    return f"{signed(f'/files/page/{document_id}/{page}.png')}&w={width}"


def figure_url(document_id: str, page: int, box: Box) -> str:
    """Address of the image of a box on a page (0-based)."""
    return signed(f"/files/figure/{document_id}/{page}/{','.join(map(str, box))}.png")


def quote_url(document_id: str, page: int, quote: str, within: Sequence[Box]) -> str:
    """Address of the places of the words on a page (0-based), as JSON: boxes in thousandths of the page."""
    asked = json.dumps([quote[:MAX_QUOTE], within], ensure_ascii=False)
    return f"{signed(f'/files/quote/{document_id}/{page}/{content_id(asked)}')}&q={url_quote(asked)}"


def form_url(document_id: str) -> str:
    """Address of a form's file."""
    return signed(f"/files/form/{document_id}")


async def page_image(request: Request) -> Response:
    """Serve a page image; 404 for unknown pages and other widths, too."""
    document_id, page = request.path_params["document_id"], request.path_params["page"]
    width = request.query_params.get("w", "900")
    if width not in map(str, WIDTHS):
        return not_found()
    return await _image(request, lambda: services().lifecycle.page_images.png(document_id, page, int(width)))


async def figure(request: Request) -> Response:
    """Serve the image of a box."""
    document_id, page, edges = (request.path_params[name] for name in ("document_id", "page", "edges"))

    def part() -> bytes:
        x0, y0, x1, y1 = map(int, edges.split(","))
        return services().lifecycle.page_images.part(document_id, page, (x0, y0, x1, y1))

    return await _image(request, part)


async def _image(request: Request, make: Callable[[], bytes]) -> Response:
    def made() -> Response:
        image = make()
        tag = f'"{sha256(image).hexdigest()[:32]}"'
        headers = {"ETag": tag, "Cache-Control": "private, max-age=86400"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(image, media_type="image/png", headers=headers)

    return await _answer(request, made)


async def quote_places(request: Request) -> Response:
    """Serve the places of a quote, perhaps none."""
    document_id, page, digest = (request.path_params[name] for name in ("document_id", "page", "digest"))
    asked = request.query_params.get("q", "")

    def places() -> Response:
        if digest != content_id(asked):
            return not_found()
        quote, within = json.loads(asked)
        try:
            boxes = services().lifecycle.page_images.quoted(document_id, page, quote, within)
        except AppError:
            boxes = []
        return JSONResponse(boxes, headers={"Cache-Control": "private, max-age=86400"})

    return await _answer(request, places)


async def form_file(request: Request) -> Response:
    """Serve a form as an attachment, because an uploaded file may contain scripts; 404 for other documents, too."""
    document_id = request.path_params["document_id"]

    def file() -> Response:
        document = services().library.documents.get(document_id)
        path = services().storage.files.path(document.sha256)
        if not document.form or not path.is_file():
            return not_found()
        services().storage.access.audit.note("document.downloaded", document_id)
        headers = {
            "Content-Disposition": f"attachment; filename*=UTF-8''{url_quote(document.name, safe='')}",
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        }
        return FileResponse(path, media_type="application/octet-stream", headers=headers)

    return await _answer(request, file)


async def _answer(request: Request, make: Callable[[], Response]) -> Response:
    """What is made in another thread, if the address was issued and leads to something that is there."""
    if not is_issued(request):
        return not_found()
    try:
        return await in_own_thread(make)
    except NotFoundError:
        return not_found()
    except AppError as error:
        return PlainTextResponse(str(error), status_code=503)


DOCUMENT_ROUTES = (
    Route("/files/page/{document_id}/{page:int}.png", page_image),
    Route("/files/figure/{document_id}/{page:int}/{edges}.png", figure),
    Route("/files/quote/{document_id}/{page:int}/{digest}", quote_places),
    Route("/files/form/{document_id}", form_file),
)
