"""Changes of the state of a run as compact JSON and back, stored with each step so that a run can continue from it."""

import json
import logging
from collections.abc import Mapping
from functools import cache
from typing import Any, cast, get_type_hints

from pydantic import ValidationError

from core.agents.state import State, Update
from core.platform.type_adapters import adapter

_LOG = logging.getLogger(__name__)
_STORED = ("language", "resolved_question", "memory_ids", "search", "draft", "agent", "task")
"""Fields of the state; the note is in the step anyway, and what is shown is an event of its own."""
_DIGITS = 6
"""Of seconds and scores, after the point."""


def written(update: Mapping[str, Any]) -> str:
    values = {name: compact(update[name], _type_of(name)) for name in _STORED if name in update}
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def read(stored: str) -> Update | None:
    """None for a node inside another one, and for what another version stored in another form."""
    try:
        values = json.loads(stored)
        read = {name: adapter(_type_of(name)).validate_python(values[name]) for name in _STORED if name in values}
        return cast(Update, read)
    except (ValueError, ValidationError, TypeError) as error:
        if stored:
            _LOG.warning("The state of a step is of another version and cannot be used: %s", error)
        return None


def compact(value: object, type: Any) -> Any:
    """The value as JSON values, without fields that have their default; floats are rounded to compress well."""
    dumped = adapter(type).serializer.to_python(value, mode="json", exclude_defaults=True, warnings=False)
    return _rounded(dumped)


def _rounded(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    if isinstance(value, dict):
        return {name: _rounded(part) for name, part in value.items()}
    return value


@cache
def _type_of(field: str) -> Any:
    return get_type_hints(State)[field]
