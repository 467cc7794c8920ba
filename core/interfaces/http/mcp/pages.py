"""Documents and their pages as text: what resources and the tool read_page give."""

import re

from core.app.services import Services
from core.documents.model import Document, DocumentFilter, DocumentOrder, DocumentStatus
from core.interfaces.http.problems import RefusedRequest
from core.platform.errors import NotFoundError

DOCUMENT = "graphtalk://documents/{document_id}"
PAGE = "graphtalk://documents/{document_id}/pages/{page}"
MOST_LISTED = 200
MAX_CHARACTERS = 200_000
"""Of a document; its pages can be read one by one."""
_ADDRESS = re.compile(r"graphtalk://documents/([\w.-]{1,200})(?:/pages/(\d{1,6}))?")


def listed_documents(services: Services) -> list[Document]:
    """The newest ready ones of every base."""
    ready = DocumentFilter((DocumentStatus.READY,))
    documents = services.library.documents
    found = [
        document
        for base in services.library.bases.all()
        for document in documents.find(base.id, ready, DocumentOrder.NEWEST, MOST_LISTED)
    ]
    return sorted(found, key=lambda document: document.added_at, reverse=True)[:MOST_LISTED]


def address_of(document: Document) -> str:
    return DOCUMENT.format(document_id=document.id)


def text_at(services: Services, address: str) -> str:
    """Raises NotFoundError or Refusal."""
    match = _ADDRESS.fullmatch(address)
    if match is None:
        raise NotFoundError("error.document_missing")
    document_id, page = match.groups()
    return page_text(services, document_id, int(page)) if page else _whole(services, document_id)


def page_text(services: Services, document_id: str, page: int) -> str:
    """Pages count from 1. Raises NotFoundError or Refusal."""
    document = services.library.documents.get(document_id)
    if not 1 <= page <= document.pages:
        raise RefusedRequest(404, "api.problem.page", name=document.name, page=page, pages=document.pages)
    return _joined(services, document_id, page)


def _whole(services: Services, document_id: str) -> str:
    document = services.library.documents.get(document_id)
    pages: list[str] = []
    size = 0
    for page in range(1, document.pages + 1):
        pages.append(f"# Page {page}\n\n{_joined(services, document_id, page)}")
        size += len(pages[-1])
        if size > MAX_CHARACTERS:
            pages.append(f"(Cut here. Read further pages at {PAGE.format(document_id=document_id, page=page + 1)})")
            break
    return "\n\n".join(pages)


def _joined(services: Services, document_id: str, page: int) -> str:
    blocks = services.library.passages.blocks(document_id, page - 1)
    return "\n\n".join(block.text for block in blocks if block.text)
