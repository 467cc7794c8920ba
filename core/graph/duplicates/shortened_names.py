"""Pairs of names of which one is the other with words shortened, left out or in another order. Pure functions."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from core.graph.model import Entity
from core.graph.naming import FOREIGN_DOT
from core.platform.language.scripts import HAN_CHARACTER
from core.rulebook import vocabulary

Pair = tuple[Entity, Entity]
_YEAR = re.compile(r"(?:19|20)\d\d")
_LEAST_WORDS = 2
_STEM = 3
"""Letters that the short form of a word has at least, and that it is shorter by: man of manual."""
_MOST_ALIKE = 20
"""Names with equal beginnings of words that are compared with each other."""
_ABBREVIATION = range(2, 5)
"""Characters of a Chinese abbreviation."""


def reordered(entities: Sequence[Entity]) -> Iterator[Pair]:
    """Treaty of Lisbon and Lisbon Treaty, also where only one of them gives its year.

    Without a small word the order tells things apart: interpreter bytecode is no bytecode interpreter.
    """
    groups: defaultdict[tuple[str, tuple[str, ...]], list[Entity]] = defaultdict(list)
    for entity in entities:
        words = sorted(_words(" ".join(_telling(entity.name))))
        rest = tuple(word for word in words if not _YEAR.fullmatch(word))
        if len(rest) >= _LEAST_WORDS:
            groups[entity.type, rest].append(entity)
    for first, *others in groups.values():
        yield from ((first, other) for other in others if _is_reordered(first.name, other.name))


def _is_reordered(one: str, other: str) -> bool:
    years, of_other = ({word for word in _words(name) if _YEAR.fullmatch(word)} for name in (one, other))
    if years and of_other and years != of_other:
        return False
    loose = any(_telling(name) != name.split() for name in (one, other))
    return loose or [w for w in _words(one) if w not in years] == [w for w in _words(other) if w not in of_other]


def abbreviated(entities: Sequence[Entity]) -> Iterator[Pair]:
    """man pages and manual pages: word by word equal, or the beginning of the other's."""
    groups: defaultdict[tuple[str, ...], list[tuple[list[str], Entity]]] = defaultdict(list)
    for entity in entities:
        words = _words(entity.name)
        if len(words) >= _LEAST_WORDS:
            groups[tuple(word[:_STEM] for word in words)].append((words, entity))
    for alike in groups.values():
        for (one, first), (other, second) in combinations(alike[:_MOST_ALIKE], 2):
            if _is_shortened(one, other) or _is_shortened(other, one):
                yield first, second


def _is_shortened(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether some of the words, but not all, are beginnings of the longer ones."""
    cut = [(one, other) for one, other in zip(short, long, strict=True) if one != other]
    return 0 < len(cut) < len(short) and all(
        len(one) >= _STEM and other.startswith(one) and len(other) >= len(one) + _STEM for one, other in cut
    )


def full_name(name: str) -> str:
    """The last given name and the family name, without initials and what stands before; "" where one is missing."""
    words = [word for word in name.casefold().replace(FOREIGN_DOT, " ").split() if len(word.strip(".")) > 1]
    return " ".join(words[-_LEAST_WORDS:]) if len(words) >= _LEAST_WORDS else ""


def by_tail(entities: Sequence[Entity]) -> Iterator[tuple[Entity, list[Entity]]]:
    """Capitalised names with the longer ones of their type that end so: Exchange Act, Securities Exchange Act."""
    longer: defaultdict[tuple[str, str], list[Entity]] = defaultdict(list)
    names = [entity for entity in entities if entity.type not in ("PERSON", "LOCATION") and _is_titled(entity.name)]
    for entity in names:
        words = entity.name.split()
        for start in (at for at in range(1, len(words)) if words[at - 1] not in vocabulary.words("function_words")):
            longer[entity.type, " ".join(words[start:]).casefold()].append(entity)
    for entity in names:
        if " " in entity.name or entity.type == "ORGANIZATION":
            yield entity, longer.get((entity.type, entity.name.casefold()), [])


def _is_titled(name: str) -> bool:
    telling = _telling(name)
    return bool(telling) and all(word[:1].isupper() for word in telling)


def chinese_abbreviations(entities: Sequence[Entity]) -> Iterator[tuple[Entity, list[Entity]]]:
    """Organizations by characters of their names in order, with those that they may stand for: 北大, 北京大学."""
    named: defaultdict[str, list[Entity]] = defaultdict(list)
    organizations = [entity for entity in entities if entity.type == "ORGANIZATION"]
    for entity in organizations:
        if HAN_CHARACTER.match(entity.name):
            named[entity.name[0]].append(entity)
    for entity in organizations:
        if len(entity.name) in _ABBREVIATION and all(map(HAN_CHARACTER.match, entity.name)):
            alike = named[entity.name[0]][: _MOST_ALIKE * _MOST_ALIKE]
            yield entity, [other for other in alike if _is_taken_from(entity.name, other.name)]


def _is_taken_from(short: str, long: str) -> bool:
    rest = iter(long)
    in_order = all(character in rest for character in short)
    return in_order and len(long) >= len(short) + 2 and not long.startswith(short)


def _telling(name: str) -> list[str]:
    return [word for word in name.split() if word not in vocabulary.words("function_words")]


def _words(name: str) -> list[str]:
    return name.casefold().replace("-", " ").replace(".", "").split()
