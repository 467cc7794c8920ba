"""Pages of a PDF and pictures on them, painted and read. Runs in the parser's child."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np

from core.adapters.ocr.engine import LONGEST_SIDE, OcrEngine, Picture
from core.adapters.ocr.ruled_tables import ruled_tables
from core.adapters.pdf.text_layer import on_device, page_text, picture_areas
from core.domain.documents import Block
from core.ingest.reading.likeness import likeness
from core.ingest.reading.recognised import Recognised, with_tables
from core.ingest.reading.recognised_blocks import recognised_blocks

_DOTS_AN_INCH = 150
_POINTS_AN_INCH = 72
LEAST_PICTURE = (60, 24)
"""Pixels in width and height at that resolution; a smaller picture is a logo or a rule."""
_MOST_PICTURES = 40
"""Of one page: more are a pattern or strips of one picture."""
_LEAST_LETTERS = 4
_ALIKE = 0.85
_SAMPLED_LAYERS = 2


class PdfPages:
    """Reads pages of one open document; a picture that comes on many pages is read once."""

    def __init__(self, document: Any, engine: OcrEngine) -> None:
        self._document = document
        self._engine = engine
        self._known: dict[bytes, Recognised] = {}

    def page(self, number: int) -> list[Block]:
        """What stands in the picture of the page. A page that cannot be painted holds nothing."""
        painted = _painted(self._document, number)
        return [] if painted is None else recognised_blocks(self._read(painted), number)

    def pictures(self, number: int) -> Iterator[list[Block]]:
        """What stands in each picture on a page that has a text of its own; boxes are those of the whole page."""
        with closing(self._document[number]) as page:
            areas = _on_page(page)
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
        """Whether the texts under scanned pages differ from what is seen there, by a sample of the pages."""
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
            upright = np.ascontiguousarray(np.rot90(picture, found.turned))
            self._known[key] = with_tables(found, ruled_tables(upright)) if found.lines else found
        return self._known[key]


def _painted(document: Any, number: int) -> Picture | None:
    import pypdfium2
    from docvortex.document.pdf import initialize_pdfium_runtime

    initialize_pdfium_runtime()  # with fonts for Chinese text whose own are not embedded
    try:
        with closing(document[number]) as page:
            longest = max(page.get_size())
            scale = min(_DOTS_AN_INCH / _POINTS_AN_INCH, LONGEST_SIDE / max(1.0, longest))
            image = page.render(scale=scale, may_draw_forms=False).to_pil().convert("RGB")
    except pypdfium2.PdfiumError:
        return None
    return np.ascontiguousarray(np.asarray(image)[:, :, ::-1])


def _on_page(page: Any) -> list[tuple[float, float, float, float]]:
    """left, top, right, bottom of pictures that may hold words, in shares of the page as it is shown, from its top."""
    width, height = page.get_size()
    shares = []
    for left, bottom, right, top in picture_areas(page):
        (x0, y0), (x1, y1) = on_device(page, left, top), on_device(page, right, bottom)
        across, down = sorted((x0 / width, x1 / width)), sorted((y0 / height, y1 / height))
        dots = _DOTS_AN_INCH / _POINTS_AN_INCH
        wide, high = (across[1] - across[0]) * width * dots, (down[1] - down[0]) * height * dots
        if wide >= LEAST_PICTURE[0] and high >= LEAST_PICTURE[1]:
            clipped = [min(1.0, max(0.0, share)) for share in (across[0], down[0], across[1], down[1])]
            shares.append((clipped[0], clipped[1], clipped[2], clipped[3]))
    return list(dict.fromkeys(shares)) if len(shares) <= _MOST_PICTURES else []


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
