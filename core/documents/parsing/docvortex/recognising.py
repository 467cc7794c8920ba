"""Scanned pages, pictures on pages and picture files, which the native engine leaves to OCR. Runs in the child."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from core.documents.model import Block
from core.documents.parsing.docvortex.read_options import Report
from core.documents.parsing.ocr.engine import LONGEST_SIDE, OcrEngine, Picture
from core.documents.parsing.ocr.installed import NAME
from core.documents.parsing.ocr.pdf_pages import PdfPages
from core.documents.parsing.ocr.ruled_tables import with_ruled_tables
from core.documents.parsing.pdf.image_file import frame, frame_count, open_image
from core.documents.parsing.pdf.text_layer import LEAST_PICTURE, open_pdf
from core.documents.ports.parsing import Parsed
from core.documents.reading.blocks import with_running_lines
from core.documents.reading.inspection import (
    PICTURES_RECOGNISED,
    POORLY_RECOGNISED,
    RECOGNISED,
    PageFacts,
    check_pages,
)
from core.documents.reading.layout import likeness
from core.documents.reading.recognised_blocks import recognised_blocks
from core.platform.errors import InputError

_DOUBTFUL = 0.85
"""Mean confidence below which the reader is advised to check."""
_MOST_PICTURES = 300
"""Pictures of an Office file that are read."""
_SAME_TEXT = 0.8


def read_image(path: Path, name: str, report: Report, engine: OcrEngine) -> Parsed:
    """A picture file, one page per frame. Raises InputError if none can be decoded."""
    with open_image(path, name) as image:
        pages = frame_count(image)
    check_pages(pages, name)
    report(0, pages)
    blocks: list[Block] = []
    for number in range(pages):
        with closing(open_image(path, name)) as image:  # decoded, it may take half a gigabyte, and OCR needs more
            picture = _frame(image, number)
        if picture is None and pages == 1:
            raise InputError("ingest.error.damaged", name=name)
        if picture is not None:
            blocks += recognised_blocks(with_ruled_tables(engine.read(picture), picture), number)
        report(number + 1, pages)
    blocks = with_running_lines(blocks)
    return Parsed(tuple(blocks), pages, f"{NAME} {version(NAME)}", "", _notes(blocks, RECOGNISED))


def with_recognised(
    blocks: list[Block],
    facts: Sequence[PageFacts],
    pictured: set[int],
    file: tuple[Path, str],
    report: Report,
    engine: OcrEngine,
) -> tuple[list[Block], list[str]]:
    """(blocks including those read by OCR, notes). pictured: pages that are read by OCR and not by their text layer."""
    with closing(open_pdf(*file)) as document:
        pages = PdfPages(document, engine)
        layers = [n for n, fact in enumerate(facts) if n not in pictured and fact.is_scan_with_text]
        if layers and pages.are_layers_bad(layers):
            pictured = pictured | set(layers)
        report(len(facts) - len(pictured), len(facts))
        kept = [block for block in blocks if block.page not in pictured]
        read: list[Block] = []
        for done, number in enumerate(sorted(pictured), 1):
            read += pages.page(number)
            report(len(facts) - len(pictured) + done, len(facts))
        read = with_running_lines(read)
        merged = sorted([*kept, *read], key=lambda block: block.page)
        extra = [n for n, fact in enumerate(facts) if fact.has_image and n not in pictured and n not in layers]
        merged, in_pictures = _with_pictures(merged, pages, extra, lambda: report(len(facts), len(facts)))
    notes = [*_notes(read, RECOGNISED), *_notes(in_pictures, PICTURES_RECOGNISED)]
    return [replace(block, index=index) for index, block in enumerate(merged)], notes


def fill_pictures(
    pages: Sequence[Mapping[str, Any]], assets: Mapping[str, bytes], engine: OcrEngine
) -> tuple[str, ...]:
    """Puts the text of an Office file's pictures into the blocks that the engine left empty; notes for the reader."""
    known, read = dict[str, list[Block]](), list[Block]()
    for body in _bodies(pages):
        path = str(body.get("image_path") or "")
        if path not in known and path in assets and len(known) < _MOST_PICTURES:
            known[path] = _words_in(engine, assets[path])
        found = known.get(path, [])
        if found:
            body["content"] = "\n".join(block.text for block in found)
            read += found
    return tuple(_notes(read, PICTURES_RECOGNISED))


