"""Estimates extraction by a model before any call is made: calls, tokens and seconds. Pure functions."""

import math
from dataclasses import dataclass

from core.documents.extraction.packing import UNIT_TOKENS

CHARACTERS_PER_TOKEN = 4
"""Latin characters per token; a Han character counts as one token."""
PROMPT_OVERHEAD = 320
"""Tokens of instructions and examples per extraction call."""
ANSWER_SHARE = 0.22
"""Completion tokens per source token: each name once per unit, and the relations."""
SECTIONS_PER_CALL = 8
SECTION_TOKENS = 700
"""Prompt tokens per section in a summary call, its share of the instructions included."""
SUMMARY_TOKENS = 90
CHUNKS_PER_SECTION = 3
OWN_SUMMARY = 2
"""A document of at most this many chunks is its own summary; no model is asked for one."""
USUAL_SECTIONS = 20
"""Upper bound assumed when the sections have not been counted."""
MOST_SUMMARY_CALLS = 10
FIRST_TOKEN_SECONDS = 1.5
TOKENS_PER_SECOND = 50
IN_FLIGHT = 8


@dataclass(frozen=True, slots=True)
class Estimate:
    calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


NOTHING = Estimate(0, 0, 0, 0.0)
"""Extraction by rules: no calls, no tokens and hardly any time."""


def source_tokens(texts_characters: int, wide_share: float = 0.0) -> int:
    """Estimated tokens of a text; wide_share is the fraction of Han, kana and hangul characters (0 to 1)."""
    wide = round(texts_characters * min(1.0, max(0.0, wide_share)))
    return wide + math.ceil((texts_characters - wide) / CHARACTERS_PER_TOKEN)


def estimate_extraction(
    texts_characters: int,
    chunks: int,
    wide_share: float = 0.0,
    sections: int | None = None,
    in_flight: int = IN_FLIGHT,
) -> Estimate:
    """Extraction and summaries of a text with this many characters and chunks.

    sections: main sections with a summary of their own; derived from the number of chunks when None.
    in_flight: concurrent calls.
    """
    sections = min(USUAL_SECTIONS, chunks // CHUNKS_PER_SECTION) if sections is None else sections
    if texts_characters <= 0 or chunks <= 0:
        return NOTHING
    source = source_tokens(texts_characters, wide_share)
    units = min(chunks, math.ceil(source / UNIT_TOKENS))
    summarised = 0 if chunks <= OWN_SUMMARY else sections + 1
    summary_calls = min(MOST_SUMMARY_CALLS, math.ceil(summarised / SECTIONS_PER_CALL))
    parts = min(summarised, summary_calls * SECTIONS_PER_CALL)
    answered = round(source * ANSWER_SHARE)
    unit_seconds = _seconds(answered / units) * math.ceil(units / in_flight)
    summary_seconds = 0.0
    if summary_calls:
        summary_seconds = _seconds(parts * SUMMARY_TOKENS / summary_calls) * math.ceil(summary_calls / in_flight)
    return Estimate(
        calls=units + summary_calls,
        prompt_tokens=source + units * PROMPT_OVERHEAD + parts * SECTION_TOKENS,
        completion_tokens=answered + parts * SUMMARY_TOKENS,
        seconds=round(unit_seconds + summary_seconds, 1),
    )


def _seconds(completion_tokens: float) -> float:
    return FIRST_TOKEN_SECONDS + completion_tokens / TOKENS_PER_SECOND
