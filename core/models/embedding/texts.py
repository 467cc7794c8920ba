"""Texts in a form models accept: limited in length, never empty, without lone surrogates."""

BLANK = "-"
"""Replaces an empty text, which endpoints reject."""


def readable(text: str, most_characters: int) -> str:
    return text[:most_characters].encode("utf-8", "replace").decode() if text.strip() else BLANK
