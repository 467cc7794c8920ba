"""Words as a PDF shows them, where its fonts or the parser break them. Pure functions."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from html import escape, unescape
from itertools import accumulate, pairwise

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
_WORD = re.compile(r"\S+")
_CELL = re.compile(r"[^\s|](?:[^|\n]*[^\s|])?")
_MARKED_CELL = re.compile(r"(<t[dh]\b[^<>]*>)((?:(?!</?t[dh]\b).)*)", re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_QUOTES = str.maketrans("‘’“”", "''\"\"")
"""As the parser writes them."""
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


def restored_words(page: str) -> Callable[[str], str]:
    """A function that mends the cells of a table's text or markup, where the parser joined words at line ends or mixed
    the letters of lines.

    page: the page's text layer.
    """
    words = page.translate(_QUOTES).split()
    known, neighbours, unmixed = set(words), set(pairwise(words)), _unmixed(words)

    def apart(found: re.Match[str]) -> str:
        word = found[0]
        if word in known or len(word) > LONGEST or _UNSPACED.search(word):
            return word
        cuts = (at for at in range(1, len(word)) if (word[:at], word[at:]) in neighbours)
        at = next(cuts, 0)
        return f"{word[:at]} {word[at:]}" if at else word

    def mended(cell: str) -> str:
        return cell if known.issuperset(cell.split()) else unmixed(cell) or _WORD.sub(apart, cell)

    def in_markup(found: re.Match[str]) -> str:
        cell = unescape(_TAG.sub("", found[2]))
        whole = mended(cell)
        return found[1] + (found[2] if whole == cell else escape(whole, quote=False))

    def in_table(table: str) -> str:
        if table.startswith("<"):
            return _MARKED_CELL.sub(in_markup, table)
        return _CELL.sub(lambda found: mended(found[0]), table)

    return in_table


def _unmixed(words: Sequence[str]) -> Callable[[str], str]:
    """A function that returns the words in a row that have exactly the letters of a cell, in another order, or ""."""
    letters = "".join(words)
    places = {end: number for number, end in enumerate(accumulate(map(len, words), initial=0))}
    sums = list(accumulate(map(_weight, letters), initial=0))

    @cache
    def starts(length: int) -> dict[int, int]:
        """By the sum of the letters' weights, which tells most rows of words apart."""
        return {sums[start + length] - sums[start]: start for start in places if start + length in places}

    def words_of(cell: str) -> str:
        own = "".join(cell.split())
        start = None if own in letters else starts(len(own)).get(sum(map(_weight, own)))
        if start is None or sorted(letters[start : start + len(own)]) != sorted(own):
            return ""
        return " ".join(words[places[start] : places[start + len(own)]])

    return words_of


def _weight(letter: str) -> int:
    return int(ord(letter) ** 3)
