"""Forms for download: an address per form, and the route that serves the file as it was uploaded."""

import asyncio
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from core.platform.errors import AppError, NotFoundError
from pages.components.shell.services import services
from pages.components.shell.tokens import PARAMETER, is_signed, not_found, signed


def form_url(document_id: str) -> str:
    """Address of a form's file."""
    return signed(_path(document_id))


async def form_file(request: Request) -> Response:
    """Serve a form; 404 for addresses not issued by a page of this process and for documents that are not forms."""
    document_id = request.path_params["document_id"]
    if not is_signed(_path(document_id), request.query_params.get(PARAMETER, "")):
        return not_found()
    try:
        return await asyncio.to_thread(_file, document_id)
    except NotFoundError:
        return not_found()
    except AppError as error:
        return PlainTextResponse(str(error), status_code=503)


def _file(document_id: str) -> Response:
    """Sent as an attachment, because an uploaded file may contain scripts."""
    document = services().library.documents.get(document_id)
    path = services().storage.files.path(document.sha256)
    if not document.form or not path.is_file():
        return not_found()
    services().storage.access.audit.note("document.downloaded", document_id)
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(document.name, safe='')}",
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return FileResponse(path, media_type="application/octet-stream", headers=headers)


def _path(document_id: str) -> str:
    return f"/files/form/{document_id}"


FORM_ROUTES = (Route("/files/form/{document_id}", form_file),)
