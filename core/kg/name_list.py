"""All names of a knowledge base in memory, where substring search is faster than in a database."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

_LINE = "\n"
_LAST = "\U0010ffff"
FEW = 500
"""Names with one beginning that are quicker put in order than looked for in the order of the text."""


class NameList:
    def __init__(self, names: Iterable[tuple[str, str, str]]) -> None:
        """(entity id, type, normalised name without line ends), in the order of results."""
        self._ids: list[str] = []
        self._types: list[str] = []
        self._starts: list[int] = []
        """Where the line end before each entity's names is in the text."""
        lines: list[str] = []
        places: list[int] = []
        length = 0
        for id, type, name in names:
            if not self._ids or self._ids[-1] != id:
                self._ids.append(id)
                self._types.append(type)
                self._starts.append(length)
            lines.append(name)
            places.append(len(self._ids) - 1)
            length += len(name) + 1
        self._text = _LINE + _LINE.join(lines) + _LINE
        order = sorted(range(len(lines)), key=lines.__getitem__)
        self._names = [lines[at] for at in order]
        self._bearers = [places[at] for at in order]

    def search(self, wanted: str, type: str, limit: int) -> list[str]:
        """Ids of exact matches first, then of prefixes, then of substrings. An empty query finds none."""
        found: dict[int, None] = {}
        for looked_for in (self._named, self._beginning, self._holding) if wanted else ():
            for place in looked_for(wanted):
                if len(found) >= limit:
                    break
                if type in ("", self._types[place]):
                    found.setdefault(place)
        return [self._ids[place] for place in found]

    def _named(self, wanted: str) -> Iterator[int]:
        first, last = bisect_left(self._names, wanted), bisect_right(self._names, wanted)
        yield from sorted(self._bearers[first:last])

    def _beginning(self, wanted: str) -> Iterator[int]:
        first, last = bisect_left(self._names, wanted), bisect_left(self._names, wanted + _LAST)
        if last - first <= FEW:
            yield from sorted(self._bearers[first:last])
        else:
            yield from self._places(_LINE + wanted)

    def _holding(self, wanted: str) -> Iterator[int]:
        return self._places(wanted)

    def _places(self, pattern: str) -> Iterator[int]:
        """Of the entities whose names match the pattern, in order."""
        at = self._text.find(pattern)
        while at >= 0:
            place = bisect_right(self._starts, at) - 1
            yield place
            after = self._starts[place + 1] if place + 1 < len(self._starts) else len(self._text)
            at = self._text.find(pattern, after)
