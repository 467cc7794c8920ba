"""Column types that behave alike on SQLite and Postgres for any text or time, and lookup keys of names."""

import json
import re
from datetime import UTC, datetime

from sqlalchemy import DateTime, Dialect, Text
from sqlalchemy.types import TypeDecorator

from core.platform.language.terms import normal_form

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""Postgres does not accept NUL, and lone surrogates cannot be encoded as UTF-8."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
"""Made once: json.dumps makes one for every value."""


def storable(words: str) -> str:
    """The text with each unstorable character replaced by U+FFFD, so that offsets stay valid."""
    return _UNSTORABLE.sub("\ufffd", words)


def to_json(value: object) -> str:
    """JSON with readable Chinese; strings inside are made storable."""
    encoded = _ENCODER.encode(value)
    if "\\u0000" in encoded or not _is_encodable(encoded):
        return _ENCODER.encode(_storable_parts(value))
    return encoded


def _is_encodable(words: str) -> bool:
    """In a tenth of the time that a search for lone surrogates takes."""
    try:
        words.encode()
    except UnicodeEncodeError:
        return False
    return True


def _storable_parts(value: object) -> object:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(str(name)): _storable_parts(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_storable_parts(part) for part in value]
    return value


class Words(TypeDecorator[str]):
    """Text from outside."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, _dialect: Dialect) -> str | None:
        return None if value is None else storable(value)


class UtcTime(TypeDecorator[datetime]):
    """A time in UTC; one without a time zone is rejected."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        if value is not None and value.tzinfo is None:
            raise ValueError("a time without a time zone cannot be stored")
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


NORM_LENGTH = 200
"""Characters kept; Postgres rejects longer index entries."""


def normalized(text: str) -> str:
    return " ".join(normal_form(storable(text)).casefold().split())


def name_key(name: str) -> str:
    """Truncated to a length that can be indexed."""
    return normalized(name[: 4 * NORM_LENGTH])[:NORM_LENGTH]
