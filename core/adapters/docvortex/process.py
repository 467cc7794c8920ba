"""The parser's child process: `python -m core.adapters.docvortex.process FILE NAME SUFFIX RESULT OCR KEPT SECONDS`.

KEPT is a folder for pictures that were read, with which a later process goes on.

Reads one untrusted file and writes its blocks as JSON. Any failure of a parser stays in this process.
"""

import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from pydantic import TypeAdapter

from core.adapters.docvortex.blocks import content_blocks
from core.adapters.isolated_process import die_with_parent, limit_process, lower_priority, open_channel, tell
from core.domain.documents import Block
from core.errors import AppError, InputError
from core.ingest.reading.blocks import clean_blocks
from core.ingest.reading.decrypted import DECRYPTED, is_decrypted_copy
from core.ingest.reading.formats import FORMATS, IMAGES, Format
from core.ingest.reading.headings import refine_headings
from core.ingest.reading.hidden import HIDDEN, HIDDEN_TEXT, with_hidden_apart
from core.ingest.reading.inspection import RECOGNISED, TEXT_LAYER_USED, PageFacts, check_pages, check_text_layer
from core.ingest.reading.layout import blocks_of_pages
from core.ingest.reading.missing_spaces import restored_spaces
from core.ingest.reading.normalise import one_line
from core.ingest.reading.ocr_mode import OcrMode
from core.ingest.reading.plain_text import decode, text_blocks
from core.ingest.reading.sheets import check_cells, csv_blocks, labelled
from core.ports.parsing import Parsed

MEMORY_BYTES = 3_500_000_000
"""Of address space, of which recognition maps much and uses little: 0.9 GB are resident at most."""
_BATCH_PAGES = 24
"""Pages per batch. Keeps memory constant (272 MB at any length) and progress visible; 24 pages give enough statistics.
"""
_PASSES = 3
"""The engine makes three passes of about equal length over the pages."""
_LEAST_SHARE = 0.2
"""If the engine keeps less than this share of a page's text layer, the page is read line by line instead."""

_DELIMITERS = {"csv": ",", "tsv": "\t"}
_SHEETS = ("xlsx", "xls", "ods")

if TYPE_CHECKING:
    from core.adapters.ocr.engine import OcrEngine

Report = Callable[[int, int], None]


def main(arguments: Sequence[str]) -> int:
    *asked, seconds = arguments
    channel = open_channel()
    limit_process(MEMORY_BYTES, int(seconds))
    lower_priority(5)
    die_with_parent()
    return read_into(asked, channel)


def read_into(arguments: Sequence[str], channel: TextIO) -> int:
    """FILE NAME SUFFIX RESULT OCR KEPT; 0 if another file may be read after this one."""
    path, name, suffix, result, ocr, kept = arguments
    way = _Way(lambda done, total: tell(channel, done=done, total=total), OcrMode(ocr), Path(kept))
    try:
        parsed = _tidy(path, name, suffix, way)
    except AppError as error:
        tell(channel, error=error.key, params=error.params)
        return 0
    except MemoryError:
        tell(channel, error="ingest.error.parser_failed", params={"name": name})
        return 1
    Path(result).write_bytes(TypeAdapter(Parsed).dump_json(parsed))
    tell(channel, finished=True)
    return 0


def read_several(files: Sequence[Sequence[str]], result: Path, channel: TextIO) -> int:
    """As read_into(), plain texts only: FILE NAME SUFFIX of each."""
    way = _Way(_unheard, OcrMode.OFF, result.parent)
    answers: list[Parsed | dict[str, object]] = []
    for path, name, suffix in files:
        try:
            answers.append(_tidy(path, name, suffix, way))
        except AppError as error:
            answers.append({"error": error.key, "params": error.params})
    result.write_bytes(_answers().dump_json(answers))
    tell(channel, finished=True)
    return 0


def _unheard(done: int, total: int) -> None:
    """Short texts are read before anybody could want to know how far it is."""


@cache
def _answers() -> TypeAdapter[list[Parsed | dict[str, Any]]]:
    return TypeAdapter(list[Parsed | dict[str, Any]])


def _tidy(path: str, name: str, suffix: str, way: "_Way") -> Parsed:
    """Raises InputError for a file without text, too."""
    form = next(form for form in FORMATS if form.suffix == suffix)
    parsed = _read(Path(path), name, form, way)
    if not any(block.text.strip() for block in parsed.blocks):
        raise InputError("ingest.error.no_text", name=name)
    return replace(parsed, blocks=clean_blocks(parsed.blocks), title=one_line(parsed.title))


@dataclass(frozen=True, slots=True)
class _Way:
    """How a file is read."""

    report: Report
    ocr: OcrMode
    kept: Path

    def engine(self) -> "OcrEngine":
        from core.adapters.ocr.kept_readings import KeptReadings

        return KeptReadings(self.kept)


