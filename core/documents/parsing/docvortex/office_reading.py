"""Reads Office, OpenDocument, EPUB and HTML files. In the child."""

import re
import sys
from codecs import BOM_UTF8
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import docvortex
from docvortex.errors import DocumentError

from core.documents.parsing.docvortex.blocks import content_blocks
from core.documents.parsing.docvortex.read_options import ReadOptions, engine_name, silence
from core.documents.parsing.docvortex.recognising import fill_pictures
from core.documents.ports.parsing import Parsed
from core.documents.reading.formats import FileFormat
from core.documents.reading.headings import refine_headings
from core.documents.reading.inspection import OcrMode
from core.documents.reading.markup import flatten_html, headed_html
from core.documents.reading.plain_text import encoding_of
from core.documents.reading.sheets import check_cells, labelled
from core.platform.errors import InputError

_SHEETS = ("xlsx", "xls", "ods")
_NOSCRIPT = re.compile(rb"<noscript\b[^<>]*>(?:(?!<noscript\b).)*?</noscript\s*>", re.IGNORECASE | re.DOTALL)


def read_office(path: Path, name: str, form: FileFormat, options: ReadOptions) -> Parsed:
    """Passed as bytes, not as a path, so that markup cannot refer to neighbouring files."""
    silence()
    suffix: Any = form.suffix
    try:
        result = docvortex.parse(_content(path, form), file_suffix=suffix)
    except (DocumentError, ValueError, KeyError, OSError, EOFError) as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        raise InputError("ingest.error.damaged", name=name) from error
    middle = result.middle_json.to_dict(exclude_block_fields={"image_base64"})
    properties = middle["metadata"].get("document") or {}
    notes: tuple[str, ...] = ()
    if options.ocr is not OcrMode.OFF:
        assets = dict(result.assets)  # it refuses to be asked for odd names
        notes = fill_pictures(middle["pages"], assets, options.engine())
    if form.suffix in _SHEETS:
        _check_sheets(middle["pages"], name)
    blocks = content_blocks(middle["pages"], form.has_pages)
    if form.suffix in _SHEETS:
        blocks = [replace(block, text=labelled(block.text)) if block.type == "table" else block for block in blocks]
    pages = len(middle["pages"]) if form.has_pages else 0
    return Parsed(tuple(refine_headings(blocks)), pages, engine_name(), properties.get("title") or "", notes)


def _content(path: Path, form: FileFormat) -> bytes:
    """HTML without what it says only to readers without scripts, which is about the browser or said twice.

    UTF-8 is marked as such, because libxml2 guesses at what stands before the declaration.
    """
    content = path.read_bytes()
    if form.suffix != "html":
        return content
    page = headed_html(flatten_html(_NOSCRIPT.sub(b"", content)))
    return BOM_UTF8 + page.removeprefix(BOM_UTF8) if encoding_of(page) == "utf-8-sig" else page


def _check_sheets(pages: Sequence[dict[str, Any]], name: str) -> None:
    """Raises InputError for tables that would lose rows."""
    blocks = [block for page in pages for block in page.get("blocks", ()) if block["type"] == "table"]
    tables = [str(part.get("content") or "") for block in blocks for part in block["content"]]
    cells = sum(html.count("<td") + html.count("<th") for html in tables)
    check_cells(sum(html.count("<tr") for html in tables), cells, name)
