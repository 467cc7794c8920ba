"""Restores ligatures that a font of a PDF maps to other signs, as in "di!culties". Pure functions."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from core.documents.model import Block

_LIGATURES = ("fi", "fl", "ff", "ffi", "ffl")
_SIGN = r"[^\w\s.,:;/@&'’·•\-\u2010-\u2015]"
"""Any that does not join words or the parts of names, numbers and addresses."""
BROKEN = re.compile(rf"(?<![^\W\d_])[^\W\d_]+({_SIGN})[^\W\d_]+(?![^\W\d_)])")
"""A word with a sign between its letters, but not "author(s)"."""
_LEAST_LETTERS = 5


def repairs(found: Iterable[tuple[str, str]], is_known: Callable[[str], bool]) -> dict[str, str]:
    """Words by what they are broken into.

    found: (font of the sign, broken word). A sign of a font is the one ligature with which all words that can be known
    are.
    """
    by_sign: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for font, word in found:
        if parts := BROKEN.fullmatch(word):
            by_sign[font, parts[1]].add(word)
    made: defaultdict[str, set[str]] = defaultdict(set)
    for (_, sign), words in by_sign.items():
        fitting = {word: ligatures for word in words if (ligatures := _fitting(word, sign, is_known))}
        if len(common := set.intersection(*fitting.values()) if fitting else set()) == 1:
            (ligature,) = common
            for word in fitting:
                made[word].add(word.replace(sign, ligature))
    return {word: whole.pop() for word, whole in made.items() if len(whole) == 1}


def _fitting(word: str, sign: str, is_known: Callable[[str], bool]) -> set[str]:
    """The ligatures that make it a known word."""
    made = {ligature: word.replace(sign, ligature).casefold() for ligature in _LIGATURES}
    return {ligature for ligature, whole in made.items() if len(whole) >= _LEAST_LETTERS and is_known(whole)}


def with_ligatures(blocks: Sequence[Block], repaired: Mapping[str, str]) -> list[Block]:
    def whole(text: str) -> str:
        return BROKEN.sub(lambda word: repaired.get(word[0], word[0]), text)

    return (
        [replace(block, text=whole(block.text), html=whole(block.html)) for block in blocks] if repaired else [*blocks]
    )
