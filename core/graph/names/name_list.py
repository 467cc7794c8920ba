"""All names of a knowledge base in memory, where search by a part or by pinyin is faster than in a database."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from sys import intern

import numpy as np
from numpy.typing import NDArray

from core.graph.network.id_list import IdList
from core.platform.language.pinyin import readings

_LINE = "\n"
FEW = 4_000
"""Limit of the places that are faster to check one by one than to search the whole text."""
_BLOCK = 200_000
"""Characters numbered at a time."""
_FACTORS = (0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35)
_NUMBERS = 1 << 16
Places = NDArray[np.int32]
_LAST = "\U0010ffff"


class NameList:
    def __init__(self, names: Iterable[tuple[str, str, str]]) -> None:
        """(entity id, type, normalised name without line ends), in the order of results."""
        self._types: list[str] = []
        self._starts = array("l")
        """Where the line end before each entity's names is in the text."""
        ids: list[str] = []
        lines: list[str] = []
        length = 0
        for id, type, name in names:
            if not ids or ids[-1] != id:
                ids.append(id)
                self._types.append(intern(type))  # rows bring a text of their own each
                self._starts.append(length)
            lines.append(name)
            length += len(name) + 1
        self._ids = IdList.of(ids)
        self._firsts = {name[:1] for name in lines}
        self._text = _LINE + _LINE.join(lines) + _LINE
        numbers = _numbers(self._text)
        self._by_number: Places = np.argsort(numbers, kind="stable").astype(np.int32)
        """Places in the text by their hash, then in order."""
        self._bounds: Places = np.zeros(_NUMBERS + 1, np.int32)
        """Start of each hash in the array above."""
        np.cumsum(np.bincount(numbers, minlength=_NUMBERS), out=self._bounds[1:])

    def search(self, wanted: str, type: str, limit: int) -> list[str]:
        """Ids of exact matches first, then of prefixes, then of substrings. An empty query finds none."""
        found: dict[int, None] = {}
        for place in self._ranked(wanted) if wanted else ():
            if len(found) >= limit:
                break
            if type in ("", self._types[place]):
                found.setdefault(place)
        return [self._ids[place] for place in found]

    def _ranked(self, wanted: str) -> Iterator[int]:
        """Entities with the name, then with one that begins with it, then with one that contains it; with repeats."""
        whole, length = _LINE + wanted + _LINE, len(wanted)
        numbers = _numbers(whole).astype(np.int32)
        bounds = self._bounds[numbers[:, None] + [0, 1]].tolist()
        places = [self._by_number[start:end] for start, end in bounds]
        named = ((whole, 0, length), (whole[:-1], 0, length - 1)) if wanted[0] in self._firsts else ()
        for pattern, first, last in (*named, (wanted, 1, length - 1)):
            rarest = sorted(range(first, last), key=lambda at: len(places[at]))[:2]
            if not rarest or len(places[rarest[0]]) > FEW:
                yield from self._bearers(self._in_text(pattern))
            else:
                likely = _met([places[at] - (at - first) for at in rarest])
                yield from self._bearers(at for at in likely if self._text.startswith(pattern, at))

    def _in_text(self, pattern: str) -> Iterator[int]:
        """Offsets of a pattern, found without the index; one for each entity."""
        at = self._text.find(pattern)
        while at >= 0:
            yield at
            place = bisect_right(self._starts, at)
            at = self._text.find(pattern, self._starts[place]) if place < len(self._starts) else -1

    def _bearers(self, matches: Iterable[int]) -> Iterator[int]:
        """Entities of the matches, in order."""
        return (bisect_right(self._starts, at) - 1 for at in matches)


def _met(places: list[Places]) -> list[int]:
    """Places in all of one or two sorted lists, the first of which is the shorter."""
    first, last = places[0], places[-1]
    met = last[np.minimum(np.searchsorted(last, first), len(last) - 1)] == first if len(last) else []
    found: list[int] = first[met].tolist()
    return [at for at in found if at >= 0]


def _numbers(text: str) -> NDArray[np.uint16]:
    """Hashes of the three characters at each place."""
    signs = np.frombuffer((text + _LINE * 2).encode("utf-32-le", "surrogatepass"), np.uint32)
    found = np.empty(len(text), np.uint16)
    for start in range(0, len(text), _BLOCK):
        size = min(_BLOCK, len(text) - start)
        first, second, third = (signs[start + at : start + at + size] for at in range(3))
        mixed = np.zeros(size, np.uint32)
        for part, factor in zip((first, second, third), _FACTORS, strict=True):
            mixed = (mixed ^ part) * np.uint32(factor)
            mixed ^= mixed >> np.uint32(15)
        found[start : start + size] = mixed >> np.uint32(16)
    return found


class PinyinNames:
    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        """(entity id, name), in the order of results; other names than Chinese ones are ignored."""
        found: list[tuple[str, int, int, str]] = []
        for place, (id, name) in enumerate(names):
            for syllables in readings(name):
                found.append(("".join(syllables), place, len("".join(syllables[:2])), id))
        self._found = sorted(found)
        self._letters = [each[0] for each in self._found]

    def search(self, wanted: str, limit: int) -> list[str]:
        """Ids of names read so first, then of those that begin so; at least two syllables have to be there.

        wanted: as latin_letters() gives it.
        """
        first, last = bisect_left(self._letters, wanted), bisect_right(self._letters, wanted + _LAST)
        near = [each for each in self._found[first:last] if len(wanted) >= each[2]]
        near.sort(key=lambda each: (each[0] != wanted, each[1]))
        return list(dict.fromkeys(id for _, _, _, id in near))[:limit]
