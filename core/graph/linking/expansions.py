"""Which short name of a document stands for which long one, though no sentence says so. Pure functions."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from core.rulebook import vocabulary

_LETTERS = range(2, 9)
_TELLING_LETTERS = 3
"""Two letters may stand for much: those of a place or an organization only for one of their own type."""
_PLACES = frozenset({"LOCATION", "ORGANIZATION"})


class Named(NamedTuple):
    key: str
    name: str
    type: str


def expansions(names: Iterable[Named]) -> Iterator[tuple[str, str]]:
    """(key of an acronym, key of its long form) where exactly one capitalised name has these initials or capitals."""
    names = list(names)
    longs: defaultdict[str, list[Named]] = defaultdict(list)
    for named in names:
        for letters in _shortened(named.name):
            longs[letters].append(named)
    for short in names:
        letters = short.name.replace(".", "")
        if not (letters.isascii() and letters.isalpha() and letters.isupper() and len(letters) in _LETTERS):
            continue
        found = [long for long in longs[letters] if letters not in long.name]
        if len(found) == 1 and (len(letters) >= _TELLING_LETTERS or found[0].type == short.type in _PLACES):
            yield short.key, found[0].key


def _shortened(name: str) -> set[str]:
    """ECJ of European Court of Justice, XML of eXtensible Markup Language; none of a single word or of common words."""
    words = name.replace("-", " ").split()
    telling = [word for word in words if word not in vocabulary.words("function_words")]
    if len(telling) < 2 or not name.isascii() or not all(map(_is_capitalised, telling)) or max(map(len, telling)) < 4:
        return set()
    initials = {"".join(word[0] for word in each).upper() for each in (words, telling)}
    return initials | {"".join(filter(str.isupper, name))}


def _is_capitalised(word: str) -> bool:
    return word[0].isalpha() and not word.islower() and len(word) > 1
