"""When OCR is used."""

from enum import StrEnum

from core.documents.reading.inspection import PageFacts

EVERY_PAGE_READ = "built-in-ocr"
"""Name of the parser that applies OCR to every page, even one with a text layer."""


class OcrMode(StrEnum):
    AUTO = "auto"
    """Pages without a usable text layer, and pictures on the others."""
    OFF = "off"
    EVERY_PAGE = "every-page"
    """Every page, whatever its text layer."""

    def reads(self, page: PageFacts) -> bool:
        return self is OcrMode.EVERY_PAGE or (self is OcrMode.AUTO and page.needs_reading)
