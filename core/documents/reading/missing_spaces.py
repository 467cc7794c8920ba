"""Restores blanks that a parser dropped at line ends in table cells, by the page's own text."""

import re
from collections.abc import Callable
from itertools import pairwise

from core.platform.language.scripts import HAN, KANA, THAI_LAO_KHMER

LONGEST = 60
"""Longest joined word that is considered, in characters."""
_WORD = re.compile(r"<[^>]*>|[^\s<>|]+")
"""A markup tag, which is left alone, or a word."""
_UNSPACED = re.compile(f"[{THAI_LAO_KHMER}{KANA}{HAN}]")
"""Scripts without blanks between words, where nothing needs restoring."""


def restored_spaces(page: str) -> Callable[[str], str]:
    """Returns a function that restores blanks in a table's text or markup; page: the page's text layer."""
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
