"""Pairs of names of which one may be the other with words shortened, left out or in another order, or its acronym."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Protocol

from core.graph.model import Entity
from core.graph.naming import FOREIGN_DOT, folded, letters
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
LETTERS = range(2, 9)
"""Number of letters of an acronym."""
_LEAST_INITIALS = 3
"""Least letters of initials that are evidence by themselves; two need a passage that explains them."""
_EXPLAINING = r"\s?[(（\"“‘=:–—]\W{0,3}(?:the\s\W{0,2})?"
"""Pattern between a name and its short form: Marlow Institute ("MI"), MI (the Marlow Institute)."""


def reordered(entities: Sequence[Entity]) -> Iterator[Pair]:
    """Treaty of Lisbon and Lisbon Treaty, also where only one of them gives its year.

    Without a function word the order matters: interpreter bytecode is no bytecode interpreter.
    """
    groups: defaultdict[tuple[str, tuple[str, ...]], list[Entity]] = defaultdict(list)
    for entity in entities:
        words = sorted(_words(" ".join(_significant_words(entity.name))))
        rest = tuple(word for word in words if not _YEAR.fullmatch(word))
        if len(rest) >= _LEAST_WORDS:
            groups[entity.type, rest].append(entity)
    for first, *others in groups.values():
        yield from ((first, other) for other in others if _is_reordered(first.name, other.name))


def _is_reordered(one: str, other: str) -> bool:
    years, of_other = ({word for word in _words(name) if _YEAR.fullmatch(word)} for name in (one, other))
    if years and of_other and years != of_other:
        return False
    loose = any(_significant_words(name) != name.split() for name in (one, other))
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
    """The last two words longer than an initial, usually given and family name; "" if there are fewer."""
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


def by_beginning(entities: Sequence[Entity], texts: "EntityTexts") -> Iterator[Pair]:
    """Organizations with the longer ones of a common document that begin so: Brighton Rock, Brighton Rock Housing."""
    longer: defaultdict[tuple[str, ...], list[Entity]] = defaultdict(list)
    named = [(_words(entity.name), entity) for entity in entities if entity.type == "ORGANIZATION"]
    for words, entity in named:
        for size in range(_LEAST_WORDS, len(words)):
            if words[size] not in vocabulary.words("function_words"):
                longer[tuple(words[:size])].append(entity)
    pairs = [(short, long) for words, short in named for long in longer.get(tuple(words), ())]
    documents = texts.documents_of(sorted({entity.id for pair in pairs for entity in pair}))
    for short, long in pairs:
        if not set(documents.get(short.id, ())).isdisjoint(documents.get(long.id, ())):
            yield short, long


def _is_titled(name: str) -> bool:
    significant = _significant_words(name)
    return bool(significant) and all(word[:1].isupper() for word in significant)


def chinese_abbreviations(entities: Sequence[Entity]) -> Iterator[tuple[Entity, list[Entity]]]:
    """Short names of organizations, each with the longer ones that have its characters in order: 北大, 北京大学."""
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


def _significant_words(name: str) -> list[str]:
    return [word for word in name.split() if word not in vocabulary.words("function_words")]


def _words(name: str) -> list[str]:
    return name.casefold().replace("-", " ").replace(".", "").split()


class EntityTexts(Protocol):
    """Texts of the documents about entities."""

    def documents_of(self, entity_ids: Sequence[str]) -> Mapping[str, Collection[str]]:
        """Ids of the documents that mention each entity, by its id."""

    def passages(self, one: Entity, other: Entity) -> Sequence[str]:
        """The texts of passages that mention both."""


def acronyms(entities: Sequence[Entity], texts: EntityTexts) -> Iterator[Pair]:
    """Each with its only expansion in a common document: FHS of Filesystem Hierarchy Standard, 北大 of 北京大学."""
    candidates = [*_by_initials(entities), *chinese_abbreviations(entities)]
    asked = {entity.id for short, longs in candidates for entity in (short, *longs) if longs}
    documents = {id: frozenset(found) for id, found in texts.documents_of(sorted(asked)).items()}
    for short, longs in candidates:
        beside = [long for long in longs if _is_possible(short, long, documents)]
        if len(beside) == 1 and (_is_significant(short) or _is_explained(short, beside[0], texts)):
            yield short, beside[0]


def _is_possible(short: Entity, long: Entity, documents: Mapping[str, frozenset[str]]) -> bool:
    """Whether both are in a common document, their types fit, and the short one has no other long form."""
    if short.id == long.id or documents.get(short.id, frozenset()).isdisjoint(documents.get(long.id, ())):
        return False
    if short.type != long.type and "CONCEPT" not in (short.type, long.type):
        return False
    names = {folded(name) for name in (long.name, *long.aliases)}
    return not any(_is_expansion(alias, short.name) and folded(alias) not in names for alias in short.aliases)


def _is_expansion(alias: str, acronym: str) -> bool:
    """United States of U.S., but not its plural or another spelling."""
    return any(map(str.islower, alias)) and len(letters(alias)) > len(letters(acronym)) + 1


def _is_significant(short: Entity) -> bool:
    return not short.name.isascii() or len(letters(short.name)) >= _LEAST_INITIALS


def _is_explained(short: Entity, long: Entity, texts: EntityTexts) -> bool:
    """By a passage, in brackets or the like; capitals inside a word of the same passage and type explain themselves."""
    passages = texts.passages(short, long)
    if " " not in long.name and short.type == long.type:
        return bool(passages)
    names = [[re.escape(name) for name in (each.name, *each.aliases)] for each in (short, long)]
    one, other = ("(?:" + "|".join(alternatives) + r")\b" for alternatives in names)
    explained = re.compile(rf"\b{other}{_EXPLAINING}{one}|\b{one}{_EXPLAINING}{other}", re.IGNORECASE)
    return any(explained.search(passage) for passage in passages)


def _by_initials(entities: Sequence[Entity]) -> Iterator[tuple[Entity, list[Entity]]]:
    """VM with virtual machine, JS with JavaScript; where there is none, with names that end in one."""
    expansions: defaultdict[str, list[Entity]] = defaultdict(list)
    endings: defaultdict[str, list[Entity]] = defaultdict(list)
    for entity in entities:
        if entity.name.isascii():
            for initials in _initials(entity.name):
                expansions[initials].append(entity)
            for initials in _initials_of_endings(entity.name):
                endings[initials].append(entity)
    for entity in entities:
        if name := _as_initials(entity.name):
            whole = [other for other in expansions.get(name, ()) if other.id != entity.id]
            yield entity, whole or endings.get(name, [])


def _as_initials(name: str) -> str:
    """The letters of an acronym without full stops; "" for any other name."""
    plain = name.replace(".", "")
    return plain if plain.isalpha() and plain.isascii() and plain.isupper() and len(plain) in LETTERS else ""


def _initials(name: str) -> set[str]:
    """Initials of the words of a name, or the capitals of a compound."""
    words = name.replace("-", " ").split()
    if len(words) in LETTERS and all(word[0].isalpha() for word in words):
        significant = [word for word in words if word not in vocabulary.words("function_words")]
        return {"".join(word[0] for word in each).upper() for each in (words, significant)}
    return {"".join(filter(str.isupper, name))} if name.isalpha() and name[0].isupper() else set()


def _initials_of_endings(name: str) -> set[str]:
    """EMNLP of Conference on Empirical Methods in Natural Language Processing; of capitalised words alone.

    A name that begins with a small word is one kind of what it ends in: generic Top-Level Domain.
    """
    words = name.split() if name[:1].isupper() else []
    endings = (" ".join(words[start:]) for start in range(1, len(words) - 1) if words[start][0].isupper())
    return {initials for ending in endings for initials in _initials(ending) if len(initials) >= _LEAST_INITIALS}
