"""Documents and their pages as text, for resources and the tool read_page."""

import re

from core.app.services import Services
from core.documents.model import Document, DocumentFilter, DocumentOrder, DocumentStatus
from core.interfaces.http.mcp.arguments import PageLink
from core.interfaces.http.problems import RefusedRequest
from core.interfaces.http.v1.documents import read_page
from core.platform.errors import NotFoundError

DOCUMENT = "graphtalk://documents/{document_id}"
PAGE = "graphtalk://documents/{document_id}/pages/{page}"
MOST_LISTED = 200
MAX_CHARACTERS = 200_000
"""Characters of a document as one text; its pages can be read one by one."""
_CURSOR = re.compile(r"(\d{1,6})\.(\d{1,9})")
_ADDRESS = re.compile(r"graphtalk://documents/([\w.-]{1,200})(?:/pages/(\d{1,6}))?")


def listed_documents(services: Services, cursor: str | None) -> tuple[list[Document], str | None]:
    """Ready documents by base, newest first, from the cursor on, and the next cursor. Raises RefusedRequest."""
    match = _CURSOR.fullmatch(cursor or "0.0")
    if match is None:
        raise RefusedRequest(422, "api.problem.arguments", place="cursor", reason="it is not one of this server")
    place, skip = int(match[1]), int(match[2])
    ready, found = DocumentFilter((DocumentStatus.READY,)), list[Document]()
    bases = sorted(services.library.bases.all(), key=lambda base: base.created_at)
    for number, base in enumerate(bases[place:], place):
        room = MOST_LISTED - len(found)
        more = services.library.documents.find(base.id, ready, DocumentOrder.NEWEST, room + 1, skip)
        found += more[:room]
        if len(more) > room:
            return found, f"{number}.{skip + room}"
        skip = 0
    return found, None


def link_to(document_id: str, name: str, page: int = 0) -> PageLink:
    """page: from 1; 0 for the whole document."""
    if not page:
        return PageLink(DOCUMENT.format(document_id=document_id), name)
    return PageLink(PAGE.format(document_id=document_id, page=page), f"{name}, page {page}")


def address_of(document: Document) -> str:
    return DOCUMENT.format(document_id=document.id)


def text_at(services: Services, address: str) -> str:
    """Raises NotFoundError or RefusedRequest."""
    match = _ADDRESS.fullmatch(address)
    if match is None:
        raise NotFoundError("error.document_missing")
    document_id, page = match.groups()
    return read_page(services, document_id, int(page)).text if page else _whole(services, document_id)


def _whole(services: Services, document_id: str) -> str:
    document = services.library.documents.get(document_id)
    pages: list[str] = []
    size = 0
    for page in range(1, document.pages + 1):
        pages.append(f"# Page {page}\n\n{_joined(services, document_id, page)}")
        size += len(pages[-1])
        if size > MAX_CHARACTERS and page < document.pages:
            pages.append(f"(Cut here. Read further pages at {PAGE.format(document_id=document_id, page=page + 1)})")
            break
    return "\n\n".join(pages)


def _joined(services: Services, document_id: str, page: int) -> str:
    blocks = services.library.passages.blocks(document_id, page - 1)
    return "\n\n".join(block.text for block in blocks if block.text)
