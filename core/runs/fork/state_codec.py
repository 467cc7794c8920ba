"""What a node changed of a run's state, as JSON and back: kept with the step, so that a run can go on from there."""

import json
import logging
from collections.abc import Mapping
from functools import cache
from typing import Any, cast, get_type_hints

from pydantic import TypeAdapter, ValidationError

from core.agents.state import State, Update

_LOG = logging.getLogger(__name__)
_KEPT = ("language", "resolved_question", "memory_ids", "search", "draft", "agent", "task")
"""The note is in the step anyway, and what is shown is an event of its own."""
_DIGITS = 6


def written(update: Mapping[str, Any]) -> str:
    kept = {
        name: _rounded(_of(name).dump_python(update[name], mode="json", exclude_defaults=True, warnings=False))
        for name in _KEPT
        if name in update
    }
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def _rounded(value: Any) -> Any:
    """Scores as the other events tell them, so that they are the same few bytes in the compressed log."""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    if isinstance(value, dict):
        return {name: _rounded(part) for name, part in value.items()}
    return value


def read(stored: str) -> Update | None:
    """None for what another version wrote otherwise, or a node that is inside another one."""
    try:
        values = json.loads(stored)
        return cast(Update, {name: _of(name).validate_python(values[name]) for name in _KEPT if name in values})
    except (ValueError, ValidationError, TypeError) as error:
        if stored:
            _LOG.warning("The state of a step is of another version and cannot be used: %s", error)
        return None


@cache
def _of(field: str) -> TypeAdapter[Any]:
    return TypeAdapter(get_type_hints(State)[field])
