"""Run events, citations and options as JSON values and back; what is logged at once is one compressed row."""

import json
import logging
import zlib
from base64 import b64decode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, asdict, fields
from functools import cache
from pathlib import Path
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from core.documents.store.rows import Row
from core.platform.sql.columns import to_json
from core.runs.events import Event
from core.runs.model import RunOptions
from core.search.model import Citation

_LOG = logging.getLogger(__name__)
_KINDS: dict[str, type] = {kind.__name__: kind for kind in get_args(Event)}
Encoded = tuple[str, Any]
"""Type and fields of an event."""
SEVERAL = "Several"
"""Type of a row with several events; its number is that of the last one."""
WITHOUT_TEXTS = "WithoutTexts"
"""Type of the only row of an old run: its events as far as they are kept."""
_WORTH_COMPRESSING = 500
"""Characters."""
_DIGITS = 6
"""Of seconds and scores, after the point."""


def encode(event: Event) -> Encoded:
    """The event's type and its fields, without those that have their default."""
    return type(event).__name__, _compact(event)


def encode_all(events: Sequence[Event], earlier: Sequence[Encoded] = ()) -> Row:
    """One short event as it is, others together; columns of the row.

    earlier: as read by events_in, to be stored in the same row.
    """
    encoded = [*earlier, *map(encode, events)]
    row = _stored(SEVERAL, encoded)
    if len(encoded) == 1 and row["packed"] is None:
        row["type"], row["payload"] = encoded[0]
    return row


def encode_without_texts(events: Sequence[Event]) -> Row:
    return _stored(WITHOUT_TEXTS, [encode(event) for event in events])


def _stored(type: str, encoded: Sequence[Encoded]) -> Row:
    """Compressed if it is worth it."""
    written = to_json(encoded)
    if len(written) < _WORTH_COMPRESSING:
        return {"type": type, "payload": json.loads(written), "packed": None}
    packer = zlib.compressobj(9, zdict=_shapes())
    return {"type": type, "payload": [], "packed": packer.compress(written.encode()) + packer.flush()}


def decode_all(after: int, seq: int, type: str, payload: Any, packed: bytes | None) -> Iterator[tuple[int, Event]]:
    """(number, event) of a row, of higher numbers than `after`; what is unknown or damaged is left out."""
    rows = events_in(type, payload, packed)
    for number, (kind, values) in enumerate(rows, start=seq + 1 - len(rows)):
        if number > after and (event := decode(kind, values)):
            yield number, event


def events_in(type: str, payload: Any, packed: bytes | None) -> Sequence[Encoded]:
    """The events of a row, also those that are unknown to this version; none where it is damaged."""
    return _unpacked(payload, packed) if type in (SEVERAL, WITHOUT_TEXTS) else [(type, payload)]


def _unpacked(payload: Any, packed: bytes | None) -> Sequence[Encoded]:
    """payload is a string where an earlier version packed the row."""
    try:
        if packed is None and isinstance(payload, str):
            packed = b64decode(payload)
        return payload if packed is None else json.loads(_inflated(packed))  # type: ignore[no-any-return]
    except (ValueError, zlib.error) as error:
        _LOG.warning("Events in the run log are damaged and are left out: %s", error)
        return []


def _inflated(packed: bytes) -> bytes:
    """With the shapes or, as earlier versions packed them, without: the data says which."""
    inflater = zlib.decompressobj(zdict=_shapes())
    data = inflater.decompress(packed)
    if not inflater.eof:
        raise ValueError("cut short")
    return data


@cache
def _shapes() -> bytes:
    """What events have in common, so that the first of each kind takes no more room than those after it.

    The file must stay as it is: what was packed with it cannot be read without it.
    """
    return Path(__file__).with_name("event_shapes.txt").read_bytes()


def _compact(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return [_compact(part) for part in value]
    if isinstance(value, float):
        return round(value, _DIGITS)
    if type(value) not in _DEFAULTS:
        if not hasattr(value, "__dataclass_fields__"):
            return value
        _DEFAULTS[type(value)] = {each.name: _default(each) for each in fields(value)}
    defaults = _DEFAULTS[type(value)]
    parts = ((name, getattr(value, name)) for name in defaults)
    return {name: _compact(part) for name, part in parts if part != defaults[name]}


def _default(field: Any) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default


_DEFAULTS: dict[type, dict[str, Any]] = {}
"""Of each field of a class; MISSING where there is none."""


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
