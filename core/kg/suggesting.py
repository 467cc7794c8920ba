"""Suggests duplicate entities with a reason; the user decides. Pure functions."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from unicodedata import normalize

from core.builtin.entities import lexicon
from core.domain.knowledge import Entity
from core.kg.naming import FOREIGN_DOT, folded, letters, without_legal_form
from core.kg.shortened import abbreviated, by_tail, chinese_abbreviations, reordered
from core.language.pinyin import latin_letters, readings
from core.language.terms import normal_form

MOST = 500
"""Limit of suggestions."""
_LEAST_LETTERS = 2
_ACRONYM = range(2, 9)
"""Letters of an acronym."""
_TELLING = 3
"""Letters from which on an acronym may stand for the end of a name."""


class Reason(StrEnum):
    """Why two entities may be the same, most reliable reason first."""

    TYPE = "type"
    """The same name under two types."""
    LETTERS = "letters"
    """The same letters but for case, spaces, hyphens and other signs."""
    SCRIPT = "script"
    """The same characters in traditional and simplified writing, or in full width."""
    PLURAL = "plural"
    ALIAS = "alias"
    """The name of one is an alias of the other."""
    LEGAL_FORM = "legal_form"
    ACRONYM = "acronym"
    FAMILY_NAME = "family_name"
    """The family name of a person alone, or the given name."""
    SHORT_NAME = "short_name"
    """An organization by the beginning of its name, a name by its end."""
    WORD_ORDER = "word_order"
    """The same words in another order, or with the year in one of them."""
    ABBREVIATED = "abbreviated"
    """The same words, some of them shortened."""
    PINYIN = "pinyin"
    """A Chinese name and its pinyin, family name first or last."""
    MEANING = "meaning"
    """Names in two scripts that mean about the same, mentioned together."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    reason: Reason
    keep: Entity
    """The one that is mentioned more often."""
    other: Entity

    @property
    def pair(self) -> tuple[str, str]:
        one, other = sorted((self.keep.id, self.other.id))
        return one, other


def suggestions(entities: Sequence[Entity], apart: Collection[tuple[str, str]] = ()) -> list[Suggestion]:
    """Suggestions by spelling, with the most reliable reason for every pair; at most MOST.

    entities: most mentioned first. apart: pairs that are known to be different, their ids in order.
    """
    found: dict[tuple[str, str], Suggestion] = {}
    for suggested in _by_names(entities):
        if suggested.pair not in apart:
            found.setdefault(suggested.pair, suggested)
    return list(found.values())[:MOST]


def by_meaning(
    entities: Sequence[Entity],
    alike: Callable[[Entity], Sequence[Entity]],
    related: Callable[[Entity, Entity], bool],
    apart: Collection[tuple[str, str]] = (),
) -> list[Suggestion]:
    """Names in another script that mean about the same, where a passage mentions both.

    alike has the entities whose names mean about what the entity's does.
    """
    found: dict[tuple[str, str], Suggestion] = {}
    for entity in entities:
        for other in alike(entity):
            suggested = _suggestion(Reason.MEANING, entity, other)
            if other.type == entity.type and suggested.pair not in {*found, *apart} and related(entity, other):
                found[suggested.pair] = suggested
    return list(found.values())


def _by_names(entities: Sequence[Entity]) -> Iterator[Suggestion]:
    of_types = _with_one_key(Reason.TYPE, entities, lambda name: " ".join(name.casefold().split()))
    yield from (each for each in of_types if each.keep.type != each.other.type)
    yield from _with_one_key(Reason.LETTERS, entities, lambda name: letters(normalize("NFC", name)))
    yield from _with_one_key(Reason.SCRIPT, entities, lambda name: letters(normal_form(name)))
    yield from _with_one_key(Reason.PLURAL, entities, lambda name: letters(normal_form(folded(name))))
    yield from _sharing_an_alias(entities)
    yield from _with_one_key(Reason.LEGAL_FORM, entities, without_legal_form)
    yield from _acronyms(entities)
    for abbreviation, others in chinese_abbreviations(entities):
        yield from _only(Reason.ACRONYM, abbreviation, others)
    yield from _parts_of_names(entities)
    yield from _short_names(entities)
    for short, others in by_tail(entities):
        yield from _only(Reason.SHORT_NAME, short, others)
    yield from (_suggestion(Reason.WORD_ORDER, *pair) for pair in reordered(entities))
    yield from (_suggestion(Reason.ABBREVIATED, *pair) for pair in abbreviated(entities))
    yield from _pinyin(entities)


def _suggestion(reason: Reason, one: Entity, other: Entity) -> Suggestion:
    keep, merged = sorted((one, other), key=lambda entity: (-entity.mentions, entity.name, entity.id))
    return Suggestion(reason, keep, merged)


def _with_one_key(reason: Reason, entities: Sequence[Entity], key: Callable[[str], str]) -> Iterator[Suggestion]:
    """The most mentioned of those with equal keys with each of the others."""
    groups: defaultdict[str, list[Entity]] = defaultdict(list)
    for entity in entities:
        if len(found := key(entity.name)) >= _LEAST_LETTERS:
            groups[found].append(entity)
    for first, *others in groups.values():
        yield from (_suggestion(reason, first, other) for other in others)


