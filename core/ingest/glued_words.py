"""Words that a parser joined over a line end in a table's cell, taken apart where the page has them apart."""

import re
from collections.abc import Callable
from itertools import pairwise

LONGEST = 60
"""Characters of a glued word."""
_WORD = re.compile(r"<[^>]*>|[^\s<>|]+")
"""A tag of the markup, which stays as it is, or a word."""
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Scripts without blanks between words, in which a line end parts nothing."""


def taken_apart(page: str) -> Callable[[str], str]:
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
