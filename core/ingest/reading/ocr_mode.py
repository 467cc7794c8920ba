"""When the pictures of pages are read."""

from enum import StrEnum

from core.ingest.reading.inspection import PageFacts

EVERY_PAGE_READ = "built-in-ocr"
"""The built-in parser, by the pictures of the pages also where they have a text layer."""


class OcrMode(StrEnum):
    AUTO = "auto"
    """Pages without a text layer that can be used, and pictures on the others."""
    OFF = "off"
    EVERY_PAGE = "every-page"
    """Whatever text layer there is."""

    def reads(self, page: PageFacts) -> bool:
        return self is OcrMode.EVERY_PAGE or (self is OcrMode.AUTO and page.needs_reading)
