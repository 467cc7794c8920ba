"""How much there is in a file that is characters or a package of them, counted without parsing it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from zipfile import BadZipFile, ZipFile

from core.errors import InputError
from core.ingest.reading.formats import IMAGES, TIFF, Format
from core.ingest.reading.inspection import MAX_PAGES
from core.ingest.reading.normalise import weight
from core.ingest.reading.plain_text import decode

_MOST_BYTES = 2_000_000
"""Read of a text; of a longer one the rest is taken to be like its beginning."""
_MOST_UNPACKED = 20_000_000
_TEXT_PARTS = re.compile(
    r"word/document\.xml|ppt/slides/slide\d+\.xml|xl/(?:sharedStrings|worksheets/sheet\d+)\.xml|content\.xml"
    r"|.+\.x?html?|(?:.*[_/])?content_list\.json|(?:.*/)?structured_content\.json"
)
_SLIDE = re.compile(r"ppt/slides/slide\d+\.xml")
_TAG = re.compile(r"<[^>]*>")
_UNREAD = re.compile(r"<(script|style)\b.*?(?:</\1[^>]*>|\Z)|<!--.*?(?:-->|\Z)", re.DOTALL | re.IGNORECASE)
"""Of a web page; often more than its words."""
_BYTES_A_CHARACTER = 8
"""In old Office files and RTF, beside their layout."""
_LETTERS_A_PAGE = 1500
"""On a picture of a page, which nobody has read yet."""
_WRITTEN = ("txt", "md", "csv", "tsv", "html", "json")


@dataclass(frozen=True, slots=True)
class Extent:
    pages: int
    """0 for formats without pages."""
    characters: int
    wide_share: float = 0.0
    """Part of the characters that are Han (0 to 1)."""
    scanned: int = 0
    """Pages without a text layer that can be used."""
    pictures: int = 0
    """Pictures that may hold words, on the other pages."""


def extent_of_text(text: str, times: float = 1.0, pages: int = 0) -> Extent:
    """times: how many times as much the whole is."""
    wide = weight(text) - len(text)
    return Extent(pages, round(len(text) * times), round(wide / len(text), 3) if text else 0.0)


def extent_of_file(path: Path, name: str, form: Format) -> Extent:
    """Of every format but PDF; exact for texts and packages, by size for the others. Raises InputError."""
    if form in IMAGES:
        pages = _frames(path) if form is TIFF else 1
        return Extent(pages, _LETTERS_A_PAGE * pages, scanned=pages)
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(_MOST_BYTES)
    if start.startswith(b"PK\x03\x04"):
        return _package(path, name)
    if form.suffix not in _WRITTEN:
        return Extent(1 if form.has_pages else 0, size // _BYTES_A_CHARACTER)
    text = decode(start)
    return extent_of_text(_words_of_html(text) if form.suffix == "html" else text, max(1.0, size / _MOST_BYTES))


def _words_of_html(markup: str) -> str:
    return _TAG.sub("", _UNREAD.sub("", markup))


def _frames(path: Path) -> int:
    """Directories of a TIFF, one a page; one where they cannot be followed."""
    with path.open("rb") as file:
        order: Literal["little", "big"] = "little" if file.read(2) == b"II" else "big"
        file.seek(4)
        place, count = int.from_bytes(file.read(4), order), 0
        seen: set[int] = set()
        while place and place not in seen and count < MAX_PAGES:
            seen.add(place)
            file.seek(place)
            entries = int.from_bytes(file.read(2), order)
            file.seek(place + 2 + 12 * entries)
            place, count = int.from_bytes(file.read(4), order), count + 1
    return max(1, count)


def _package(path: Path, name: str) -> Extent:
    try:
        with ZipFile(path) as package:
            members = [member for member in package.namelist() if _TEXT_PARTS.fullmatch(member)]
            text = " ".join(_parts(package, members))
    except (BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
        raise InputError("ingest.error.damaged", name=name) from error
    return extent_of_text(text, pages=sum(bool(_SLIDE.fullmatch(member)) for member in members))


def _parts(package: ZipFile, members: Sequence[str]) -> Iterator[str]:
    """Texts without markup, as far as a real document would go."""
    left = _MOST_UNPACKED
    for member in members:
        with package.open(member) as part:
            data = part.read(left)
        left -= len(data)
        yield " ".join(_TAG.sub(" ", data.decode("utf-8", "replace")).split())
