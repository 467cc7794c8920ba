"""Estimates what reading a file will take: pages, chunks, model calls, tokens and seconds."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from core.documents.estimating.estimate import estimate_extraction
from core.documents.estimating.text_size import Extent, extent_of_text
from core.documents.model import Document, Effort
from core.models.ports import OF_A_SERVICE, Pace
from core.platform.settings.parsers import BUILT_IN_PARSER, parsers

CHUNK_WEIGHT = 900
"""Average characters per chunk; a Han character counts as two."""
OCR_CHARACTERS = 1_200
"""Characters assumed on a page without a text layer."""
FEW = 20
"""A page with fewer characters is taken for a picture."""
START_SECONDS = 2.0
OCR_SECONDS = 7.0
"""Per dense page, measured on two idle cores."""
PICTURE_SECONDS = 2.5
"""Per picture on a page with text; a rough figure, since pictures vary most."""
CHUNK_SECONDS = 0.06
"""Per chunk, for built-in extraction, linking and indexing; measured the same way."""


Measure = Callable[[Path, str], Extent]
"""(file, its name) -> extent. Raises InputError for a file that cannot be read, ServiceError when it takes too long."""


class Forecaster:
    def __init__(
        self,
        measure: Measure,
        parser: str,
        by_model: bool,
        most_tokens: int,
        ocr: bool = True,
        pace: Pace = OF_A_SERVICE,
    ) -> None:
        """parser: the configured one; most_tokens: limit per document, 0 for none; ocr: whether built-in OCR is on."""
        self._ocr = ocr
        self.pace = pace
        self._measure = measure
        self._parser = parser
        self.by_model = by_model
        self._most_tokens = most_tokens

    def of_file(self, path: Path, name: str, parser: str = "") -> Effort:
        """Raises whatever Measure raises."""
        extent = self._measure(path, name)
        characters = _characters(extent)
        weighed = round(characters * (1 + extent.wide_share))
        chunks = max(1, extent.pages, math.ceil(weighed / CHUNK_WEIGHT))  # a slide with few words is a chunk too
        chosen = parser or self._parser
        seconds = START_SECONDS + extent.pages * _page_seconds(chosen)
        read = self._read_as_pictures(extent, chosen)
        seconds += read * OCR_SECONDS + self._pictures(extent, chosen) * PICTURE_SECONDS
        effort = self._effort(extent.pages, chunks, characters, extent.wide_share, seconds)
        return replace(effort, recognised=read)

    def _read_as_pictures(self, extent: Extent, parser: str) -> int:
        """Pages that OCR on this machine has to read."""
        if parser in parsers() and parsers()[parser].every_page_read:
            return extent.pages
        return extent.scanned if parser == BUILT_IN_PARSER and self._ocr else 0

    def _pictures(self, extent: Extent, parser: str) -> int:
        """Pictures to read on pages that have a text layer."""
        return extent.pictures if parser == BUILT_IN_PARSER and self._ocr else 0

    def of_texts(self, pages: int, texts: Sequence[str]) -> Effort:
        """Estimate for the stages after chunking, from the chunks' texts."""
        extent = extent_of_text("".join(texts))
        return self._effort(pages, len(texts), extent.characters, extent.wide_share, 0.0)

    def must_ask(self, document: Document, estimate: Effort) -> bool:
        """Whether the estimate exceeds the limit and nobody has approved it yet."""
        agreed = document.estimate is not None and document.estimate.agreed
        return bool(self._most_tokens) and estimate.tokens > self._most_tokens and not agreed

    def _effort(self, pages: int, chunks: int, characters: int, wide_share: float, seconds: float) -> Effort:
        seconds += chunks * CHUNK_SECONDS
        if not self.by_model:
            return Effort(pages, chunks, seconds=round(seconds, 1))
        model = estimate_extraction(characters, chunks, wide_share, pace=self.pace)
        return Effort(
            pages,
            chunks,
            model.calls,
            model.prompt_tokens,
            model.completion_tokens,
            round(seconds + model.seconds, 1),
        )


def _characters(extent: Extent) -> int:
    pictures = extent.pages > 0 and extent.characters < FEW * extent.pages
    return extent.pages * OCR_CHARACTERS if pictures else extent.characters


def _page_seconds(parser: str) -> float:
    """A document may name a parser of another version of the app; the built-in one's figure is used then."""
    return parsers().get(parser, parsers()[BUILT_IN_PARSER]).page_seconds
