"""The parser's child process: `python -m core.adapters.docvortex_process FILE NAME SUFFIX RESULT SECONDS`.

Reads one untrusted file and writes its blocks as JSON; everything that can go wrong in a parser goes wrong in here.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from core.adapters.docvortex_blocks import content_blocks
from core.adapters.isolated import die_with_parent, limit_process, lower_priority, open_channel, tell
from core.domain.documents import Block
from core.errors import AppError, InputError
from core.ingest.blocks import clean_blocks
from core.ingest.formats import FORMATS, Format
from core.ingest.glued_words import taken_apart
from core.ingest.headings import refine_headings
from core.ingest.inspect import check_pages, check_text_layer
from core.ingest.layout import blocks_of_pages
from core.ingest.normalise import one_line
from core.ingest.plain_text import decode, text_blocks
from core.ingest.sheets import check_cells, csv_blocks, labelled
from core.ports import Parsed

_MEMORY_BYTES = 2_500_000_000
_BATCH_PAGES = 24
"""A batch keeps memory flat (272 MB whatever the length) and progress moving; statistics of 24 pages are enough."""
_PASSES = 3
"""The engine goes over the pages three times, about equally long."""
_LEAST_SHARE = 0.2
"""A page of which the engine kept less than this share of the text layer is read by lines instead."""

_DELIMITERS = {"csv": ",", "tsv": "\t"}
_SHEETS = ("xlsx", "xls", "ods")

Report = Callable[[int, int], None]


def main(arguments: Sequence[str]) -> int:
    path, name, suffix, result, seconds = arguments
    channel = open_channel()
    limit_process(_MEMORY_BYTES, int(seconds))
    lower_priority(5)
    die_with_parent()
    form = next(form for form in FORMATS if form.suffix == suffix)
    try:
        parsed = _read(Path(path), name, form, lambda done, total: tell(channel, done=done, total=total))
        if not any(block.text.strip() for block in parsed.blocks):
            raise InputError("ingest.error.no_text", name=name)
    except AppError as error:
        tell(channel, error=error.key, params=error.params)
        return 0
    except MemoryError:
        tell(channel, error="ingest.error.parser_failed", params={"name": name})
        return 1
    parsed = replace(parsed, blocks=clean_blocks(parsed.blocks), title=one_line(parsed.title))
    Path(result).write_bytes(TypeAdapter(Parsed).dump_json(parsed))
    tell(channel, finished=True)
    return 0


def _read(path: Path, name: str, form: Format, report: Report) -> Parsed:
    if form.suffix in ("md", "txt"):
        return Parsed(tuple(text_blocks(decode(path.read_bytes()), form.suffix == "md")), 0, "GraphTalk text")
    if form.suffix in _DELIMITERS:
        blocks = csv_blocks(path.read_bytes(), _DELIMITERS[form.suffix], name)
        return Parsed(tuple(blocks), 0, "GraphTalk text")
    if form.suffix == "pdf":
        return _read_pdf(path, name, report)
    return _read_other(path, name, form)


def _read_other(path: Path, name: str, form: Format) -> Parsed:
    """Office, OpenDocument, EPUB, HTML. The bytes are given, not the path: markup may not name its neighbours."""
    _silence()
    import docvortex
    from docvortex.errors import DocumentError

    suffix: Any = form.suffix
    try:
        result = docvortex.parse(path.read_bytes(), file_suffix=suffix)
    except (DocumentError, ValueError, KeyError, OSError, EOFError) as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        raise InputError("ingest.error.damaged", name=name) from error
    middle = result.middle_json.to_dict(exclude_block_fields={"image_base64"})
    properties = middle["metadata"].get("document") or {}
    if form.suffix in _SHEETS:
        _check_sheets(middle["pages"], name)
    blocks = content_blocks(middle["pages"], form.has_pages)
    if form.suffix in _SHEETS:
        blocks = [replace(block, text=labelled(block.text)) if block.type == "table" else block for block in blocks]
    pages = len(middle["pages"]) if form.has_pages else 0
    return Parsed(tuple(refine_headings(blocks)), pages, _engine(), properties.get("title") or "")


def _check_sheets(pages: Sequence[dict[str, Any]], name: str) -> None:
    """Raises InputError for tables of which rows would be lost."""
    blocks = [block for page in pages for block in page.get("blocks", ()) if block["type"] == "table"]
    tables = [str(part.get("content") or "") for block in blocks for part in block["content"]]
    cells = sum(html.count("<td") + html.count("<th") for html in tables)
    check_cells(sum(html.count("<tr") for html in tables), cells, name)


def _read_pdf(path: Path, name: str, report: Report) -> Parsed:
    from core.adapters.pdfium_text import open_pdf, page_facts

    with closing(open_pdf(path, name)) as document:
        check_pages(len(document), name)
        facts = [page_facts(document, number) for number in range(len(document))]
        title = document.get_metadata_value("Title").strip()
    notes = list(check_text_layer(facts, name))
    report(0, len(facts))
    _silence()
    blocks, read, classified = _native_blocks(path.read_bytes(), len(facts), report)
    if len(read) < len(facts):
        notes.append("ingest.note.pages_damaged")
    blocks = _with_blanks(blocks, path, name)
    poor = [n for n, fact in enumerate(facts) if _characters(blocks, n) < _LEAST_SHARE * fact.characters]
    if poor:
        blocks = _with_lines(blocks, path, name, poor)
    if classified == "ocr" and len(poor) * 2 > len(facts):
        notes.append("ingest.note.text_layer_used")
    return Parsed(tuple(refine_headings(blocks)), len(facts), _engine(), title, tuple(notes))


def _native_blocks(data: bytes, pages: int, report: Report) -> tuple[list[Block], set[int], str]:
    """(blocks, pages that could be read, what the engine's classifier says: txt or ocr)."""
    from docvortex import postprocess_document
    from docvortex.document.pdf import PDFDocument
    from docvortex.schema import DocumentMetadata, ModelJson, Producer

    with closing(PDFDocument(data)) as document:
        classified = str(document.classify())
    raw: list[list[dict[str, Any]]] = []
    numbers: list[int] = []
    for batch, found in _batches(data, pages, report):
        raw += found
        numbers += batch
        report(numbers[-1] + 1 if numbers else 0, pages)
    producer = Producer(name="docvortex", version=_engine().split()[-1])
    metadata = DocumentMetadata(file_suffix="pdf", producer=producer)
    model = ModelJson(pages=raw, page_index_map=numbers, metadata=metadata)
    return content_blocks(postprocess_document(model).to_dict()["pages"], has_pages=True), set(numbers), classified


def _batches(data: bytes, pages: int, report: Report) -> Iterator[tuple[list[int], list[list[dict[str, Any]]]]]:
    """(page numbers, raw pages) of every batch; pages that cannot be loaded are missing."""
    from docvortex.document.pdf.pdfium import safe_rewrite_pdf_bytes_with_pdfium_result

    if pages <= _BATCH_PAGES:
        yield list(range(pages)), _predicted(data, _from(0, pages, report))
        return
    for start in range(0, pages, _BATCH_PAGES):
        wanted = list(range(start, min(start + _BATCH_PAGES, pages)))
        cut = safe_rewrite_pdf_bytes_with_pdfium_result(data, page_indices=wanted)
        if cut.used_original:  # it cannot be cut: all at once
            yield list(range(pages)), _predicted(data, _from(0, pages, report))
            return
        kept = wanted if cut.retained_page_indices is None else cut.retained_page_indices
        yield kept, _predicted(cut.pdf_bytes, _from(start, pages, report))


def _from(start: int, pages: int, report: Report) -> Callable[[int], None]:
    """Progress of a batch that begins at page start, told by the pages of its first pass."""
    return lambda read: report(start + read // _PASSES, pages)


def _predicted(data: bytes, tell_read: Callable[[int], None]) -> list[list[dict[str, Any]]]:
    from docvortex.analyzers.native import PdfModel
    from docvortex.document.pdf import PDFDocument

    class WatchedDocument(PDFDocument):
        """Tells how far the engine's first pass over the pages is; an engine that reads otherwise tells nothing."""

        def _extract_native_page(self, page_idx: int) -> Any:
            tell_read(page_idx + 1)
            return super()._extract_native_page(page_idx)

    with closing(WatchedDocument(data)) as document:
        found: list[list[dict[str, Any]]] = PdfModel().predict(document)
    return found


def _with_blanks(blocks: list[Block], path: Path, name: str) -> list[Block]:
    """The engine glues what a line end parts in a cell."""
    from core.adapters.pdfium_text import open_pdf, page_text

    with closing(open_pdf(path, name)) as document:
        by_page = {n: taken_apart(page_text(document, n)) for n in {it.page for it in blocks if it.type == "table"}}
    return [
        replace(block, text=by_page[block.page](block.text), html=by_page[block.page](block.html))
        if block.type == "table"
        else block
        for block in blocks
    ]


def _with_lines(blocks: list[Block], path: Path, name: str, pages: list[int]) -> list[Block]:
    """The blocks with those of the given pages read from the text layer instead."""
    from core.adapters.pdfium_text import open_pdf, page_lines

    with closing(open_pdf(path, name)) as document:
        by_lines = blocks_of_pages([page_lines(document, number) for number in pages])
    kept = [block for block in blocks if block.page not in set(pages)]
    merged = sorted([*kept, *by_lines], key=lambda block: block.page)
    return [replace(block, index=index) for index, block in enumerate(merged)]


def _characters(blocks: Sequence[Block], page: int) -> int:
    return sum(len("".join(block.text.split())) for block in blocks if block.page == page)


def _engine() -> str:
    import docvortex

    return f"docvortex {docvortex.__version__}"


def _silence() -> None:
    """The engine logs every table it meets."""
    import logging

    from loguru import logger

    logger.remove()
    logging.disable(logging.WARNING)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
