"""Measures the text in plain files and zip packages without parsing them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from zipfile import ZipFile

from core.documents.reading.formats import IMAGES, MARKDOWN, TIFF, FileFormat
from core.documents.reading.inspection import MAX_CHARACTERS, MAX_PAGES, PLAIN, check_extent
from core.documents.reading.normalise import weight
from core.documents.reading.plain_text import decode, encoding_of, text_blocks
from core.documents.reading.result_zip import DAMAGES
from core.documents.reading.sheets import DELIMITERS, MAX_ROWS, check_csv
from core.platform.errors import InputError

_MOST_BYTES = 2_000_000
"""Bytes sampled from a text file; longer files are extrapolated."""
_MOST_UNPACKED = 20_000_000
_TEXT_PARTS = re.compile(
    r"word/document\.xml|ppt/slides/slide\d+\.xml|xl/(?:sharedStrings|worksheets/sheet\d+)\.xml|content\.xml"
    r"|.+\.x?html?|(?:.*[_/])?content_list\.json|(?:.*/)?structured_content\.json"
)
_SLIDE = re.compile(r"ppt/slides/slide\d+\.xml")
_TAG = re.compile(r"<[^<>]*>")  # without `<` inside, or many of them take quadratic time
_UNREAD = re.compile(r"<(script|style)\b.*?(?:</\1[^<>]*>|\Z)|<!--.*?(?:-->|\Z)", re.DOTALL | re.IGNORECASE)
"""Parts of a web page that hold no text; often longer than its text."""
_BYTES_A_CHARACTER = 8
"""File size per character of text in old Office files and RTF."""
_LETTERS_A_PAGE = 1500
"""Characters assumed on a scanned page or picture."""
_WRITTEN = ("txt", "md", "csv", "tsv", "html", "json")


@dataclass(frozen=True, slots=True)
class Extent:
    pages: int
    """0 for formats without pages."""
    characters: int
    wide_share: float = 0.0
    """Fraction of the characters that are Han (0 to 1)."""
    scanned: int = 0
    """Pages without a usable text layer."""
    pictures: int = 0
    """Pictures on the other pages that may contain text."""


def extent_of_text(text: str, times: float = 1.0, pages: int = 0) -> Extent:
    """times: size of the whole relative to this sample."""
    wide = weight(text) - len(text)
    return Extent(pages, round(len(text) * times), round(wide / len(text), 3) if text else 0.0)


def extent_of_file(path: Path, name: str, form: FileFormat) -> Extent:
    """For every format but PDF: counted in text files and packages, by file size in others.

    Raises InputError, also for a text or a table that is too long to be read.
    """
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
    _check_length(path, name, form, start)
    sample = start if size <= _MOST_BYTES else start[: start.rfind(b"\n") + 1] or start  # no half characters
    text = decode(sample)
    return extent_of_text(
        _TAG.sub("", _UNREAD.sub("", text)) if form.suffix == "html" else text, size / max(1, len(sample))
    )


def _check_length(path: Path, name: str, form: FileFormat, start: bytes) -> None:
    """Raises InputError where the reader would. start: the first bytes."""
    size = path.stat().st_size
    if form in PLAIN and size > MAX_CHARACTERS:
        text = decode(path.read_bytes())
        if len(text) > MAX_CHARACTERS:
            check_extent(0, sum(len(block.text) for block in text_blocks(text, form is MARKDOWN)), name)
    if form.suffix in DELIMITERS and size > MAX_ROWS:
        with path.open(encoding=encoding_of(start), errors="replace", newline="") as lines:
            check_csv(lines, decode(start), DELIMITERS[form.suffix], name)


def _frames(path: Path) -> int:
    """Pages of a TIFF (one per image file directory); 1 if the directories are damaged."""
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
    except DAMAGES as error:
        raise InputError("ingest.error.damaged", name=name) from error
    return extent_of_text(text, pages=sum(bool(_SLIDE.fullmatch(member)) for member in members))


def _parts(package: ZipFile, members: Sequence[str]) -> Iterator[str]:
    """Texts of the members without markup, up to _MOST_UNPACKED bytes in all."""
    left = _MOST_UNPACKED
    for member in members:
        with package.open(member) as part:
            data = part.read(left)
        left -= len(data)
        yield " ".join(_TAG.sub(" ", data.decode("utf-8", "replace")).split())
