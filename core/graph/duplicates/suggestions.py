"""Suggests duplicate entities with a reason; the user decides. Pure functions."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from unicodedata import normalize

from core.graph.duplicates.name_pairs import (
    EntityTexts,
    abbreviated,
    acronyms,
    by_beginning,
    by_tail,
    full_name,
    reordered,
)
from core.graph.model import CONCEPT, CREATIVE_WORK, EVENT, TECHNOLOGY, Entity
from core.graph.naming import FOREIGN_DOT, folded, letters, without_legal_form
from core.platform.language.pinyin import latin_letters, readings
from core.platform.language.terms import normal_form
from core.rulebook import vocabulary

MOST = 500
"""Limit of suggestions."""
_LEAST_LETTERS = 2
_THINGS = frozenset({TECHNOLOGY, CONCEPT, EVENT, CREATIVE_WORK})
"""Types that are easily taken for one another."""
SURE, NEAR = 0.8, 0.7
"""Least cosines of names that mean the same in two languages: by themselves, and if a passage mentions both."""
_LONGEST_ACRONYM = 6


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
    FULL_NAME = "full_name"
    """A person with and without an initial, or something before the given name."""
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
    """Names in two scripts that mean the same."""

    @property
    def is_spelling(self) -> bool:
        """Whether the letters alone show that two names are one: such suggestions can be accepted together."""
        return self in (Reason.LETTERS, Reason.SCRIPT, Reason.PLURAL, Reason.LEGAL_FORM)

    @property
    def is_of_person(self) -> bool:
        """Whether several such suggestions with one entity in common are about forms of one person's name."""
        return self in (Reason.FULL_NAME, Reason.FAMILY_NAME)


@dataclass(frozen=True, slots=True)
class Suggestion:
    reason: Reason
    keep: Entity
    """The entity whose name the merged one has."""
    other: Entity

    @property
    def pair(self) -> tuple[str, str]:
        one, other = sorted((self.keep.id, self.other.id))
        return one, other


def suggestions(
    entities: Sequence[Entity], texts: EntityTexts, apart: Collection[tuple[str, str]] = ()
) -> list[Suggestion]:
    """Suggestions by spelling, with the most reliable reason for every pair; at most MOST.

    entities: most mentioned first. apart: pairs that are known to be different, their ids in order.
    """
    found: dict[tuple[str, str], Suggestion] = {}
    for suggested in _by_names(entities, texts):
        if suggested.pair not in apart:
            found.setdefault(suggested.pair, suggested)
    return list(found.values())[:MOST]


def by_meaning(
    counterparts: Iterable[tuple[Entity, Entity, float]],
    related: Callable[[Entity, Entity], bool],
    apart: Collection[tuple[str, str]] = (),
) -> list[Suggestion]:
    """Names in two scripts that mean the same, with less certainty where a passage mentions both.

    Names of persons mean little: they need the passage.
    counterparts: pairs of which each is the other's nearest, with their cosines.
    """
    found: dict[tuple[str, str], Suggestion] = {}
    for one, other, cosine in counterparts:
        suggested = _suggestion(Reason.MEANING, one, other)
        if suggested.pair in {*found, *apart} or not _is_one_kind(one, other) or cosine < NEAR:
            continue
        if (cosine >= SURE and one.type != "PERSON") or related(one, other):
            found[suggested.pair] = suggested
    return list(found.values())


def surest_first(found: Iterable[Suggestion], texts: EntityTexts) -> list[Suggestion]:
    """By the reliability of the reason; then those that documents mention both of, then those mentioned most."""
    given = list(found)
    documents = texts.documents_of(list({id for each in given for id in each.pair}))
    reasons = list(Reason)

    def key(each: Suggestion) -> tuple[int, bool, int]:
        one, other = (set(documents.get(id, ())) for id in each.pair)
        return reasons.index(each.reason), not one & other, -min(each.keep.mentions, each.other.mentions)

    return sorted(given, key=key)


def compatible(chosen: Iterable[Suggestion], apart: Collection[tuple[str, str]]) -> list[Suggestion]:
    """The suggestions that can be accepted together without merging entities that are known to be different."""
    together: dict[str, frozenset[str]] = {}
    accepted: list[Suggestion] = []
    for each in chosen:
        one, other = (together.get(id, frozenset({id})) for id in each.pair)
        if any((min(pair), max(pair)) in apart for pair in product(one, other)):
            continue
        accepted.append(each)
        together |= dict.fromkeys(one | other, one | other)
    return accepted


def _is_one_kind(one: Entity, other: Entity) -> bool:
    return one.type == other.type or {one.type, other.type} <= _THINGS


