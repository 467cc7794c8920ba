"""Words that a parser joined over a line end in a table's cell, taken apart where the page has them apart."""

import re
from collections.abc import Callable
from itertools import pairwise

from core.language.scripts import HAN, KANA, THAI_LAO_KHMER

LONGEST = 60
"""Characters of a glued word."""
_WORD = re.compile(r"<[^>]*>|[^\s<>|]+")
"""A tag of the markup, which stays as it is, or a word."""
_UNSPACED = re.compile(f"[{THAI_LAO_KHMER}{KANA}{HAN}]")
"""Scripts without blanks between words, in which a line end parts nothing."""


def restored_spaces(page: str) -> Callable[[str], str]:
    """What sets the blanks in a table's text or markup; page is the text layer of its page."""
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
