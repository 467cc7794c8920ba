"""Cheap checks before any heavy work: size, content, encryption, pages, text layer; a refusal names the remedy."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from zipfile import ZipFile

from core.documents.reading.formats import MARKDOWN, TEXT, FileFormat, recognise
from core.documents.reading.result_zip import DAMAGES, MAX_MEMBERS, MAX_UNPACKED_BYTES
from core.platform.errors import InputError

MAX_MEGABYTES = 200
MAX_PAGES = 2000
MAX_CHARACTERS = 10_000_000
"""Limit per document: about 10,000 chunks, which the built-in engine reads in a few minutes."""
_MOST_BYTES = 4
"""Longest UTF-8 sequence of a character."""
PLAIN = (TEXT, MARKDOWN)
_FEW = 20
"""Fewer characters on a page covered by an image are a stamp or a page number, not its text."""

SOME_PAGES_SCANNED = "ingest.note.some_pages_scanned"
TEXT_LAYER_USED = "ingest.note.text_layer_used"
RECOGNISED = "ingest.note.recognised"
PICTURES_RECOGNISED = "ingest.note.pictures_recognised"
POORLY_RECOGNISED = "ingest.note.poorly_recognised"
DECRYPTED = "ingest.note.decrypted"
"""Notes for the reader of a document."""

MARK = b"\n%GraphTalk: copy without password\n"
"""Comment at the end of a decrypted copy of a PDF."""
EVERY_PAGE_READ = "built-in-ocr"
"""Name of the parser that applies OCR to every page, even one with a text layer."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    characters: int
    """Visible characters of the text layer."""
    unreadable: int
    """Characters that are private codes of a font: readable on the page, meaningless as text."""
    has_image: bool
    covered: float = 0.0
    """Fraction of the page covered by pictures, 0 to 1."""
    hidden: int = 0
    """Invisible characters, such as the OCR layer of a scanner's software."""
    odd: int = 0
    """Accented letters and signs typical of a wrong encoding."""
    drawn: bool = False
    """Whether the page is not blank."""
    right_to_left: int = 0
    """Letters of scripts written from right to left."""

    @property
    def needs_reading(self) -> bool:
        """Whether the page needs OCR because its text layer is missing or unusable."""
        if self.characters < _FEW:
            return self.drawn or self.has_image
        return self.unreadable * 10 > self.characters or self.odd * 2 > self.characters

    @property
    def is_scan_with_text(self) -> bool:
        """Whether the page is a picture with an invisible text layer, good or bad."""
        return self.covered > 0.5 and self.hidden * 2 > self.characters >= _FEW


def inspect_file(path: Path, name: str) -> FileFormat:
    """The format of a file that may be parsed; raises InputError for every other."""
    size = path.stat().st_size
    if size == 0:
        raise InputError("ingest.error.empty", name=name)
    if size > MAX_MEGABYTES * 1_000_000:
        raise InputError("ingest.error.too_large", name=name, limit=MAX_MEGABYTES)
    form = recognise(path, name)
    if form in PLAIN and size > MAX_CHARACTERS * _MOST_BYTES:
        raise _too_long(name)
    with path.open("rb") as file:
        if file.read(4) == b"PK\x03\x04":
            _check_package(path, name)
    return form


def check_pages(pages: int, name: str) -> None:
    if pages == 0:
        raise InputError("ingest.error.damaged", name=name)
    if pages > MAX_PAGES:
        raise InputError("ingest.error.too_many_pages", name=name, pages=pages, limit=MAX_PAGES)


def check_extent(pages: int, characters: int, name: str) -> None:
    """Raises InputError if a parser's result is too large for the later stages."""
    if pages > MAX_PAGES:
        check_pages(pages, name)
    if characters > MAX_CHARACTERS:
        raise _too_long(name)


def _too_long(name: str) -> InputError:
    return InputError("ingest.error.too_long", name=name, limit=MAX_CHARACTERS // 1_000_000)


def check_text_layer(pages: Sequence[PageFacts], name: str) -> tuple[str, ...]:
    """Notes for the reader about a PDF with text; raises InputError for a scan and for text nobody can read."""
    characters = sum(page.characters for page in pages)
    unreadable = sum(page.unreadable for page in pages)
    scanned = [page for page in pages if page.has_image and page.characters < _FEW]
    if characters and unreadable * 2 > characters:
        raise InputError("ingest.error.garbled", name=name)
    if not characters or (len(scanned) == len(pages) and characters < _FEW):
        raise InputError("ingest.error.scanned" if scanned else "ingest.error.no_text", name=name)
    return (SOME_PAGES_SCANNED,) if any(page.characters == 0 for page in scanned) else ()


def _check_package(path: Path, name: str) -> None:
    """Checks the declared unpacked size of Office and EPUB files, which are zips."""
    try:
        with ZipFile(path) as package:
            members = package.infolist()
    except DAMAGES as error:
        raise InputError("ingest.error.damaged", name=name) from error
    if len(members) > MAX_MEMBERS or sum(member.file_size for member in members) > MAX_UNPACKED_BYTES:
        raise InputError("ingest.error.bomb", name=name)
    if any(member.flag_bits & 1 for member in members):
        raise InputError("ingest.error.encrypted", name=name)


def is_decrypted_copy(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - len(MARK)))
        return file.read() == MARK


class OcrMode(StrEnum):
    AUTO = "auto"
    """Pages without a usable text layer, and pictures on the others."""
    OFF = "off"
    EVERY_PAGE = "every-page"
    """Every page, whatever its text layer."""

    def reads(self, page: PageFacts) -> bool:
        return self is OcrMode.EVERY_PAGE or (self is OcrMode.AUTO and page.needs_reading)
