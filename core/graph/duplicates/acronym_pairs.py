"""Which acronyms may stand for which names, by what the documents say of both."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from core.graph.duplicates.shortened_names import chinese_abbreviations
from core.graph.model import Entity
from core.graph.naming import folded, letters
from core.rulebook import vocabulary

Pair = tuple[Entity, Entity]
LETTERS = range(2, 9)
"""Of an acronym."""
_TELLING = 3
"""Letters from which on initials tell something; two stand for too much, unless a passage explains them."""
_EXPLAINING = r"\s?[(（\"“‘=:–—]\W{0,3}(?:the\s\W{0,2})?"
"""Between a name and what it is called in short: Marlow Institute ("MI"), MI (the Marlow Institute)."""


class EntityTexts(Protocol):
    """What the documents say of entities."""

    def documents_of(self, entity_ids: Sequence[str]) -> Mapping[str, Collection[str]]:
        """By entity, the ids of the documents that mention it."""

    def passages(self, one: Entity, other: Entity) -> Sequence[str]:
        """The texts of passages that mention both."""


def acronyms(entities: Sequence[Entity], texts: EntityTexts) -> Iterator[Pair]:
    """Each with its only expansion in a common document: FHS of Filesystem Hierarchy Standard, 北大 of 北京大学."""
    candidates = [*_by_initials(entities), *chinese_abbreviations(entities)]
    asked = {entity.id for short, longs in candidates for entity in (short, *longs) if longs}
    documents = {id: frozenset(found) for id, found in texts.documents_of(sorted(asked)).items()}
    for short, longs in candidates:
        beside = [long for long in longs if _is_possible(short, long, documents)]
        if len(beside) == 1 and (_is_telling(short) or _is_explained(short, beside[0], texts)):
            yield short, beside[0]


def _is_possible(short: Entity, long: Entity, documents: Mapping[str, frozenset[str]]) -> bool:
    """In a common document, of types that fit, and called something else by nobody."""
    if short.id == long.id or documents.get(short.id, frozenset()).isdisjoint(documents.get(long.id, ())):
        return False
    if short.type != long.type and "CONCEPT" not in (short.type, long.type):
        return False
    names = {folded(name) for name in (long.name, *long.aliases)}
    return not any(_is_expansion(alias, short.name) and folded(alias) not in names for alias in short.aliases)


def _is_expansion(alias: str, acronym: str) -> bool:
    """United States of U.S., but not its plural or another spelling."""
    return any(map(str.islower, alias)) and len(letters(alias)) > len(letters(acronym)) + 1


def _is_telling(short: Entity) -> bool:
    return not short.name.isascii() or len(letters(short.name)) >= _TELLING


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
    """Without its full stops; "" for a name that is no acronym."""
    plain = name.replace(".", "")
    return plain if plain.isalpha() and plain.isascii() and plain.isupper() and len(plain) in LETTERS else ""


def _initials(name: str) -> set[str]:
    """Of the words of a name, or the capitals of a compound."""
    words = name.replace("-", " ").split()
    if len(words) in LETTERS and all(word[0].isalpha() for word in words):
        telling = [word for word in words if word not in vocabulary.words("function_words")]
        return {"".join(word[0] for word in each).upper() for each in (words, telling)}
    return {"".join(filter(str.isupper, name))} if name.isalpha() and name[0].isupper() else set()


def _initials_of_endings(name: str) -> set[str]:
    """EMNLP of Conference on Empirical Methods in Natural Language Processing; of capitalised words alone.

    A name that begins with a small word is one kind of what it ends in: generic Top-Level Domain.
    """
    words = name.split() if name[:1].isupper() else []
    endings = (" ".join(words[start:]) for start in range(1, len(words) - 1) if words[start][0].isupper())
    return {initials for ending in endings for initials in _initials(ending) if len(initials) >= _TELLING}
