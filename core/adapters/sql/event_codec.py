"""Run events, citations and options as JSON values and back."""

import logging
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from core.domain.events import Event
from core.domain.passages import Citation
from core.domain.runs import RunOptions

_LOG = logging.getLogger(__name__)
_KINDS: dict[str, type] = {kind.__name__: kind for kind in get_args(Event)}


def encode(event: Event) -> tuple[str, dict[str, Any]]:
    """The event's type and its fields."""
    return type(event).__name__, asdict(event)


def decode(type: str, payload: object) -> Event | None:
    """None for an event type unknown to this version."""
    if type not in _KINDS:
        return None
    try:
        return _adapter(type).validate_python(payload)
    except ValidationError as error:
        _LOG.warning("An event %s in the run log is of another version and is left out: %s", type, error)
        return None


def encode_citations(citations: Iterable[Citation]) -> list[dict[str, Any]]:
    return [asdict(citation) for citation in citations]


def decode_citations(stored: object) -> tuple[Citation, ...]:
    return _citations().validate_python(stored)


def encode_options(options: RunOptions) -> dict[str, Any]:
    """What is chosen alone."""
    return {name: value for name, value in asdict(options).items() if value}


def decode_options(stored: object) -> RunOptions:
    return _options().validate_python(stored)


@cache
def _adapter(type: str) -> TypeAdapter[Event]:
    return TypeAdapter(_KINDS[type])


@cache
def _citations() -> TypeAdapter[tuple[Citation, ...]]:
    return TypeAdapter(tuple[Citation, ...])


@cache
def _options() -> TypeAdapter[RunOptions]:
    return TypeAdapter(RunOptions)
