"""Words of a PDF page with a sign between their letters, and the font of the sign. Runs in the parser's child."""

import ctypes
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from core.documents.reading.ligatures import BROKEN

_LONGEST_NAME = 200


def broken_words(document: Any, number: int) -> list[tuple[str, str]]:
    """(name of the font, word); empty for a page that cannot be loaded."""
    import pypdfium2 as pdfium

    try:
        with closing(document[number]) as page, closing(page.get_textpage()) as layer:
            return list(_found(pdfium.raw, layer))
    except pdfium.PdfiumError:
        return []


def _found(raw: Any, layer: Any) -> Iterator[tuple[str, str]]:
    for word in BROKEN.finditer(layer.get_text_range()):
        yield _font(raw, layer, raw.FPDFText_GetCharIndexFromTextIndex(layer, word.start(1))), word[0]


def _font(raw: Any, layer: Any, place: int) -> str:
    name, flags = ctypes.create_string_buffer(_LONGEST_NAME), ctypes.c_int()
    raw.FPDFText_GetFontInfo(layer, place, name, _LONGEST_NAME, ctypes.byref(flags))
    return name.value.decode("utf-8", "replace")
