"""Turns the summaries of `<details>` elements into headings of what the elements hold. Pure functions."""

import re
from collections.abc import Callable

MARKDOWN_CODE = (
    r"^ {0,3}(?P<fence>`{3,}(?=[^`\n]*$)|~{3,}).*?(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z)"
    r"|(?P<ticks>`{1,3})[^`\n]{1,300}(?P=ticks)"
)
"""Pattern of code blocks and code spans, for DOTALL and MULTILINE."""
_SUMMARY = (
    r"<h(?P<tag>[1-6])\b|<(?P<end>/?)details\b[^>]*>"
    r"|<summary\b[^>]*>(?P<summary>[^<]{0,500}(?:<(?!/?(?:summary|details)\b)[^<]{0,500}){0,20})</summary\s*>"
)
_IN_HTML = re.compile(rf"<!--.*?-->|<(?P<code>script|style)\b.*?</(?P=code)\s*>|{_SUMMARY}", re.DOTALL | re.IGNORECASE)
_IN_MARKDOWN = re.compile(
    rf"{MARKDOWN_CODE}|^ {{0,3}}(?P<hashes>#{{1,6}})[ \t]|{_SUMMARY}", re.DOTALL | re.IGNORECASE | re.MULTILINE
)
_DEEPEST = 6


def headed_markdown(text: str) -> str:
    return _headed(text, _IN_MARKDOWN, lambda level, words: f"\n\n{'#' * level} {words}\n\n")


def headed_html(html: bytes) -> bytes:
    """In whatever encoding, as long as its markup is ASCII."""
    text = _headed(html.decode("latin-1"), _IN_HTML, lambda level, words: f"<h{level}>{words}</h{level}>")
    return text.encode("latin-1")


def _headed(text: str, pattern: re.Pattern[str], heading: Callable[[int, str], str]) -> str:
    """Below the heading before the outermost element, and one level deeper for each element around it."""
    level, depth = 1, 0

    def replace(found: re.Match[str]) -> str:
        nonlocal level, depth
        parts = found.groupdict()
        if parts["summary"] is not None:
            words = " ".join(parts["summary"].split())
            return heading(min(level + max(depth, 1), _DEEPEST), words) if words else ""
        if parts["end"] is not None:
            depth = max(0, depth - 1) if parts["end"] else depth + 1
        elif not depth and (hashes := parts.get("hashes")):
            level = len(hashes)
        elif not depth and parts["tag"]:
            level = int(parts["tag"])
        return found[0]

    return pattern.sub(replace, text)
