"""Traditional Chinese characters as simplified ones, one for one, so that offsets stay the same."""

from functools import lru_cache

from core.platform.language.terms import simplifier

_KEPT = frozenset("乾著於")
"""Characters that only sometimes have another simplified form, and are common in names as they are."""


def simplify(text: str) -> str:
    """The text with as many characters as before."""
    return "".join(map(_simplify, text))


@lru_cache(maxsize=16384)
def _simplify(character: str) -> str:
    if character < "㐀" or "\ud800" <= character <= "\udfff" or character in _KEPT:
        return character
    converted = str(simplifier().convert(character))
    return converted if len(converted) == 1 else character
