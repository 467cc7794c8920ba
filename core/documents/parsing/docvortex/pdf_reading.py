"""Reads PDFs: their text layer by the native engine, and the rest by OCR. Runs in the child."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from docvortex import postprocess_document
from docvortex.analyzers.native import PdfModel
from docvortex.document.pdf import PDFDocument
from docvortex.document.pdf.pdfium import safe_rewrite_pdf_bytes_with_pdfium_result
from docvortex.schema import DocumentMetadata, ModelJson, Producer

from core.documents.model import Block
from core.documents.parsing.docvortex.blocks import content_blocks
from core.documents.parsing.docvortex.read_options import ReadOptions, Report, engine_name, silence
from core.documents.parsing.docvortex.recognising import with_recognised
from core.documents.parsing.pdf.hidden_text import hidden_texts
from core.documents.parsing.pdf.text_layer import broken_words, open_pdf, page_facts, page_lines, page_text
from core.documents.ports.parsing import Parsed
from core.documents.reading.blocks import HIDDEN, HIDDEN_TEXT, with_hidden_apart
from core.documents.reading.headings import refine_headings
from core.documents.reading.inspection import (
    DECRYPTED,
    RECOGNISED,
    TEXT_LAYER_USED,
    OcrMode,
    PageFacts,
    check_pages,
    check_text_layer,
    is_decrypted_copy,
)
from core.documents.reading.layout import blocks_of_pages
from core.documents.reading.word_repair import BROKEN, repairs, restored_words, with_ligatures
from core.models.embedding.encoder.sentence_encoder import is_known_word

_BATCH_PAGES = 24
"""Pages per batch. Keeps memory constant (272 MB at any length) and progress visible; 24 pages give enough statistics.
"""
_PASSES = 3
"""The engine makes three passes of about equal length over the pages."""
_LEAST_SHARE = 0.2
"""If the engine keeps less than this share of a page's text layer, the page is read line by line instead."""


def read_pdf(path: Path, name: str, options: ReadOptions) -> Parsed:
    report, ocr = options.report, options.ocr
    with closing(open_pdf(path, name)) as document:
        check_pages(len(document), name)
        facts = [page_facts(document, number) for number in range(len(document))]
        title = document.get_metadata_value("Title").strip()
    pictured = set() if ocr is OcrMode.OFF else {n for n, fact in enumerate(facts) if ocr.reads(fact)}
    notes = [] if pictured else list(check_text_layer(facts, name))
    report(0, len(facts))
    silence()
    blocks: list[Block] = []
    if len(pictured) < len(facts):
        blocks, found = _digital_blocks(
            path, name, facts, lambda done, total: report(max(0, done - len(pictured)), total)
        )
        notes += found
    if ocr is not OcrMode.OFF:
        blocks, found = with_recognised(blocks, facts, pictured, (path, name), report, options.engine())
        if RECOGNISED in found:
            notes = [note for note in notes if note != TEXT_LAYER_USED]
        notes += found
    notes += [DECRYPTED] if is_decrypted_copy(path) else []
    return Parsed(tuple(refine_headings(blocks)), len(facts), engine_name(), title, tuple(dict.fromkeys(notes)))


def _digital_blocks(path: Path, name: str, facts: Sequence[PageFacts], report: Report) -> tuple[list[Block], list[str]]:
    """(blocks of the text layer, notes)."""
    notes = []
    data = path.read_bytes()
    blocks, read = _native_blocks(data, len(facts), report)
    if len(read) < len(facts):
        notes.append("ingest.note.pages_damaged")
    with closing(open_pdf(path, name)) as document:
        blocks = _with_words(blocks, document)
        poor = [n for n, fact in enumerate(facts) if _is_poor(fact, [b.text for b in blocks if b.page == n])]
        if poor:
            blocks = _with_lines(blocks, document, poor)
        if len(poor) * 2 > len(facts) and _is_scan_for_engine(data):
            notes.append(TEXT_LAYER_USED)
        blocks = with_hidden_apart(blocks, {n: hidden_texts(document, n) for n in range(len(document))})
        notes += [HIDDEN_TEXT] if any(block.type == HIDDEN for block in blocks) else []
        return _with_ligatures(blocks, document), notes


def _is_scan_for_engine(data: bytes) -> bool:
    """Whether the engine, which reads the text layer once more, takes the PDF for a scan."""
    with closing(PDFDocument(data)) as document:
        return str(document.classify()) == "ocr"


def _native_blocks(data: bytes, pages: int, report: Report) -> tuple[list[Block], set[int]]:
    """(blocks, readable pages)."""
    raw: list[list[dict[str, Any]]] = []
    numbers: list[int] = []
    for batch, found in _batches(data, pages, report):
        raw += found
        numbers += batch
        report(numbers[-1] + 1 if numbers else 0, pages)
    producer = Producer(name="docvortex", version=engine_name().split()[-1])
    metadata = DocumentMetadata(file_suffix="pdf", producer=producer)
    model = ModelJson(pages=raw, page_index_map=numbers, metadata=metadata)
    return content_blocks(postprocess_document(model).to_dict()["pages"], has_pages=True), set(numbers)


def _batches(data: bytes, pages: int, report: Report) -> Iterator[tuple[list[int], list[list[dict[str, Any]]]]]:
    """(page numbers, raw pages) of every batch; unloadable pages are missing."""
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
    class WatchedDocument(PDFDocument):
        """Reports how far the engine's first pass has come; an engine that works differently reports nothing."""

        def _extract_native_page(self, page_idx: int) -> Any:
            tell_read(page_idx + 1)
            return super()._extract_native_page(page_idx)

    with closing(WatchedDocument(data)) as document:
        found: list[list[dict[str, Any]]] = PdfModel().predict(document)
    return found


def _with_words(blocks: list[Block], document: Any) -> list[Block]:
    """The tables in the words of the page, which the engine joins across line ends, or whose letters it mixes."""
    by_page = {n: restored_words(page_text(document, n)) for n in {it.page for it in blocks if it.type == "table"}}
    return [
        replace(block, text=by_page[block.page](block.text), html=by_page[block.page](block.html))
        if block.type == "table"
        else block
        for block in blocks
    ]


def _with_lines(blocks: list[Block], document: Any, pages: list[int]) -> list[Block]:
    """The blocks, with those of the given pages replaced by lines of the text layer."""
    by_lines = blocks_of_pages([page_lines(document, number) for number in pages])
    kept = [block for block in blocks if block.page not in set(pages)]
    merged = sorted([*kept, *by_lines], key=lambda block: block.page)
    return [replace(block, index=index) for index, block in enumerate(merged)]


def _with_ligatures(blocks: list[Block], document: Any) -> list[Block]:
    if not (pages := {block.page for block in blocks if BROKEN.search(block.text)}):
        return blocks
    own = {word.casefold() for block in blocks for word in block.text.split()}
    found = [each for number in sorted(pages) for each in broken_words(document, number)]
    return with_ligatures(blocks, repairs(found, lambda word: word in own or is_known_word(word)))


def _is_poor(fact: PageFacts, texts: Sequence[str]) -> bool:
    """Whether the engine lost most of the page, or its script is one whose words the engine puts out of order."""
    kept = sum(len("".join(text.split())) for text in texts)
    return kept < _LEAST_SHARE * fact.characters or fact.right_to_left > fact.characters / 2
