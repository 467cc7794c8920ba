"""All names of a knowledge base in memory, where search by a part or by pinyin is faster than in a database."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from sys import intern

from core.graph.network.incidences import IdList
from core.platform.language.pinyin import readings

_LINE = "\n"
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
        self._text = _LINE + _LINE.join(lines) + _LINE

    def search(self, wanted: str, type: str, limit: int) -> list[str]:
        """Ids of exact matches first, then of prefixes, then of substrings. An empty query finds none.

        One to two milliseconds in 100,000 names.
        """
        found: dict[int, None] = {}
        patterns = (f"{_LINE}{wanted}{_LINE}", f"{_LINE}{wanted}", wanted) if wanted else ()
        for place in (place for pattern in patterns for place in self._bearers(pattern)):
            if len(found) >= limit:
                break
            if type in ("", self._types[place]):
                found.setdefault(place)
        return [self._ids[place] for place in found]

    def _bearers(self, pattern: str) -> Iterator[int]:
        """Entities with a name that the pattern is in."""
        at = self._text.find(pattern)
        while at >= 0:
            place = bisect_right(self._starts, at)
            yield place - 1
            at = self._text.find(pattern, self._starts[place]) if place < len(self._starts) else -1


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
