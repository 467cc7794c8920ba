"""The text layer of a PDF by pypdfium2: statistics per page, lines with boxes, broken words; and pictures that may hold
words. Runs in a child.
"""

import ctypes
import unicodedata
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from core.documents.reading.inspection import PageFacts
from core.documents.reading.layout import PageLines, TextLine
from core.documents.reading.word_repair import BROKEN
from core.platform.errors import InputError

_IMAGE = 3
"""FPDF_PAGEOBJ_IMAGE."""
PASSWORD_ERROR = 4
_UNREADABLE = ("Co", "Cn", "Cc", "Cs")
_ODD = frozenset(map(chr, (*range(0x80, 0xA0), *range(0xA1, 0x180)))) - frozenset("§°·×±©®£¥¢µ«»ßäöüÄÖÜéèêàçñ²³¼½¾¿¡")
"""Characters that appear when bytes of UTF-8 or a Chinese encoding are taken for Latin letters."""
_RIGHT_TO_LEFT = ("R", "AL")
_FIRST_RIGHT_TO_LEFT = "\u0590"
"""No earlier character is written from right to left; saves looking most of them up."""
_MARK = "NSM"
_MAX_CHARACTERS = 200_000
_MOSTLY = 0.5
_SAMPLED = 200
_INVISIBLE = 3
"""FPDF_TEXTRENDERMODE_INVISIBLE."""
_LONGEST_FONT_NAME = 200

_Character = tuple[str, float, float, float, float]
"""The character and its left, bottom, right, top in PDF points."""


def open_pdf(path: Path, name: str) -> Any:
    """A pypdfium2 document. Raises InputError if it needs a password or is damaged."""
    pdfium = pdfium_library()
    try:
        return pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        encrypted = getattr(error, "err_code", None) == PASSWORD_ERROR
        raise InputError("ingest.error.encrypted" if encrypted else "ingest.error.damaged", name=name) from error


def page_facts(document: Any, number: int) -> PageFacts:
    """A page that cannot be loaded counts as empty."""
    pdfium = pdfium_library()
    try:
        with closing(document[number]) as page, closing(page.get_textpage()) as layer:
            visible = [character for character in layer.get_text_range() if not character.isspace()]
            covered = _covered(page)
            hidden = _hidden(layer, len(visible)) if covered > _MOSTLY else 0
            drawn = any(True for _ in page.get_objects(max_depth=1))
    except pdfium.PdfiumError:
        return PageFacts(0, 0, False)
    unreadable = sum(c == "\ufffd" or unicodedata.category(c) in _UNREADABLE for c in visible)
    unreadable += 6 * "".join(visible).count("(cid:")
    odd = sum(c in _ODD for c in visible)
    backward = sum(map(_is_backward, visible))
    return PageFacts(len(visible), unreadable, covered > 0, covered, hidden, odd, drawn, backward)


def picture_areas(page: Any) -> list[tuple[float, float, float, float]]:
    """left, bottom, right, top of every picture in points of the PDF, inside the page."""
    width, height = page.get_size()
    areas = []
    for found in page.get_objects(filter=[_IMAGE], max_depth=3):
        left, bottom, right, top = _on_page(found)
        areas.append((max(0.0, left), max(0.0, bottom), min(max(width, height), right), min(max(width, height), top)))
    return [area for area in areas if area[2] > area[0] and area[3] > area[1]]


def _on_page(found: Any) -> tuple[float, float, float, float]:
    """Bounds of an object; pdfium gives those of one inside a form in the coordinates of the form."""
    left, bottom, right, top = found.get_bounds()
    form = found.container
    while form:
        left, bottom, right, top = form.get_matrix().on_rect(left, bottom, right, top)
        form = form.container
    return left, bottom, right, top


def _covered(page: Any) -> float:
    width, height = page.get_size()
    area = sum((right - left) * (top - bottom) for left, bottom, right, top in picture_areas(page))
    return float(min(1.0, area / (width * height))) if width and height else 0.0


