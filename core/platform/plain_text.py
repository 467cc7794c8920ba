"""Text from outside made safe for where it goes: a line of plain text, a cell of a spreadsheet, a database."""

import csv
import re
from collections.abc import Iterable
from io import StringIO
from typing import Any

MAX_LABEL = 120
MAX_TEXT = 4_000
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\U0010fff0-\U0010ffff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
BYTE_ORDER_MARK = "\ufeff"
"""Mark without which Excel garbles names in Chinese."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""Postgres does not accept NUL, and lone surrogates cannot be encoded as UTF-8."""


def clean(text: str, limit: int = MAX_TEXT) -> str:
    """The text without control characters, direction overrides and broken code points, at most `limit` long."""
    cut = text[: limit + 1]
    cleaned = _SURROGATE.sub("\ufffd", _CONTROL.sub("", cut.replace("\r\n", "\n").replace("\r", "\n")))
    return cleaned if len(cut) <= limit else f"{cleaned[: limit - 1]}…"


def shortened(words: str, limit: int) -> str:
    return words if len(words) <= limit else f"{words[: limit - 1]}…"


def label(text: str, limit: int = MAX_LABEL) -> str:
    """One line of plain text, for places that interpret no markup."""
    return clean(" ".join(clean(text, 4 * limit).split()), limit)


def inert(value: object) -> object:
    """The value; text that a spreadsheet would run as a formula gets an apostrophe in front."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def spreadsheet(rows: Iterable[Iterable[object]]) -> str:
    """CSV for a spreadsheet, with a byte order mark and without cells that it would calculate."""
    text = StringIO()
    csv.writer(text).writerows([inert(cell) for cell in row] for row in rows)
    return BYTE_ORDER_MARK + text.getvalue()


def storable(words: str) -> str:
    """The text with each unstorable character replaced by U+FFFD, so that offsets stay valid."""
    if words.isascii() and "\0" not in words:  # as most texts; five times as fast
        return words
    return _UNSTORABLE.sub("\ufffd", words)


def storable_parts(value: Any) -> Any:
    """A value of JSON with all its texts made storable."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(str(name)): storable_parts(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [storable_parts(part) for part in value]
    return value
