"""Texts in a form models accept: limited in length, never empty, without lone surrogates."""

from core.platform.plain_text import storable

BLANK = "-"
"""Replaces an empty text, which endpoints reject."""


def readable(text: str, most_characters: int) -> str:
    return storable(text[:most_characters]) if text.strip() else BLANK
