"""Pages of a PDF and pictures on them, rendered and read by OCR. Runs in the parser's child."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np

from core.documents.model import Block
from core.documents.parsing.ocr.engine import LONGEST_SIDE, OcrEngine, Picture
from core.documents.parsing.ocr.ruled_tables import with_ruled_tables
from core.documents.parsing.pdf.text_layer import (
    DOTS_AN_INCH,
    LEAST_PICTURE,
    POINTS_AN_INCH,
    page_text,
    pdfium_with_fonts,
    readable_pictures,
)
from core.documents.reading.layout import Recognised, likeness
from core.documents.reading.recognised_blocks import recognised_blocks

_LEAST_LETTERS = 4
_ALIKE = 0.85
_SAMPLED_LAYERS = 2


class PdfPages:
    """Reads pages of one open document; a picture that occurs on many pages is read once."""

    def __init__(self, document: Any, engine: OcrEngine) -> None:
        self._document = document
        self._engine = engine
        self._known: dict[bytes, Recognised] = {}

    def page(self, number: int) -> list[Block]:
        """Text of the rendered page; none for a page that cannot be rendered."""
        painted = _painted(self._document, number)
        return [] if painted is None else recognised_blocks(self._read(painted), number)

    def pictures(self, number: int) -> Iterator[list[Block]]:
        """Text of each picture on a page with a text layer; boxes relate to the whole page."""
        with closing(self._document[number]) as page:
            areas = readable_pictures(page)
        painted = _painted(self._document, number) if areas else None
        if painted is None:
            return
        height, width = painted.shape[:2]
        for left, top, right, bottom in areas:
            x0, y0, x1, y1 = round(left * width), round(top * height), round(right * width), round(bottom * height)
            cut = np.ascontiguousarray(painted[y0:y1, x0:x1])
            if cut.shape[1] < LEAST_PICTURE[0] or cut.shape[0] < LEAST_PICTURE[1]:
                continue
            blocks = recognised_blocks(self._read(cut), number)
            if sum(len(block.text) for block in blocks) >= _LEAST_LETTERS:
                yield [_moved(block, (left, top, right, bottom)) for block in blocks]

    def are_layers_bad(self, numbers: Sequence[int]) -> bool:
        """Whether the text layers of scanned pages differ from what OCR reads, by a sample of the pages."""
        sampled = numbers[:: max(1, len(numbers) // _SAMPLED_LAYERS)][:_SAMPLED_LAYERS]
        for number in sampled:
            seen = " ".join(block.text for block in self.page(number))
            if likeness(page_text(self._document, number), seen) < _ALIKE:
                return True
        return False

    def _read(self, picture: Picture) -> Recognised:
        key = sha256(picture.tobytes()).digest()
        if key not in self._known:
            found = self._engine.read(picture)
            self._known[key] = with_ruled_tables(found, picture) if found.lines else found
        return self._known[key]


def _painted(document: Any, number: int) -> Picture | None:
    pdfium = pdfium_with_fonts()
    try:
        with closing(document[number]) as page:
            longest = max(page.get_size())
            scale = min(DOTS_AN_INCH / POINTS_AN_INCH, LONGEST_SIDE / max(1.0, longest))
            image = page.render(scale=scale, may_draw_forms=False).to_pil().convert("RGB")
    except pdfium.PdfiumError:
        return None
    return np.ascontiguousarray(np.asarray(image)[:, :, ::-1])


def _moved(block: Block, area: tuple[float, float, float, float]) -> Block:
    """A block of a picture as a block of the page that the picture is on."""
    left, top, right, bottom = area
    x0, y0, x1, y1 = block.box or (0, 0, 1000, 1000)
    box = (
        round(1000 * left + x0 * (right - left)),
        round(1000 * top + y0 * (bottom - top)),
        round(1000 * left + x1 * (right - left)),
        round(1000 * top + y1 * (bottom - top)),
    )
    kind = "image" if block.type == "text" else block.type
    return replace(block, box=box, level=0, type=kind)
