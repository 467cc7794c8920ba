"""Estimates, before any call is made, what reading a file takes: pages, chunks, model calls, tokens and seconds."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from core.documents.estimating.text_size import Extent, extent_of_text
from core.documents.model import Document, Effort
from core.models.ports import OF_A_SERVICE, Pace
from core.platform.settings.parsers import BUILT_IN_PARSER, parsers

CHARACTERS_PER_TOKEN = 4
"""Latin characters per token; a Han character counts as one token."""
PROMPT_OVERHEAD = 320
"""Tokens of instructions and examples per extraction call."""
ANSWER_SHARE = 0.22
"""Completion tokens per source token: each name once per unit, and the relations."""
SECTION_TOKENS = 700
"""Prompt tokens per section in a summary call, its share of the instructions included."""
SUMMARY_TOKENS = 90
CHUNKS_PER_SECTION = 3
OWN_SUMMARY = 2
"""A document of at most this many chunks is its own summary; no model is asked for one."""
USUAL_SECTIONS = 20
"""Upper bound of the main sections, each of which gets a summary of its own."""
MOST_SUMMARY_CALLS = 10


def source_tokens(texts_characters: int, wide_share: float = 0.0) -> int:
    """Estimated tokens of a text; wide_share is the fraction of Han, kana and hangul characters (0 to 1)."""
    wide = round(texts_characters * min(1.0, max(0.0, wide_share)))
    return wide + math.ceil((texts_characters - wide) / CHARACTERS_PER_TOKEN)


def estimate_extraction(
    texts_characters: int,
    chunks: int,
    wide_share: float = 0.0,
    pace: Pace = OF_A_SERVICE,
) -> Effort:
    """Calls, tokens and seconds of extraction and summaries by a model; none for an empty text."""
    sections = min(USUAL_SECTIONS, chunks // CHUNKS_PER_SECTION)
    if texts_characters <= 0 or chunks <= 0:
        return Effort()
    source = source_tokens(texts_characters, wide_share)
    whole = min(chunks, math.ceil(source / pace.unit_tokens))
    units = whole if pace.most_units is None else min(whole, pace.most_units)
    source = source * units // whole
    summarised = 0 if chunks <= OWN_SUMMARY else sections + 1
    summary_calls = min(MOST_SUMMARY_CALLS, math.ceil(summarised / pace.sections_per_call))
    parts = min(summarised, summary_calls * pace.sections_per_call)
    answered = round(source * ANSWER_SHARE)
    unit_seconds = _seconds(pace, units, source + units * PROMPT_OVERHEAD, answered)
    summary_seconds = _seconds(pace, summary_calls, parts * SECTION_TOKENS, parts * SUMMARY_TOKENS)
    return Effort(
        model_calls=units + summary_calls,
        prompt_tokens=source + units * PROMPT_OVERHEAD + parts * SECTION_TOKENS,
        completion_tokens=answered + parts * SUMMARY_TOKENS,
        seconds=round(unit_seconds + summary_seconds, 1),
    )


def _seconds(pace: Pace, calls: int, prompt_tokens: int, completion_tokens: int) -> float:
    """Duration of calls of equal size, of which the pace allows several at a time."""
    if not calls:
        return 0.0
    one = pace.first_seconds + prompt_tokens / calls / pace.read_speed + completion_tokens / calls / pace.write_speed
    return one * math.ceil(calls / pace.in_flight)


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
        page_seconds = parsers().get(chosen, parsers()[BUILT_IN_PARSER]).page_seconds  # it may be of another version
        seconds = START_SECONDS + extent.pages * page_seconds
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
        return replace(model, pages=pages, chunks=chunks, seconds=round(seconds + model.seconds, 1))


def _characters(extent: Extent) -> int:
    pictures = extent.pages > 0 and extent.characters < FEW * extent.pages
    return extent.pages * OCR_CHARACTERS if pictures else extent.characters
