"""Where in a chunk's text a claim of an answer stands: word by word, or the unit that shares most with it."""

import re
from collections.abc import Sequence

from core.builtin.quoting.quotable_spans import units_of
from core.domain.passages import Passage
from core.language.sentences import sentences
from core.language.terms import content_terms

_QUOTED = re.compile(r"“(.+)”", re.DOTALL)
_OPEN_CLOSE = str.maketrans("[]", "()")
SHARE = 0.3
"""The share of a claim's terms below which a unit has nothing to do with it."""


def locate(claim: str, passage: Passage) -> tuple[int, int] | None:
    """(start, end) in the chunk's text of what the claim rests on; None when nothing there bears on it."""
    candidates = _candidates(claim)
    for candidate in candidates:
        if span := _word_by_word(candidate, passage.chunk.text):
            return span
    units = units_of([passage])
    for unit in units:
        if unit.text in candidates:
            return unit.start, unit.end
    wanted = set(content_terms(claim))
    if not wanted or not units:
        return None
    best = max(units, key=lambda unit: (len(wanted & unit.terms), -unit.start))
    return (best.start, best.end) if len(wanted & best.terms) >= SHARE * len(wanted) else None


def stands_in(claim: str, text: str) -> bool:
    """Word by word, whatever the white space, the case and the brackets."""
    return any(_word_by_word(candidate, text) for candidate in _candidates(claim))


def _candidates(claim: str) -> list[str]:
    """The quoted words, the whole claim, its last sentence."""
    quoted = _QUOTED.search(claim)
    plain = claim.strip().lstrip("-*• ").strip()
    last = sentences(plain)[-1:]
    return list(dict.fromkeys([*([quoted[1].strip()] if quoted else []), plain, *last]))


def _word_by_word(claim: str, text: str) -> tuple[int, int] | None:
    wanted = _levelled(claim.removesuffix("…").strip())[0]
    if len(wanted) < 8:
        return None
    levelled, places = _levelled(text)
    at = levelled.find(wanted)
    return (places[at], places[at + len(wanted) - 1] + 1) if at >= 0 else None


def _levelled(text: str) -> tuple[str, Sequence[int]]:
    """Lower case, no white space, round brackets; and for every character left its offset in the text."""
    kept = [(character, at) for at, character in enumerate(text) if not character.isspace()]
    line = "".join(character.lower()[:1] for character, _ in kept).translate(_OPEN_CLOSE)
    return line, [at for _, at in kept]
