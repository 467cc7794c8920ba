"""Estimates extraction by a model before any call is made: calls, tokens and seconds. Pure functions."""

import math
from dataclasses import dataclass

from core.models.ports import OF_A_SERVICE, Pace

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
"""Upper bound assumed when the sections have not been counted."""
MOST_SUMMARY_CALLS = 10


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
    pace: Pace = OF_A_SERVICE,
) -> Estimate:
    """Extraction and summaries of a text with this many characters and chunks.

    sections: main sections with a summary of their own; derived from the number of chunks when None.
    """
    sections = min(USUAL_SECTIONS, chunks // CHUNKS_PER_SECTION) if sections is None else sections
    if texts_characters <= 0 or chunks <= 0:
        return NOTHING
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
    return Estimate(
        calls=units + summary_calls,
        prompt_tokens=source + units * PROMPT_OVERHEAD + parts * SECTION_TOKENS,
        completion_tokens=answered + parts * SUMMARY_TOKENS,
        seconds=round(unit_seconds + summary_seconds, 1),
    )


def _seconds(pace: Pace, calls: int, prompt_tokens: int, completion_tokens: int) -> float:
    """Of calls of equal size, so many at a time."""
    if not calls:
        return 0.0
    one = pace.first_seconds + prompt_tokens / calls / pace.read_speed + completion_tokens / calls / pace.write_speed
    return one * math.ceil(calls / pace.in_flight)
