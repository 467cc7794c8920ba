"""Remarks on a document: a catalogue key, with its parameters where it has any, as one string."""

from urllib.parse import parse_qsl, urlencode


def noted(key: str, **params: object) -> str:
    return f"{key}?{urlencode(params)}" if params else key


def read_note(note: str) -> tuple[str, dict[str, str]]:
    """(key, parameters)."""
    key, _, query = note.partition("?")
    return key, dict(parse_qsl(query))
