"""HTML in a depth that parsers read: libxml2 leaves out silently what is nested in more than 255 elements."""

import re

_WRAPPER = re.compile(
    rb"<!--.*?-->|<(?P<end>/?)(?:article|blockquote|center|div|font|section|span)\b[^>]*>", re.IGNORECASE | re.DOTALL
)
"""Elements that hold others and may be left open by careless pages."""
_BREAKS = re.compile(rb"<br>(?:\s*<br>)+")
"""Parsers take long for hundreds of thousands."""
_DEEPEST = 150
"""Of these alone; what remains is for lists, tables and everything else."""


def flatten_html(html: bytes) -> bytes:
    """Replaces the tags of wrappers in more than 150 others by line breaks. In any encoding whose markup is ASCII."""
    depth = 0

    def replace(tag: re.Match[bytes]) -> bytes:
        nonlocal depth
        if tag["end"] is None:
            return tag[0]
        if not tag["end"]:
            depth += 1
            return tag[0] if depth <= _DEEPEST else b"<br>"
        is_kept = depth <= _DEEPEST
        depth = max(0, depth - 1)
        return tag[0] if is_kept else b"<br>"

    return _BREAKS.sub(b"<br>", _WRAPPER.sub(replace, html))
