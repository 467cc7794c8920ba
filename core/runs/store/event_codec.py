"""Events of runs as JSON values and back; events that are logged together are one compressed row."""

import json
import logging
import zlib
from base64 import b64decode
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError

from core.documents.store.rows import Row
from core.platform.sql.columns import to_json
from core.platform.type_adapters import adapter
from core.runs.events import Event
from core.runs.fork.state_codec import compact

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


def encode(event: Event) -> Encoded:
    """The event's type and its fields, without those that have their default."""
    kind = type(event)
    return kind.__name__, compact(event, kind)


def encode_all(events: Sequence[Event], earlier: Sequence[Encoded] = ()) -> Row:
    """Columns of a row: a single short event as it is, several events together.

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
    """Compresses events of more than _WORTH_COMPRESSING characters."""
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
    """The data of a row; earlier versions packed without the dictionary, which zlib detects."""
    inflater = zlib.decompressobj(zdict=_shapes())
    data = inflater.decompress(packed)
    if not inflater.eof:
        raise ValueError("cut short")
    return data


@cache
def _shapes() -> bytes:
    """The compression dictionary: what events of each kind have in common.

    The file must never change: rows that were packed with it cannot be read without it.
    """
    return Path(__file__).with_name("event_shapes.txt").read_bytes()


def decode(type: str, payload: object) -> Event | None:
    """None for an event type unknown to this version."""
    if type not in _KINDS:
        return None
    try:
        event: Event = adapter(_KINDS[type]).validate_python(payload)
        return event
    except ValidationError as error:
        _LOG.warning("An event %s in the run log is of another version and is left out: %s", type, error)
        return None