def _read(path: Path, name: str, form: Format, way: _Way) -> Parsed:
    if form.suffix in ("md", "txt"):
        return Parsed(tuple(text_blocks(decode(path.read_bytes()), form.suffix == "md")), 0, "GraphTalk text")
    if form.suffix in _DELIMITERS:
        blocks = csv_blocks(path.read_bytes(), _DELIMITERS[form.suffix], name)
        return Parsed(tuple(blocks), 0, "GraphTalk text")
    if form.suffix == "pdf":
        return _read_pdf(path, name, way)
    if form in IMAGES:
        from core.adapters.docvortex.recognising import read_image

        return read_image(path, name, way.report, way.engine())
    return _read_other(path, name, form, way)


def _read_other(path: Path, name: str, form: Format, way: _Way) -> Parsed:
    """Office, OpenDocument, EPUB, HTML.

    Passed as bytes, not as a path, so that markup cannot refer to neighbouring files.
    """
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
    notes: tuple[str, ...] = ()
    if way.ocr is not OcrMode.OFF:
        from core.adapters.docvortex.recognising import fill_pictures

        notes = fill_pictures(
            middle["pages"], dict(result.assets), way.engine()
        )  # it refuses to be asked for odd names
    if form.suffix in _SHEETS:
        _check_sheets(middle["pages"], name)
    blocks = content_blocks(middle["pages"], form.has_pages)
    if form.suffix in _SHEETS:
        blocks = [replace(block, text=labelled(block.text)) if block.type == "table" else block for block in blocks]
    pages = len(middle["pages"]) if form.has_pages else 0
    return Parsed(tuple(refine_headings(blocks)), pages, _engine(), properties.get("title") or "", notes)


def _check_sheets(pages: Sequence[dict[str, Any]], name: str) -> None:
    """Raises InputError for tables that would lose rows."""
    blocks = [block for page in pages for block in page.get("blocks", ()) if block["type"] == "table"]
    tables = [str(part.get("content") or "") for block in blocks for part in block["content"]]
    cells = sum(html.count("<td") + html.count("<th") for html in tables)
    check_cells(sum(html.count("<tr") for html in tables), cells, name)


def _read_pdf(path: Path, name: str, way: _Way) -> Parsed:
    from core.adapters.pdf.text_layer import open_pdf, page_facts

    report, ocr = way.report, way.ocr
    with closing(open_pdf(path, name)) as document:
        check_pages(len(document), name)
        facts = [page_facts(document, number) for number in range(len(document))]
        title = document.get_metadata_value("Title").strip()
    pictured = set() if ocr is OcrMode.OFF else {n for n, fact in enumerate(facts) if ocr.reads(fact)}
    notes = [] if pictured else list(check_text_layer(facts, name))
    report(0, len(facts))
    _silence()
    blocks: list[Block] = []
    if len(pictured) < len(facts):
        blocks, found = _digital_blocks(
            path, name, facts, lambda done, total: report(max(0, done - len(pictured)), total)
        )
        notes += found
    if ocr is not OcrMode.OFF:
        from core.adapters.docvortex.recognising import with_recognised

        blocks, found = with_recognised(blocks, facts, pictured, (path, name), report, way.engine())
        if RECOGNISED in found:
            notes = [note for note in notes if note != TEXT_LAYER_USED]
        notes += found
    notes += [DECRYPTED] if is_decrypted_copy(path) else []
    return Parsed(tuple(refine_headings(blocks)), len(facts), _engine(), title, tuple(dict.fromkeys(notes)))


def _digital_blocks(path: Path, name: str, facts: Sequence[PageFacts], report: Report) -> tuple[list[Block], list[str]]:
    """(blocks of the text layer, notes)."""
    notes = []
    data = path.read_bytes()
    blocks, read = _native_blocks(data, len(facts), report)
    if len(read) < len(facts):
        notes.append("ingest.note.pages_damaged")
    blocks = _with_blanks(blocks, path, name)
    poor = [n for n, fact in enumerate(facts) if _is_poor(fact, _characters(blocks, n))]
    if poor:
        blocks = _with_lines(blocks, path, name, poor)
    if len(poor) * 2 > len(facts) and _is_held_for_scan(data):
        notes.append(TEXT_LAYER_USED)
    blocks = _with_hidden_apart(blocks, path, name)
    notes += [HIDDEN_TEXT] if any(block.type == HIDDEN for block in blocks) else []
    return blocks, notes


def _is_held_for_scan(data: bytes) -> bool:
    """By the engine, which reads the text layer once more for it."""
    from docvortex.document.pdf import PDFDocument

    with closing(PDFDocument(data)) as document:
        return str(document.classify()) == "ocr"