def _sharing_an_alias(entities: Sequence[Entity]) -> Iterator[Suggestion]:
    bearers: defaultdict[str, list[Entity]] = defaultdict(list)
    for entity in entities:
        for alias in entity.aliases:
            bearers[normal_form(alias).casefold()].append(entity)
    for entity in entities:
        for other in bearers.get(normal_form(entity.name).casefold(), ()):
            if other.id != entity.id and other.type == entity.type:
                yield _suggestion(Reason.ALIAS, entity, other)


def _acronyms(entities: Sequence[Entity]) -> Iterator[Suggestion]:
    """Those with one expansion: VM of virtual machine, JS of JavaScript; else with one that ends in one."""
    expansions: defaultdict[str, list[Entity]] = defaultdict(list)
    endings: defaultdict[str, list[Entity]] = defaultdict(list)
    for entity in entities:
        for initials in _initials(entity.name) if entity.name.isascii() else ():
            expansions[initials].append(entity)
        for initials in _initials_of_endings(entity.name) if entity.name.isascii() else ():
            endings[initials].append(entity)
    for entity in entities:
        name = entity.name.replace(".", "")
        if name.isalpha() and name.isascii() and name.isupper() and len(name) in _ACRONYM:
            whole = [other for other in expansions.get(name, ()) if other.id != entity.id]
            yield from _only(Reason.ACRONYM, entity, whole or endings.get(name, ()))


def _initials(name: str) -> set[str]:
    """Of the words of a name, or the capitals of a compound."""
    words = name.replace("-", " ").split()
    if len(words) in _ACRONYM and all(word[0].isalpha() for word in words):
        telling = [word for word in words if word not in lexicon.words("function_words")]
        return {"".join(word[0] for word in each).upper() for each in (words, telling)}
    return {"".join(filter(str.isupper, name))} if name.isalpha() and name[0].isupper() else set()


def _initials_of_endings(name: str) -> set[str]:
    """EMNLP of Conference on Empirical Methods in Natural Language Processing; of capitalised words alone."""
    words = name.split()
    endings = (" ".join(words[start:]) for start in range(1, len(words) - 1) if words[start][0].isupper())
    return {initials for ending in endings for initials in _initials(ending) if len(initials) >= _TELLING}


def _parts_of_names(entities: Sequence[Entity]) -> Iterator[Suggestion]:
    """Of persons who are the only ones with this family name, or given name: Lindqvist, Maria, 特斯拉."""
    bearers: defaultdict[str, list[Entity]] = defaultdict(list)
    persons = [entity for entity in entities if entity.type == "PERSON"]
    for person in persons:
        parts = person.name.casefold().replace(FOREIGN_DOT, " ").split()
        for part in {parts[0], parts[-1]} if len(parts) > 1 else ():
            bearers[part].append(person)
    for person in persons:
        if " " not in person.name and FOREIGN_DOT not in person.name:
            yield from _only(Reason.FAMILY_NAME, person, bearers.get(person.name.casefold(), ()))


def _short_names(entities: Sequence[Entity]) -> Iterator[Suggestion]:
    """Organizations by the first word of their names, where only one other begins so."""
    longer: defaultdict[str, list[Entity]] = defaultdict(list)
    organizations = [entity for entity in entities if entity.type == "ORGANIZATION"]
    for entity in organizations:
        first, *rest = entity.name.casefold().split()
        if any(word.strip(".,") not in lexicon.words("legal_forms") for word in rest):
            longer[first].append(entity)
    for entity in organizations:
        if len(entity.name.split()) == 1:
            distinct = {without_legal_form(each.name): each for each in longer.get(entity.name.casefold(), ())}
            yield from _only(Reason.SHORT_NAME, entity, list(distinct.values()))


def _pinyin(entities: Sequence[Entity]) -> Iterator[Suggestion]:
    """Of one type, where only one Chinese name is read so and only one other name spells it."""
    spelled: defaultdict[tuple[str, str], list[Entity]] = defaultdict(list)
    for entity in entities:
        for letters_of in {latin_letters(name) for name in (entity.name, *entity.aliases)} - {""}:
            spelled[entity.type, letters_of].append(entity)
    bearers: defaultdict[str, list[Entity]] = defaultdict(list)
    found: dict[tuple[str, str], Suggestion] = {}
    for entity in entities if spelled else ():
        for syllables in readings(entity.name):
            for other in spelled.get((entity.type, "".join(syllables)), ()):
                if other.id != entity.id:
                    suggested = _suggestion(Reason.PINYIN, entity, other)
                    found[suggested.pair] = suggested
    for suggested in found.values():
        bearers[suggested.keep.id].append(suggested.other)
        bearers[suggested.other.id].append(suggested.keep)
    yield from (each for each in found.values() if all(len(bearers[id]) == 1 for id in each.pair))


def _only(reason: Reason, entity: Entity, others: Iterable[Entity]) -> Iterator[Suggestion]:
    found = [other for other in others if other.id != entity.id]
    if len(found) == 1:
        yield _suggestion(reason, entity, found[0])
