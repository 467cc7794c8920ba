"""How the parser's child process reads a file, and the library that it reads most files with."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from core.documents.reading.inspection import OcrMode

if TYPE_CHECKING:
    from core.documents.parsing.ocr.engine import OcrEngine

Report = Callable[[int, int], None]
"""(pages read, pages)."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    report: Report
    ocr: OcrMode
    kept: Path
    """Folder for the text of pictures that were read."""

    def engine(self) -> "OcrEngine":
        from core.documents.parsing.ocr.engine import KeptReadings

        return KeptReadings(self.kept)


@cache
def engine_name() -> str:
    """The library's name and version, looked up once and not for each document."""
    return f"docvortex {version('docvortex')}"


def silence() -> None:
    """Turns off the library's log, which has a line for every table."""
    from loguru import logger

    logger.remove()
    logging.disable(logging.WARNING)
