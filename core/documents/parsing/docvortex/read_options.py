"""How the parser's child reads a file."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core.documents.reading.ocr_mode import OcrMode

if TYPE_CHECKING:
    from core.documents.parsing.ocr.engine import OcrEngine

Report = Callable[[int, int], None]
"""(pages read, pages)."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    report: Report
    ocr: OcrMode
    kept: Path
    """A folder for pictures that were read."""

    def engine(self) -> "OcrEngine":
        from core.documents.parsing.ocr.reading_cache import KeptReadings

        return KeptReadings(self.kept)
