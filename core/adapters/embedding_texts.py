"""Texts as models take them: of limited length, never empty, without half characters."""

BLANK = "-"
"""Instead of a text without characters, which endpoints refuse and models make nothing of."""


def readable(text: str, most_characters: int) -> str:
    return text[:most_characters].encode("utf-8", "replace").decode() if text.strip() else BLANK
