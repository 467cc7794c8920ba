"""Responses of MinerU's servers as listed blocks: content lists of 2.x and 3.x, middle pages of 4.x."""

from typing import Any

from core.documents.parsing.docvortex.blocks import content_blocks
from core.documents.reading.content_list import ListedBlock, listed
from core.platform.errors import ServiceError

REVISION = 1
"""Increase when the same results are converted into different blocks."""


def from_list(entries: object) -> ListedBlock:
    """Raises ServiceError if it is not a list."""
    if not isinstance(entries, list):
        raise ServiceError("mineru.service.malformed")
    return listed(entries)


def from_middle(pages: Any) -> ListedBlock:
    """Pages of docvortex.middle 2.0, the format of the embedded engine.

    Raises KeyError, TypeError, ValueError or AttributeError for a damaged one.
    """
    blocks = tuple(content_blocks(pages, has_pages=True))
    boxed = any(block.box for block in blocks)
    last = max((block.page for block in blocks), default=0)
    return ListedBlock(blocks, max(len(pages), last + 1) if boxed or last else 0, 0)
