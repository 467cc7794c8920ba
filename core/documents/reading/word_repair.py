"""Words as a PDF shows them, where its fonts or the parser break them. Pure functions."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from core.documents.model import Block
from core.platform.language.scripts import HAN, KANA, THAI_LAO_KHMER

_LIGATURES = ("fi", "fl", "ff", "ffi", "ffl")
_SIGN = r"[^\w\s.,:;/@&'’·•\-\u2010-\u2015]"
"""Any that does not join words or the parts of names, numbers and addresses."""
BROKEN = re.compile(rf"(?<![^\W\d_])[^\W\d_]+({_SIGN})[^\W\d_]+(?![^\W\d_)])")
"""A word with a sign between its letters, but not "author(s)"."""
_LEAST_LETTERS = 5
LONGEST = 60
"""Longest joined word that is considered, in characters."""
_WORD = re.compile(r"<[^>]*>|[^\s<>|]+")
"""A markup tag, which stays as it is, or a word."""
_UNSPACED = re.compile(f"[{THAI_LAO_KHMER}{KANA}{HAN}]")
"""Scripts without blanks between words, where nothing needs restoring."""


def repairs(found: Iterable[tuple[str, str]], is_known: Callable[[str], bool]) -> dict[str, str]:
    """Whole words by their broken forms, where a font maps ligatures to other signs, as in "di!culties".

    found: (font of the sign, broken word). A sign of a font stands for the one ligature that makes all of its words
    known.
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


def restored_spaces(page: str) -> Callable[[str], str]:
    """A function that restores blanks that the parser dropped at line ends in a table's text or markup.

    page: the page's text layer.
    """
    words = page.split()
    known, neighbours = set(words), set(pairwise(words))

    def apart(found: re.Match[str]) -> str:
        word = found.group()
        if word.startswith("<") or word in known or len(word) > LONGEST or _UNSPACED.search(word):
            return word
        cuts = (at for at in range(1, len(word)) if (word[:at], word[at:]) in neighbours)
        at = next(cuts, 0)
        return f"{word[:at]} {word[at:]}" if at else word

    return lambda text: _WORD.sub(apart, text)
