"""A PDF's text layer by pypdfium2: what each page carries, and its lines with boxes. Runs in the parser's child."""

import ctypes
import unicodedata
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.ingest.inspect import PageFacts
from core.ingest.layout import Line, PageLines

_IMAGE = 3
"""FPDF_PAGEOBJ_IMAGE."""
_PASSWORD_ERROR = 4
_UNREADABLE = ("Co", "Cn", "Cc", "Cs")
_MAX_CHARACTERS = 200_000

_Character = tuple[str, float, float, float, float]
"""The character and its left, bottom, right, top in PDF points."""


def open_pdf(path: Path, name: str) -> Any:
    """A pypdfium2 document. Raises InputError when it needs a password or is damaged."""
    pdfium = _pdfium()
    try:
        return pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        encrypted = getattr(error, "err_code", None) == _PASSWORD_ERROR
        raise InputError("ingest.error.encrypted" if encrypted else "ingest.error.damaged", name=name) from error


def page_facts(document: Any, number: int) -> PageFacts:
    """A page that cannot be loaded carries nothing."""
    pdfium = _pdfium()
    try:
        with closing(document[number]) as page, closing(page.get_textpage()) as layer:
            visible = [character for character in layer.get_text_range() if not character.isspace()]
            has_image = any(True for _ in page.get_objects(filter=[_IMAGE], max_depth=3))
    except pdfium.PdfiumError:
        return PageFacts(0, 0, False)
    unreadable = sum(c == "\ufffd" or unicodedata.category(c) in _UNREADABLE for c in visible)
    return PageFacts(len(visible), unreadable, has_image)


def page_text(document: Any, number: int) -> str:
    """The text layer; nothing for a page that cannot be loaded."""
    pdfium = _pdfium()
    try:
        with closing(document[number]) as page, closing(page.get_textpage()) as layer:
            return str(layer.get_text_range())
    except pdfium.PdfiumError:
        return ""


def page_lines(document: Any, number: int) -> PageLines:
    """The text layer's lines in its own order, in points of the page as it is shown."""
    with closing(document[number]) as page, closing(page.get_textpage()) as layer:
        width, height = page.get_size()
        lines = (_line(page, stretch) for stretch in _stretches(layer))
        return PageLines(number, width, height, tuple(line for line in lines if line))


def _stretches(layer: Any) -> Iterator[list[_Character]]:
    """Characters up to each line end that PDFium sees, and up to each wide gap (another column)."""
    raw = _pdfium().raw

    stretch: list[_Character] = []
    for index in range(min(layer.count_chars(), _MAX_CHARACTERS)):
        code = raw.FPDFText_GetUnicode(layer, index)
        character = (chr(code), *layer.get_charbox(index, loose=True)) if code < 0x110000 else None
        ends = code in (10, 13) or (character is not None and _far(stretch, character))
        if ends and stretch:
            yield stretch
            stretch = []
        if character and code not in (10, 13):
            stretch.append(character)
    if stretch:
        yield stretch


def _far(stretch: list[_Character], character: _Character) -> bool:
    """Whether a visible character stands more than three letters' height away from the one before."""
    visible = [known for known in stretch[-3:] if not known[0].isspace()]
    if not visible or character[0].isspace():
        return False
    return character[1] - visible[-1][3] > 3 * max(1.0, visible[-1][4] - visible[-1][2])


def _line(page: Any, stretch: list[_Character]) -> Line | None:
    visible = [character for character in stretch if not character[0].isspace()]
    if not visible:
        return None
    text = "".join(character[0] for character in stretch).strip()
    left, bottom = min(c[1] for c in visible), min(c[2] for c in visible)
    right, top = max(c[3] for c in visible), max(c[4] for c in visible)
    x0, y0 = _on_device(page, left, top)
    x1, y1 = _on_device(page, right, bottom)
    return Line(text, min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


def _on_device(page: Any, x: float, y: float) -> tuple[float, float]:
    """PDF coordinates in points from the top left of the page as it is shown, rotation applied."""
    raw = _pdfium().raw

    width, height = page.get_size()
    column, row = ctypes.c_int(), ctypes.c_int()
    size = (round(width * 100), round(height * 100))
    raw.FPDF_PageToDevice(page, 0, 0, *size, 0, x, y, ctypes.byref(column), ctypes.byref(row))
    return column.value / 100, row.value / 100


def _pdfium() -> Any:
    """The binding has no types."""
    import pypdfium2
    import pypdfium2.raw

    return pypdfium2
