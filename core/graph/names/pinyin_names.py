"""Chinese names of a knowledge base by their pinyin, for whoever types or reads Latin letters."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from core.platform.language.pinyin import readings

_LAST = "\U0010ffff"


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
