"""Text that every store, encoder and index takes: without NUL and lone surrogates."""

import re

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""Postgres does not accept NUL, and lone surrogates cannot be encoded as UTF-8."""


def storable(words: str) -> str:
    """The text with each unstorable character replaced by U+FFFD, so that offsets stay valid."""
    return _UNSTORABLE.sub("\ufffd", words)


def storable_parts(value: object) -> object:
    """A value of JSON with all its texts made storable."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(str(name)): storable_parts(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [storable_parts(part) for part in value]
    return value
