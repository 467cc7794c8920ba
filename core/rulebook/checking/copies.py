"""Finds the sentence of a passage that a model says it copied, letter by letter."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from core.rulebook.assessing.citing import verbatim
from core.rulebook.checking.support import Place
from core.search.model import Passage

COPIED = 0.8
"""Least share of its letters that must stand in one passage in stretches of `STRETCH`."""
STRETCH = 6


def place_of(sentence: str, passages: Sequence[Passage]) -> Place | None:
    """White space, case and punctuation may differ, and a few words."""
    for at, passage in enumerate(passages):
        if span := verbatim(sentence, passage.chunk.text):
            return Place(at, span)
    letters = "".join(filter(str.isalnum, sentence)).lower()
    found = [(_share(letters, passage.chunk.text), -at) for at, passage in enumerate(passages) if letters]
    share, at = max(found, default=(0.0, 0))
    return Place(-at) if share >= COPIED else None


def _share(letters: str, text: str) -> float:
    blocks = SequenceMatcher(None, "".join(filter(str.isalnum, text)).lower(), letters, autojunk=False)
    return sum(block.size for block in blocks.get_matching_blocks() if block.size >= STRETCH) / len(letters)
