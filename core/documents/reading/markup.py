"""HTML and Markdown in a form that parsers read well: summaries of `<details>` as headings, shallow nesting. Pure."""

import re
from collections.abc import Callable

MARKDOWN_CODE = (
    r"^ {0,3}(?P<fence>`{3,}(?=[^`\n]*$)|~{3,}).*?(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z)"
    r"|(?P<ticks>`{1,3})[^`\n]{1,300}(?P=ticks)"
)
"""Pattern of code blocks and code spans, for DOTALL and MULTILINE."""
_SUMMARY = (
    r"<h(?P<tag>[1-6])\b|<(?P<end>/?)details\b[^<>]*>"
    r"|<summary\b[^<>]*>(?P<summary>[^<]{0,500}(?:<(?!/?(?:summary|details)\b)[^<]{0,500}){0,20})</summary\s*>"
)
_IN_HTML = re.compile(
    rf"<!--.*?(?:-->|\Z)|<(?P<code>script|style)\b.*?(?:</(?P=code)\s*>|\Z)|{_SUMMARY}", re.DOTALL | re.IGNORECASE
)
"""What is never closed extends to the end, so that nothing is scanned twice."""
_IN_MARKDOWN = re.compile(
    rf"{MARKDOWN_CODE}|^ {{0,3}}(?P<hashes>#{{1,6}})[ \t]|{_SUMMARY}", re.DOTALL | re.IGNORECASE | re.MULTILINE
)
_DEEPEST_HEADING = 6
_WRAPPER = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(?P<end>/?)(?:article|blockquote|center|div|font|section|span)\b[^>]*(?:>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
"""Elements that hold others and may be left open by careless pages."""
_DEEPEST_WRAPPER = 150
"""libxml2 silently omits what is nested in more than 255 elements; the rest is for lists, tables and all others."""
_BREAKS = re.compile(rb"<br>(?:\s*<br>)+")
"""Parsers take long for hundreds of thousands."""


def headed_markdown(text: str) -> str:
    return _headed(text, _IN_MARKDOWN, lambda level, words: f"\n\n{'#' * level} {words}\n\n")


def headed_html(html: bytes) -> bytes:
    """html: any encoding with ASCII markup."""
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
            return heading(min(level + max(depth, 1), _DEEPEST_HEADING), words) if words else ""
        if parts["end"] is not None:
            depth = max(0, depth - 1) if parts["end"] else depth + 1
        elif not depth and (hashes := parts.get("hashes")):
            level = len(hashes)
        elif not depth and parts["tag"]:
            level = int(parts["tag"])
        return found[0]

    return pattern.sub(replace, text)


def flatten_html(html: bytes) -> bytes:
    """Replaces the tags of wrappers in more than 150 others by line breaks. html: any encoding with ASCII markup."""
    depth = 0

    def replace(tag: re.Match[bytes]) -> bytes:
        nonlocal depth
        if tag["end"] is None:
            return tag[0]
        if not tag["end"]:
            depth += 1
            return tag[0] if depth <= _DEEPEST_WRAPPER else b"<br>"
        is_kept = depth <= _DEEPEST_WRAPPER
        depth = max(0, depth - 1)
        return tag[0] if is_kept else b"<br>"

    return _BREAKS.sub(b"<br>", _WRAPPER.sub(replace, html))
