"""Invisible text of a PDF page: in the colour of the background, or too small to read.

Such text is often meant for machines only, such as instructions to a model or words for search engines. The parser
itself drops text off the page and text in the invisible render mode; the invisible text of a scan is its text layer.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from ctypes import addressof, byref, c_uint
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from core.documents.parsing.pdf.text_layer import pdfium_library

_TINY = 2.0
"""Height in points; footnotes and indices of formulas are larger."""
_LIGHT = 200
"""Least red, green and blue of light text, of 255; darker text is visible on usual backgrounds without rendering."""
_CONTRAST = 24
"""Contrast, of 255, below which an area shows no letters."""
_MOST_CHARACTERS = 200_000


@dataclass(frozen=True, slots=True)
class _Run:
    """The characters of one text object."""

    text: str
    """Empty unless it may be hidden."""
    tiny: bool
    light: bool
    area: tuple[float, float, float, float]
    """left, bottom, right, top in points of the PDF."""


def hidden_texts(document: Any, number: int) -> list[str]:
    """Hidden texts of a page, line by line in the order of its text layer; empty for a page that cannot be loaded."""
    pdfium = pdfium_library()
    try:
        with closing(document[number]) as page, closing(page.get_textpage()) as layer:
            runs = list(_runs(pdfium.raw, layer))
            ground = _Rendered(page) if any(run.light and not run.tiny for run in runs) else None
            marked = [(run.tiny or (run.light and ground is not None and ground.is_even(run)), run) for run in runs]
    except pdfium.PdfiumError:
        return []
    return list(_lines(marked))


def _lines(marked: Iterable[tuple[bool, _Run]]) -> Iterator[str]:
    """Neighbouring hidden runs of one line as one text: programs often write a text object per word."""
    lines = groupby(marked, lambda it: (it[0], round(it[1].area[1])))
    return (" ".join(run.text for _, run in group) for (hidden, _), group in lines if hidden)


def _runs(raw: Any, layer: Any) -> Iterator[_Run]:
    count = min(layer.count_chars(), _MOST_CHARACTERS)
    ask = raw.FPDFText_GetTextObject

    def owner(index: int) -> int:
        """Address of the text object; 0 for a character that PDFium made up, such as a line end."""
        found = ask(layer, index)
        return addressof(found.contents) if found else 0

    first = 0
    while first < count:
        own = owner(first)
        end = _end(owner, own, first, count)
        if own:
            yield _run(raw, layer, first, end)
        first = end


def _end(owner: Callable[[int], int], own: int, first: int, count: int) -> int:
    """End of the characters of the object, found by doubling steps, because each call is slow."""
    inside, step = first, 1
    while inside + step < count and owner(inside + step) == own:
        inside, step = inside + step, 2 * step
    outside = min(inside + step, count)
    while outside - inside > 1:
        middle = (inside + outside) // 2
        if owner(middle) == own:
            inside = middle
        else:
            outside = middle
    return outside


def _run(raw: Any, layer: Any, first: int, end: int) -> _Run:
    boxes = [layer.get_charbox(index, loose=True) for index in (first, end - 1)]
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    area = (min(lefts), min(bottoms), max(rights), max(tops))
    tiny, light = area[3] - area[1] < _TINY, _is_light(raw, layer, first)
    return _Run(layer.get_text_range(first, end - first) if tiny or light else "", tiny, light, area)


def _is_light(raw: Any, layer: Any, index: int) -> bool:
    """Light or nearly transparent."""
    red, green, blue, alpha = (c_uint() for _ in range(4))
    known = raw.FPDFText_GetFillColor(layer, index, byref(red), byref(green), byref(blue), byref(alpha))
    return bool(known) and (min(red.value, green.value, blue.value) >= _LIGHT or alpha.value <= 255 - _LIGHT)


class _Rendered:
    """The page in grey, one pixel per point, not rotated."""

    def __init__(self, page: Any) -> None:
        self._left, _, _, self._top = page.get_cropbox()
        turned = (360 - page.get_rotation()) % 360
        self._pixels = page.render(rotation=turned, grayscale=True, may_draw_forms=False).to_numpy()

    def is_even(self, run: _Run) -> bool:
        """Whether the text is invisible against the page; an area off the page is empty."""
        left, bottom, right, top = run.area
        rows = slice(max(0, round(self._top - top)), max(0, round(self._top - bottom) + 1))
        columns = slice(max(0, round(left - self._left)), max(0, round(right - self._left) + 1))
        part = self._pixels[rows, columns]
        return not part.size or int(part.max()) - int(part.min()) < _CONTRAST
