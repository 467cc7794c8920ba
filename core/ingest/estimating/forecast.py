"""What reading a file will take, before it is read: pages, chunks, model calls, tokens and seconds."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from core.domain.documents import Document, Effort
from core.ingest.estimating.estimate import estimate_extraction
from core.ingest.estimating.text_size import Extent, extent_of_text
from core.settings.parsers import BUILT_IN_PARSER, PARSERS

CHUNK_WEIGHT = 900
"""Of a chunk on average; a Han character weighs two."""
OCR_CHARACTERS = 1_200
"""On a page that is a picture, when nobody knows yet."""
FEW = 20
"""Fewer characters on a page say that it is a picture."""
START_SECONDS = 2.0
OCR_SECONDS = 7.0
"""Of a dense page; measured with two idle cores."""
PICTURE_SECONDS = 2.5
"""Of a picture on a page of text; an estimate, as pictures differ most."""
CHUNK_SECONDS = 0.06
"""Built-in extraction, linking and indexes, measured likewise."""


Measure = Callable[[Path, str], Extent]
"""(file, its name) -> extent. Raises InputError for a file that cannot be read, ServiceError when it takes too long."""


class Forecaster:
    def __init__(self, measure: Measure, parser: str, by_model: bool, most_tokens: int, ocr: bool = True) -> None:
        """parser: that of the settings; most_tokens: of a model for one document, 0 for no limit; ocr: built in."""
        self._ocr = ocr
        self._measure = measure
        self._parser = parser
        self.by_model = by_model
        self._most_tokens = most_tokens

    def of_file(self, path: Path, name: str, parser: str = "") -> Effort:
        """Raises what measuring raises."""
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
        """Pages; a service elsewhere does that in its own time."""
        if parser in PARSERS and PARSERS[parser].every_page_read:
            return extent.pages
        return extent.scanned if parser == BUILT_IN_PARSER and self._ocr else 0

    def _pictures(self, extent: Extent, parser: str) -> int:
        """That are read on pages with a text of their own."""
        return extent.pictures if parser == BUILT_IN_PARSER and self._ocr else 0

    def of_texts(self, pages: int, texts: Sequence[str]) -> Effort:
        """Of what comes after the chunks are cut."""
        extent = extent_of_text("".join(texts))
        return self._effort(pages, len(texts), extent.characters, extent.wide_share, 0.0)

    def must_ask(self, document: Document, estimate: Effort) -> bool:
        """Whether a person has to say yes first."""
        agreed = document.estimate is not None and document.estimate.agreed
        return bool(self._most_tokens) and estimate.tokens > self._most_tokens and not agreed

    def _effort(self, pages: int, chunks: int, characters: int, wide_share: float, seconds: float) -> Effort:
        seconds += chunks * CHUNK_SECONDS
        if not self.by_model:
            return Effort(pages, chunks, seconds=round(seconds, 1))
        model = estimate_extraction(characters, chunks, wide_share)
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
    """Of a document that names a parser of another version of the app: as of the built-in one."""
    return PARSERS.get(parser, PARSERS[BUILT_IN_PARSER]).page_seconds
