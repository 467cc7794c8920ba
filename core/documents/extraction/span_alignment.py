"""Locates names given by a model in the text it read: every occurrence, exact or nearly so. Pure functions."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from core.platform.language.scripts import EAST_ASIAN, LETTER

EXACT, LOOSE, NEARLY = 0.95, 0.85, 0.7
"""Confidence: verbatim; except for case and white space; by similar words."""
SHORTEST, LONGEST = 2, 200
"""Characters per name."""
MOST_PLACES = 2_000
"""Places of one name in one text."""
_WIDE = re.compile(f"[{EAST_ASIAN}]")
_INVOLVED = re.compile(rf"[^\x00-\xb4\xb6-\u012f\u0132-\u017e\u2000-\u206f{EAST_ASIAN}]")
"""Characters that may have more than one upper or lower case form, such as s and ſ or i and İ."""


@dataclass(frozen=True, slots=True)
class SoughtName:
    text: str
    type: str


@dataclass(frozen=True, slots=True)
class Placed:
    start: int
    end: int
    type: str
    confidence: float

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end


def is_name(name: str) -> bool:
    """Whether it is neither too short nor too long, and has letters."""
    return SHORTEST <= len(name) <= LONGEST and bool(LETTER.search(name))


def occurrences(text: str, name: str) -> list[tuple[int, int, float]]:
    """(start, end, confidence) of every place of the name, whole words only; inexact ones if there is no exact one."""
    exact = [(start, start + len(name), EXACT) for start in _finds(text, name)]
    if exact:
        return exact
    if _is_simple(text) and _is_simple(name) and not _WIDE.search(name):
        lower, words = text.lower(), name.lower().split()
        if any(word not in lower for word in words):
            return []
        if len(words) == 1:  # a pattern for each name takes longer than the search
            return [(start, start + len(words[0]), LOOSE) for start in _finds(lower, words[0])]
    return [(*match.span(), LOOSE) for match in _loose(name).finditer(text) if _is_whole(text, *match.span())]


class SearchedTexts:
    """Texts in which many names are looked up."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._odd = [place for place, text in enumerate(texts) if not _is_simple(text)]
        """Indexes of texts that the squeezed form cannot exclude."""
        squeezed = ["" if place in self._odd else _squeezed(text) for place, text in enumerate(texts)]
        self._joined = "\n".join(squeezed)
        self._starts = [0, *accumulate(len(text) + 1 for text in squeezed)]

    def holding(self, name: str) -> list[int]:
        """Indexes of the texts in which the name occurs."""
        return [place for place in self._possible(name) if occurrences(self._texts[place], name)]

    def _possible(self, name: str) -> Iterable[int]:
        wanted = _squeezed(name)
        if not wanted or not _is_simple(name):
            return range(len(self._texts))
        found = [*self._odd]
        start = self._joined.find(wanted)
        while start >= 0:
            found.append(bisect_right(self._starts, start) - 1)
            start = self._joined.find(wanted, self._starts[found[-1] + 1])
        return sorted(found)


def settled(places: Sequence[Placed]) -> list[Placed]:
    """In order and without overlaps: the longer of two overlapping places is kept, or the one given first."""
    kept: list[Placed] = []
    taken: set[int] = set()
    for place in sorted(places, key=lambda place: place.start - place.end):
        if taken.isdisjoint(range(place.start, place.end)):
            taken.update(range(place.start, place.end))
            kept.append(place)
    return sorted(kept, key=lambda place: place.start)


def nearest(
    sources: Sequence[tuple[int, int]], targets: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """The closest places of two names; None if they overlap or there are none."""
    pairs = ((source, target) for source in sources for target in targets)
    best = min(pairs, key=lambda pair: (gap(*pair), pair), default=None)
    return best if best is not None and gap(*best) >= 0 else None


def most_alike(name: str, texts: Mapping[int, str]) -> int | None:
    """The text that contains most of a name's words (characters, if it is Chinese); None if none does."""
    parts = set(_WIDE.findall(name)) or {word.casefold() for word in name.split() if len(word) > 1}
    scores = {place: sum(part in text.casefold() for part in parts) for place, text in texts.items()}
    best = max(scores, key=lambda place: (scores[place], -place), default=None)
    return best if best is not None and 2 * scores[best] >= len(parts) > 0 else None


def gap(source: tuple[int, int], target: tuple[int, int]) -> int:
    """Characters between two places; negative if they overlap."""
    return max(source[0] - target[1], target[0] - source[1])


def _finds(text: str, name: str) -> Iterator[int]:
    start = text.find(name)
    for _ in range(MOST_PLACES):
        if start < 0:
            return
        if _is_whole(text, start, start + len(name)):
            yield start
        start = text.find(name, start + len(name))


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether the stretch does not cut a word of an alphabet in two; Chinese has no word ends."""
    before = start > 0 and _joins(text[start - 1]) and _joins(text[start])
    after = end < len(text) and _joins(text[end - 1]) and _joins(text[end])
    return not before and not after


def _joins(character: str) -> bool:
    return character.isalnum() and not _WIDE.match(character)


def _is_simple(text: str) -> bool:
    """Whether equal but for case means equal in lower case."""
    return text.isascii() or not _INVOLVED.search(text)


def _squeezed(text: str) -> str:
    """The text in lower case without white space; a name in any case and spacing is a part of it."""
    return "".join(text.lower().split())


@lru_cache(maxsize=2_000)
def _loose(name: str) -> re.Pattern[str]:
    """Any case, any white space; line breaks may stand between Chinese characters."""
    words = [r"\s*".join(map(re.escape, word)) if _WIDE.search(word) else re.escape(word) for word in name.split()]
    return re.compile(r"\s+".join(words), re.IGNORECASE)
