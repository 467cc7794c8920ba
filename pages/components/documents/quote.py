"""Quoted text as HTML with the words that matter marked."""

import re
from collections.abc import Sequence

from pages.components.shell.text import clean, html_of

MAX_QUOTE = 1_200
EMPTY_LINES = re.compile(r"\n\s*\n")
"""Empty lines say nothing in a list."""


def quote_html(text: str, words: Sequence[str], limit: int = MAX_QUOTE) -> str:
    """The text, escaped, every occurrence of the words marked regardless of case; longer words win."""
    source = clean(text, limit)
    wanted = sorted({word for word in words if word.strip()}, key=lambda word: (-len(word), word))
    if not wanted:
        return html_of(source, limit)
    pattern = re.compile("|".join(re.escape(word) for word in wanted), re.IGNORECASE)
    pieces: list[str] = []
    end = 0
    for match in pattern.finditer(source):
        pieces += [html_of(source[end : match.start()], limit), f"<mark>{html_of(match.group(), limit)}</mark>"]
        end = match.end()
    return "".join([*pieces, html_of(source[end:], limit)])


def around(text: str, word: str, width: int = 320) -> str:
    """About `width` characters of the text around the word's first occurrence, cut at spaces where there are any."""
    at = max(text.casefold().find(word.casefold()), 0)
    start = max(at - width // 2, 0)
    end = min(start + width, len(text))
    if start:
        space = text.find(" ", start, at)
        start = space + 1 if space >= 0 else start
    if end < len(text):
        space = text.rfind(" ", at + len(word), end)
        end = space if space >= 0 else end
    return f"{'…' if start else ''}{text[start:end].strip()}{'…' if end < len(text) else ''}"