def _bodies(pages: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for page in pages:
        for block in page.get("blocks", ()):
            if block["type"] == "image":
                yield from (part for part in block["content"] if part["type"] == "image_body" and not part["content"])


def _words_in(engine: OcrEngine, data: bytes) -> list[Block]:
    try:
        picture = _frame(open_image(BytesIO(data), ""), 0)
    except InputError:
        return []
    if picture is None or picture.shape[0] < LEAST_PICTURE[1] or picture.shape[1] < LEAST_PICTURE[0]:
        return []
    return recognised_blocks(engine.read(picture), 0)


def _frame(image: Any, number: int) -> Picture | None:
    """A frame as OCR takes it; None for one that cannot be decoded."""
    try:
        shown = frame(image, number, LONGEST_SIDE)
    except (OSError, ValueError, SyntaxError, EOFError):
        return None
    return np.ascontiguousarray(np.asarray(shown)[:, :, ::-1])


def _with_pictures(
    blocks: list[Block], pages: PdfPages, numbers: Sequence[int], tell_alive: Callable[[], None]
) -> tuple[list[Block], list[Block]]:
    """(blocks, those of them read in pictures); text that the text layer has as well is omitted."""
    read: list[Block] = []
    for number in numbers:
        own = [block for block in blocks if block.page == number]
        for found in pages.pictures(number):
            if not _is_said(found, own):
                blocks = [block for block in blocks if not _is_empty_place_of(block, found[0])]
                place = _place(blocks, found[0])
                blocks = [*blocks[:place], *found, *blocks[place:]]
                read += found
        tell_alive()
    return blocks, read


def _is_empty_place_of(block: Block, found: Block) -> bool:
    """Whether it is the engine's empty block for the picture."""
    if block.page != found.page or block.type != "image" or block.text or not block.box or not found.box:
        return False
    across, down = (found.box[0] + found.box[2]) / 2, (found.box[1] + found.box[3]) / 2
    return block.box[0] <= across <= block.box[2] and block.box[1] <= down <= block.box[3]


def _is_said(found: Sequence[Block], own: Sequence[Block]) -> bool:
    """Whether the text layer lies over the picture."""
    area = found[0].box, found[-1].box
    if not area[0] or not area[1]:
        return False
    top, bottom = area[0][1] - 20, area[1][3] + 20
    near = " ".join(block.text for block in own if block.box and block.box[1] < bottom and block.box[3] > top)
    words = " ".join(block.text for block in found)
    return likeness(near, words) > _SAME_TEXT or all(part in near for part in words.split())


def _place(blocks: Sequence[Block], picture: Block) -> int:
    """Index after the last block that ends above the picture in its column, else before the page's first block."""
    same = [place for place, block in enumerate(blocks) if block.page == picture.page]
    above = [place for place in same if _is_above(blocks[place], picture)]
    if above:
        return above[-1] + 1
    return same[0] if same else sum(block.page < picture.page for block in blocks)


def _is_above(block: Block, picture: Block) -> bool:
    if not block.box or not picture.box:
        return False
    beside = block.box[2] <= picture.box[0] or block.box[0] >= picture.box[2]
    return not beside and block.box[3] <= picture.box[1] + 10


def _notes(read: Sequence[Block], note: str) -> tuple[str, ...]:
    sure = [block.confidence for block in read for _ in block.text if block.confidence is not None]
    if not sure:
        return ()
    return (note, POORLY_RECOGNISED) if sum(sure) / len(sure) < _DOUBTFUL else (note,)
