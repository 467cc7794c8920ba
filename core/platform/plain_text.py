"""Text from outside as plain text: without what would break a line, a file or the direction of reading."""

import re

MAX_LABEL = 120
MAX_TEXT = 4_000
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\U0010fff0-\U0010ffff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def clean(text: str, limit: int = MAX_TEXT) -> str:
    """Without control characters, direction overrides and broken code points, at most `limit` characters long."""
    cut = text[: limit + 1]
    cleaned = _SURROGATE.sub("\ufffd", _CONTROL.sub("", cut.replace("\r\n", "\n").replace("\r", "\n")))
    return cleaned if len(cut) <= limit else f"{cleaned[: limit - 1]}…"


def label(text: str, limit: int = MAX_LABEL) -> str:
    """One line of plain text, for places that interpret no markup."""
    return clean(" ".join(clean(text, 4 * limit).split()), limit)