def _native_blocks(data: bytes, pages: int, report: Report) -> tuple[list[Block], set[int]]:
    """(blocks, readable pages)."""
    from docvortex import postprocess_document
    from docvortex.schema import DocumentMetadata, ModelJson, Producer

    raw: list[list[dict[str, Any]]] = []
    numbers: list[int] = []
    for batch, found in _batches(data, pages, report):
        raw += found
        numbers += batch
        report(numbers[-1] + 1 if numbers else 0, pages)
    producer = Producer(name="docvortex", version=_engine().split()[-1])
    metadata = DocumentMetadata(file_suffix="pdf", producer=producer)
    model = ModelJson(pages=raw, page_index_map=numbers, metadata=metadata)
    return content_blocks(postprocess_document(model).to_dict()["pages"], has_pages=True), set(numbers)


def _batches(data: bytes, pages: int, report: Report) -> Iterator[tuple[list[int], list[list[dict[str, Any]]]]]:
    """(page numbers, raw pages) of every batch; unloadable pages are missing."""
    from docvortex.document.pdf.pdfium import safe_rewrite_pdf_bytes_with_pdfium_result

    if pages <= _BATCH_PAGES:
        yield list(range(pages)), _predicted(data, _from(0, pages, report))
        return
    for start in range(0, pages, _BATCH_PAGES):
        wanted = list(range(start, min(start + _BATCH_PAGES, pages)))
        cut = safe_rewrite_pdf_bytes_with_pdfium_result(data, page_indices=wanted)
        if cut.used_original:  # cannot be cut: all at once
            yield list(range(pages)), _predicted(data, _from(0, pages, report))
            return
        kept = wanted if cut.retained_page_indices is None else cut.retained_page_indices
        yield kept, _predicted(cut.pdf_bytes, _from(start, pages, report))


def _from(start: int, pages: int, report: Report) -> Callable[[int], None]:
    """Progress of a batch that starts at page `start`, derived from its first pass."""
    return lambda read: report(start + read // _PASSES, pages)


def _predicted(data: bytes, tell_read: Callable[[int], None]) -> list[list[dict[str, Any]]]:
    from docvortex.analyzers.native import PdfModel
    from docvortex.document.pdf import PDFDocument

    class WatchedDocument(PDFDocument):
        """Reports how far the engine's first pass has come; an engine that works differently reports nothing."""

        def _extract_native_page(self, page_idx: int) -> Any:
            tell_read(page_idx + 1)
            return super()._extract_native_page(page_idx)

    with closing(WatchedDocument(data)) as document:
        found: list[list[dict[str, Any]]] = PdfModel().predict(document)
    return found


def _with_blanks(blocks: list[Block], path: Path, name: str) -> list[Block]:
    """The engine joins words across line ends in cells without a space."""
    from core.adapters.pdf.text_layer import open_pdf, page_text

    with closing(open_pdf(path, name)) as document:
        by_page = {n: restored_spaces(page_text(document, n)) for n in {it.page for it in blocks if it.type == "table"}}
    return [
        replace(block, text=by_page[block.page](block.text), html=by_page[block.page](block.html))
        if block.type == "table"
        else block
        for block in blocks
    ]


def _with_lines(blocks: list[Block], path: Path, name: str, pages: list[int]) -> list[Block]:
    """The blocks, with those of the given pages replaced by lines of the text layer."""
    from core.adapters.pdf.text_layer import open_pdf, page_lines

    with closing(open_pdf(path, name)) as document:
        by_lines = blocks_of_pages([page_lines(document, number) for number in pages])
    kept = [block for block in blocks if block.page not in set(pages)]
    merged = sorted([*kept, *by_lines], key=lambda block: block.page)
    return [replace(block, index=index) for index, block in enumerate(merged)]


def _with_hidden_apart(blocks: list[Block], path: Path, name: str) -> list[Block]:
    from core.adapters.pdf.hidden_text import hidden_texts
    from core.adapters.pdf.text_layer import open_pdf

    with closing(open_pdf(path, name)) as document:
        return with_hidden_apart(blocks, {n: hidden_texts(document, n) for n in range(len(document))})


def _is_poor(fact: PageFacts, kept: int) -> bool:
    """Whether the engine lost most of the page, or its script is one whose words the engine puts out of order."""
    return kept < _LEAST_SHARE * fact.characters or fact.right_to_left > fact.characters / 2


def _characters(blocks: Sequence[Block], page: int) -> int:
    return sum(len("".join(block.text.split())) for block in blocks if block.page == page)


def _engine() -> str:
    import docvortex

    return f"docvortex {docvortex.__version__}"


def _silence() -> None:
    """The engine logs every table it finds."""
    from loguru import logger

    logger.remove()
    logging.disable(logging.WARNING)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