def _hidden(layer: Any, most: int) -> int:
    """Number of invisible characters, estimated from a sample."""
    raw = pdfium_library().raw
    places = range(0, layer.count_chars(), max(1, layer.count_chars() // _SAMPLED))
    modes = [_render_mode(raw, layer, place) for place in places]
    return round(most * sum(mode == _INVISIBLE for mode in modes) / len(modes)) if modes else 0


def _render_mode(raw: Any, layer: Any, place: int) -> int:
    found = raw.FPDFText_GetTextObject(layer, place)
    return int(raw.FPDFTextObj_GetTextRenderMode(found)) if found else -1


def page_text(document: Any, number: int) -> str:
    """The text layer; empty for a page that cannot be loaded."""
    pdfium = pdfium_library()
    try:
        with closing(document[number]) as page, closing(page.get_textpage()) as layer:
            return str(layer.get_text_range())
    except pdfium.PdfiumError:
        return ""


def page_lines(document: Any, number: int) -> PageLines:
    """Lines of the text layer in its own order, in points of the page as displayed."""
    with closing(document[number]) as page, closing(page.get_textpage()) as layer:
        width, height = page.get_size()
        lines = (_line(page, stretch) for stretch in _stretches(layer))
        return PageLines(number, width, height, tuple(line for line in lines if line))


def _stretches(layer: Any) -> Iterator[list[_Character]]:
    """Characters up to each line end detected by PDFium and up to each wide gap, which starts another column."""
    raw = pdfium_library().raw
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
    """Whether a visible character is more than three letter heights away from the previous one."""
    visible = [known for known in stretch[-3:] if not known[0].isspace()]
    if not visible or character[0].isspace():
        return False
    return character[1] - visible[-1][3] > 3 * max(1.0, visible[-1][4] - visible[-1][2])


def _line(page: Any, stretch: list[_Character]) -> TextLine | None:
    visible = [character for character in stretch if not character[0].isspace()]
    if not visible:
        return None
    text = "".join(_in_order(stretch)).strip()
    left, bottom = min(c[1] for c in visible), min(c[2] for c in visible)
    right, top = max(c[3] for c in visible), max(c[4] for c in visible)
    x0, y0 = on_device(page, left, top)
    x1, y1 = on_device(page, right, bottom)
    return TextLine(text, min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


def _in_order(stretch: list[_Character]) -> Iterator[str]:
    """The characters in reading order, by position: PDFium gives words written from right to left in either order."""
    for _, together in groupby(stretch, lambda character: _may_be_backward(character[0])):
        run = list(together)
        if any(_is_backward(character[0]) for character in run):
            run.sort(key=_from_the_right)
        yield from (character[0] for character in run)


def _is_backward(character: str) -> bool:
    return character > _FIRST_RIGHT_TO_LEFT and unicodedata.bidirectional(character) in _RIGHT_TO_LEFT


def _may_be_backward(character: str) -> bool:
    """A letter of a script written from right to left, or a mark on one."""
    return _is_backward(character) or unicodedata.bidirectional(character) == _MARK


def _from_the_right(character: _Character) -> float:
    return -character[1] - character[3]


def on_device(page: Any, x: float, y: float) -> tuple[float, float]:
    """PDF coordinates in points from the top left of the displayed page, with rotation applied."""
    raw = pdfium_library().raw
    width, height = page.get_size()
    column, row = ctypes.c_int(), ctypes.c_int()
    size = (round(width * 100), round(height * 100))
    raw.FPDF_PageToDevice(page, 0, 0, *size, 0, x, y, ctypes.byref(column), ctypes.byref(row))
    return column.value / 100, row.value / 100


@cache
def pdfium_library() -> Any:
    """pypdfium2, which has no types."""
    import pypdfium2
    import pypdfium2.raw

    return pypdfium2


@cache
def pdfium_with_fonts() -> Any:
    """pypdfium2 with fonts for Chinese text that is not embedded; they come with the parser's engine."""
    from docvortex.document.pdf import initialize_pdfium_runtime

    initialize_pdfium_runtime()
    return pdfium_library()


def broken_words(document: Any, number: int) -> list[tuple[str, str]]:
    """(name of the font, word) of words with a sign between their letters; empty for a page that cannot be loaded."""
    pdfium = pdfium_library()
    try:
        with closing(document[number]) as page, closing(page.get_textpage()) as layer:
            return list(_found(pdfium.raw, layer))
    except pdfium.PdfiumError:
        return []


def _found(raw: Any, layer: Any) -> Iterator[tuple[str, str]]:
    for word in BROKEN.finditer(layer.get_text_range()):
        yield _font(raw, layer, raw.FPDFText_GetCharIndexFromTextIndex(layer, word.start(1))), word[0]


def _font(raw: Any, layer: Any, place: int) -> str:
    name, flags = ctypes.create_string_buffer(_LONGEST_FONT_NAME), ctypes.c_int()
    raw.FPDFText_GetFontInfo(layer, place, name, _LONGEST_FONT_NAME, ctypes.byref(flags))
    return name.value.decode("utf-8", "replace")


DOTS_AN_INCH = 150
POINTS_AN_INCH = 72
LEAST_PICTURE = (60, 24)
"""Pixels in width and height at that resolution; a smaller picture is a logo or a rule."""
_MOST_PICTURES = 40
"""Pictures of one page; more are a pattern or strips of one picture."""
_LETTER = 60.0
"""Area of a letter of ordinary text, in square points."""
_COVERED = 0.4
"""Share of a picture covered by letters of the text layer from which it is their background."""


def readable_pictures(page: Any) -> list[tuple[float, float, float, float]]:
    """left, top, right, bottom of pictures that may hold words, in shares of the page as it is shown, from its top."""
    width, height = page.get_size()
    shares = []
    for left, bottom, right, top in _not_under_text(page):
        (x0, y0), (x1, y1) = on_device(page, left, top), on_device(page, right, bottom)
        across, down = sorted((x0 / width, x1 / width)), sorted((y0 / height, y1 / height))
        dots = DOTS_AN_INCH / POINTS_AN_INCH
        wide, high = (across[1] - across[0]) * width * dots, (down[1] - down[0]) * height * dots
        if wide >= LEAST_PICTURE[0] and high >= LEAST_PICTURE[1]:
            clipped = [min(1.0, max(0.0, share)) for share in (across[0], down[0], across[1], down[1])]
            shares.append((clipped[0], clipped[1], clipped[2], clipped[3]))
    return list(dict.fromkeys(shares)) if len(shares) <= _MOST_PICTURES else []


def _not_under_text(page: Any) -> list[tuple[float, float, float, float]]:
    areas = picture_areas(page)
    if not areas:
        return []
    with closing(page.get_textpage()) as layer:
        return [area for area in areas if not _is_under_text(layer, area)]


def _is_under_text(layer: Any, area: tuple[float, float, float, float]) -> bool:
    left, bottom, right, top = area
    letters = "".join(layer.get_text_bounded(*area).split())
    return len(letters) * _LETTER >= _COVERED * (right - left) * (top - bottom)