def _by_names(entities: Sequence[Entity], texts: EntityTexts) -> Iterator[Suggestion]:
    of_types = _with_one_key(Reason.TYPE, entities, lambda name: " ".join(name.casefold().split()))
    yield from (each for each in of_types if each.keep.type != each.other.type)
    yield from _with_one_key(Reason.LETTERS, entities, lambda name: letters(normalize("NFC", name)))
    yield from _with_one_key(Reason.SCRIPT, entities, lambda name: letters(normal_form(name)))
    yield from _with_one_key(Reason.PLURAL, entities, lambda name: letters(normal_form(folded(name))))
    yield from _sharing_an_alias(entities)
    yield from _with_one_key(Reason.LEGAL_FORM, entities, without_legal_form)
    yield from (_suggestion(Reason.ACRONYM, *pair) for pair in acronyms(entities, texts))
    persons = [entity for entity in entities if entity.type == "PERSON"]
    yield from _with_one_key(Reason.FULL_NAME, persons, full_name)
    yield from _parts_of_names(persons)
    yield from _short_names(entities)
    for short, others in by_tail(entities):
        yield from _only(Reason.SHORT_NAME, short, others)
    yield from (_suggestion(Reason.SHORT_NAME, *pair) for pair in by_beginning(entities, texts))
    yield from (_suggestion(Reason.WORD_ORDER, *pair) for pair in reordered(entities))
    yield from (_suggestion(Reason.ABBREVIATED, *pair) for pair in abbreviated(entities))
    yield from _pinyin(entities)


def _suggestion(reason: Reason, one: Entity, other: Entity) -> Suggestion:
    keep = best_named((one, other))
    return Suggestion(reason, keep, other if keep is one else one)


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


def _parts_of_names(persons: Sequence[Entity]) -> Iterator[Suggestion]:
    """Full names with a family or given name that only one person bears: Lindqvist, Maria, 特斯拉."""
    bearers: defaultdict[str, list[Entity]] = defaultdict(list)
    for person in persons:
        parts = person.name.casefold().replace(FOREIGN_DOT, " ").split()
        for part in {parts[0], parts[-1]} if len(parts) > 1 else ():
            bearers[part].append(person)
    for person in persons:
        if " " not in person.name and FOREIGN_DOT not in person.name:
            several = bearers.get(person.name.casefold(), ())
            full = {name: each for each in reversed(several) if (name := full_name(each.name))}
            yield from _only(Reason.FAMILY_NAME, person, full.values() or several)


def _short_names(entities: Sequence[Entity]) -> Iterator[Suggestion]:
    """Organizations by the first word of their names, where only one other begins so."""
    longer: defaultdict[str, list[Entity]] = defaultdict(list)
    organizations = [entity for entity in entities if entity.type == "ORGANIZATION"]
    for entity in organizations:
        first, *rest = entity.name.casefold().split()
        if any(word.strip(".,") not in vocabulary.words("legal_forms") for word in rest):
            longer[first].append(entity)
    for entity in organizations:
        if len(entity.name.split()) == 1:
            distinct = {without_legal_form(each.name): each for each in longer.get(entity.name.casefold(), ())}
            yield from _only(Reason.SHORT_NAME, entity, list(distinct.values()))


def _pinyin(entities: Sequence[Entity]) -> Iterator[Suggestion]:
    """Chinese names with their pinyin, of one type, if only one name is read so and only one other is spelled so."""
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


def best_named(entities: Sequence[Entity]) -> Entity:
    """The most mentioned of those whose names are neither a part nor a short form of another's."""
    return min(
        entities,
        key=lambda one: (
            any(_is_part(one, other) for other in entities if other is not one),
            " " in one.name and one.name.isupper(),
            -one.mentions,
            one.name,
            one.id,
        ),
    )


def _is_part(one: Entity, other: Entity) -> bool:
    """Jelinek of Craig Jelinek, Costco of Costco Wholesale, SEC, J. Smith, 北大. What comes before the full name of a
    person is more often a title or the end of another sentence than a part of it."""
    if without_legal_form(one.name) == without_legal_form(other.name):
        return False
    short, long = _parts(one.name), _parts(other.name)
    if len(short) == len(long) > 1:
        return any(len(part.strip(".")) == 1 for part in short) and short[-1] == long[-1]
    if len(short) > 1:
        return one.type != "PERSON" and len(short) < len(long) and _is_within(short, long)
    return (len(long) > 1 and (short[0] in long or _is_acronym(one.name))) or _is_han_part(one.name, other.name)


def _parts(name: str) -> list[str]:
    return folded(name.replace(FOREIGN_DOT, " ")).split() or [name]


def _is_within(short: Sequence[str], long: Sequence[str]) -> bool:
    return any(list(long[at : at + len(short)]) == list(short) for at in range(len(long) - len(short) + 1))


def _is_acronym(name: str) -> bool:
    letters = name.replace(".", "")
    return name.isascii() and letters.isupper() and 1 < len(letters) <= _LONGEST_ACRONYM


def _is_han_part(short: str, long: str) -> bool:
    """Its characters in their order, and others between or around them."""
    rest = iter(long)
    return not short.isascii() and len(short) < len(long) and all(sign in rest for sign in short)
