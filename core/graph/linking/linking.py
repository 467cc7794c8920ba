"""Links what extraction found in a document's chunks: names become entities and mentions, statements relations."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from core.documents.model import Chunk
from core.graph.model import (
    ENTITY_TYPES,
    LOCATION,
    ORGANIZATION,
    PERSON,
    Entity,
    ExtractedName,
    FoundRelation,
    Mention,
    Place,
    Relation,
    Saying,
)
from core.graph.naming import FOREIGN_DOT, display_form, entity_id, folded, letters, mention_id, without_legal_form
from core.platform.language.terms import normal_form
from core.rulebook import vocabulary
from core.rulebook.vocabulary import verbs_of

MAX_RELATION = 80
"""Characters of a verb phrase."""
_RANKS, _RANKED = frozenset("省市县"), 2
"""Endings that Chinese places are often named without, and the least characters that are left."""
_MAX_ALIASES = 20
_LEAST_VOTE = 0.01
_ACRONYM, _LETTERS = re.compile(r"[A-Z.]+"), range(2, 9)
"""An acronym, and how many letters it has."""
_LEAST_INITIALS = 3
"""Least letters of an acronym that may be of any type; shorter ones only stand for places or organizations."""
_PLACES = frozenset({LOCATION, ORGANIZATION})


class MentionPlace(NamedTuple):
    chunk: Chunk
    confidence: float


@dataclass(slots=True)
class Group:
    """All occurrences of one name in the document."""

    order: int
    surfaces: Counter[str] = field(default_factory=Counter)
    votes: dict[str, float] = field(default_factory=dict)
    """Type -> sum of the confidences."""
    places: dict[tuple[str, int, int], MentionPlace] = field(default_factory=dict)
    """By chunk, start and end, so that the same stretch counts once."""
    other_names: Counter[str] = field(default_factory=Counter)
    """Surface forms of merged names, which never become the display name."""

    @property
    def type(self) -> str:
        return min(self.votes, key=lambda kind: (-round(self.votes[kind], 6), _rank(kind), kind))

    @property
    def name(self) -> str:
        return min(self.surfaces, key=lambda surface: (-self.surfaces[surface], len(surface), surface))

    def add(self, surface: str, found: ExtractedName, chunk: Chunk) -> None:
        place = chunk.id, found.start, found.end
        if place in self.places:
            return
        self.places[place] = MentionPlace(chunk, found.confidence)
        self.surfaces[surface] += 1
        self.votes[found.type] = self.votes.get(found.type, 0.0) + max(found.confidence, _LEAST_VOTE)

    def absorb(self, other: "Group", as_name: bool) -> None:
        self.order = min(self.order, other.order)
        (self.surfaces if as_name else self.other_names).update(other.surfaces)
        self.other_names.update(other.other_names)
        self.places |= other.places
        for kind, votes in other.votes.items():
            self.votes[kind] = self.votes.get(kind, 0.0) + votes


def _rank(kind: str) -> int:
    return ENTITY_TYPES.index(kind) if kind in ENTITY_TYPES else len(ENTITY_TYPES)


def link(
    base_id: str, document_id: str, chunks: Sequence[Chunk], found: Sequence[Sequence[ExtractedName]]
) -> tuple[tuple[Entity, ...], tuple[Mention, ...]]:
    """Entities in the order of their first mention, mentions in reading order; found has one row a chunk.

    One name is one entity of one type in a document; an acronym and its long form are one entity, and so are a full
    name and the family name alone when no other person bears it.
    """
    groups, pairs = _grouped(chunks, found)
    spelled = _merge_spellings(groups)
    explained = _renamed(pairs, spelled)
    _merge_acronyms(groups, explained)
    _merge_expansions(groups, {key for pair in explained for key in pair})
    _merge_family_names(groups)
    kept = sorted(groups.values(), key=lambda group: group.order)
    entities = tuple(_entity(base_id, group) for group in kept)
    mentions = [
        mention
        for group, entity in zip(kept, entities, strict=True)
        for mention in _mentions(document_id, group, entity.id)
    ]
    index = {chunk.id: number for number, chunk in enumerate(chunks)}
    return entities, tuple(sorted(mentions, key=lambda mention: (index[mention.chunk_id], mention.start, mention.end)))


def _grouped(
    chunks: Sequence[Chunk], found: Sequence[Sequence[ExtractedName]]
) -> tuple[dict[str, Group], Counter[tuple[str, str]]]:
    """Groups by folded name, and how often one folded name was given as an alias of another."""
    groups: dict[str, Group] = {}
    pairs: Counter[tuple[str, str]] = Counter()
    for chunk, row in zip(chunks, found, strict=True):
        for entity in row:
            name = display_form(entity.name)
            key = folded(name)
            if not key or not 0 <= entity.start < entity.end <= len(chunk.text):
                continue
            if (group := groups.get(key)) is None:
                group = groups[key] = Group(len(groups))
            group.add(name, entity, chunk)
            for alias in entity.aliases:
                pairs[key, folded(display_form(alias))] += 1
    return groups, pairs


def _merge_acronyms(groups: dict[str, Group], pairs: Counter[tuple[str, str]]) -> None:
    """Joins each short name to its most frequent long name."""
    longs: dict[str, Counter[str]] = {}
    for (one, other), count in pairs.items():
        short, long = sorted((one, other), key=lambda key: (len(key), key))
        if short != long and short in groups and long in groups:
            longs.setdefault(short, Counter())[long] += count
    for short in sorted(longs, key=lambda key: (len(key), key)):
        long = min(longs[short], key=lambda key: (-longs[short][key], key))
        if short in groups and long in groups:
            groups[long].absorb(groups.pop(short), as_name=True)


def _merge_expansions(groups: dict[str, Group], explained: Collection[str]) -> None:
    """Joins acronyms that the document never explains to the only name that they can stand for."""
    for short, long in list(_expansions(groups)):
        if short in groups and long in groups and short not in explained:
            groups[long].absorb(groups.pop(short), as_name=True)


def _expansions(groups: Mapping[str, Group]) -> Iterator[tuple[str, str]]:
    """(key of an acronym, key of its long form) where exactly one capitalised name has these initials or capitals."""
    names = {key: group.name for key, group in groups.items()}
    longs: defaultdict[str, list[str]] = defaultdict(list)
    for key, name in names.items():
        for initials in _shortened(name):
            longs[initials].append(key)
    for short, name in names.items():
        acronym = name.replace(".", "") if _ACRONYM.fullmatch(name) else ""
        found = [long for long in longs[acronym] if acronym not in names[long]] if len(acronym) in _LETTERS else []
        if len(found) == 1:
            types = {groups[short].type, groups[found[0]].type}
            if len(acronym) >= _LEAST_INITIALS or (len(types) == 1 and types <= _PLACES):
                yield short, found[0]


def _shortened(name: str) -> set[str]:
    """ECJ of European Court of Justice, XML of eXtensible Markup Language; none of a single word or of common words."""
    words = name.replace("-", " ").split()
    significant = [word for word in words if word not in vocabulary.words("function_words")]
    if len(significant) < 2 or max(map(len, significant)) < 4 or not name.isascii():
        return set()
    if not all(map(_is_capitalised, significant)):
        return set()
    initials = {"".join(word[0] for word in each).upper() for each in (words, significant)}
    return initials | {"".join(filter(str.isupper, name))}


def _is_capitalised(word: str) -> bool:
    return word[0].isalpha() and not word.islower() and len(word) > 1


def _merge_spellings(groups: dict[str, Group]) -> dict[str, str]:
    """Joins names that differ in spaces, hyphens, other signs and the kind of Chinese characters, organizations also by
    their legal form, places by the rank of 诸暨市, persons by middle initials.

    Returns the key that each joined name had, with the key that it has now.
    """
    joined: dict[str, str] = {}
    spellings: dict[str, list[str]] = {}
    for key, group in groups.items():
        spellings.setdefault(_spelling(key, group), []).append(key)
    for keys in spellings.values():
        kept, *others = sorted(keys, key=lambda key: (-len(groups[key].places), key))
        for other in others if _is_one(groups, keys) else ():
            groups[kept].absorb(groups.pop(other), as_name=True)
            joined[other] = kept
    return joined


def _renamed(pairs: Counter[tuple[str, str]], joined: dict[str, str]) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for (one, other), count in pairs.items():
        found[joined.get(one, one), joined.get(other, other)] += count
    return found


def _spelling(key: str, group: Group) -> str:
    """Equal for the spellings of one name; the name's own key where it has too few letters.

    A plural in capitals is one like any other, but of single words: AIDS are no aids.
    """
    key = folded(key) if " " in key else key
    if group.type == ORGANIZATION:
        return without_legal_form(group.name) or key
    if group.type == PERSON:
        parts = key.split()
        whole = [part for part in parts if len(part.strip(".")) > 1]
        return letters(normal_form(" ".join(whole if len(whole) > 1 else [*parts[:1], *whole[-1:]]))) or key
    plain = letters(normal_form(key))
    if group.type == LOCATION and len(plain) > _RANKED and plain[-1] in _RANKS:
        return plain[:-1]
    return plain or key


def _is_one(groups: dict[str, Group], keys: Sequence[str]) -> bool:
    """Whether no two persons differ in their middle initials."""
    persons = (key for key in keys if groups[key].type == PERSON)
    return len({folded(key) for key in persons if any(len(part.strip(".")) == 1 for part in key.split())}) < 2


def _merge_family_names(groups: dict[str, Group]) -> None:
    """ "Lindqvist" is Maria Lindqvist, 普朗特 is 路德维希·普朗特, if the document has no other person of that name."""
    bearers: dict[str, list[str]] = {}
    for key, group in groups.items():
        parts = key.replace(FOREIGN_DOT, " ").split()
        if group.type == PERSON and len(parts) > 1:
            bearers.setdefault(parts[-1], []).append(key)
    for family, keys in bearers.items():
        alone = groups.get(family)
        if alone is not None and len(keys) == 1 and alone.type == PERSON:
            groups[keys[0]].absorb(groups.pop(family), as_name=False)


def _entity(base_id: str, group: Group) -> Entity:
    name = group.name
    surfaces = group.surfaces + group.other_names if group.other_names else group.surfaces
    aliases = tuple(_aliases(name, surfaces))[:_MAX_ALIASES]
    return Entity(entity_id(base_id, name, group.type), base_id, name, group.type, aliases, len(group.places), 1)


def _aliases(name: str, surfaces: Counter[str]) -> Iterator[str]:
    """Other surface forms, most frequent first; a difference in case alone is not an alias."""
    seen = {name.lower()}
    for surface in sorted(surfaces, key=lambda surface: (-surfaces[surface], surface)):
        if surface.lower() not in seen:
            seen.add(surface.lower())
            yield surface


def _mentions(document_id: str, group: Group, entity: str) -> Iterable[Mention]:
    for (chunk_id, start, end), place in group.places.items():
        id, page = mention_id(document_id, chunk_id, start, end, entity), _page(place.chunk, start, end)
        surface = place.chunk.text[start:end]
        yield Mention(id, entity, document_id, chunk_id, page, start, end, surface, place.confidence)


def _page(chunk: Chunk, start: int, end: int) -> int:
    """The 0-based page of the first character in the stretch that has one."""
    return next((span.page for span in chunk.spans if span.start < end and span.end > start), chunk.page)


def stated_relations_in(
    chunks: Sequence[Chunk], mentions: Sequence[Mention], found: Sequence[FoundRelation]
) -> tuple[Relation, ...]:
    """Relations, one for each pair of entities and verb phrase ("acquired" is "acquire"), with every place of it.

    Left out where one of the entities was not kept, or both turned out to be the same.
    """
    by_place = {(mention.chunk_id, mention.start, mention.end): mention for mention in mentions}
    relations: dict[tuple[str, str, str], Relation] = {}
    for each in found:
        source, target = (by_place.get(_key(chunks, place)) for place in (each.source, each.target))
        name = display_form(each.relation)[:MAX_RELATION]
        if source is None or target is None or source.entity_id == target.entity_id or not name:
            continue
        key = (source.entity_id, target.entity_id, verbs_of(name))
        known = relations.get(key) or Relation(source.entity_id, target.entity_id, name, 0.0)
        pages = dict.fromkeys([*known.pages, (source.document_id, max(source.page, target.page))])
        sayings = dict.fromkeys([*known.sayings, *_saying(source.document_id, chunks, each.sentence)])
        weight = max(each.confidence, known.weight)
        relations[key] = replace(known, weight=weight, pages=tuple(pages), sayings=tuple(sayings))
    return tuple(relations.values())


def _saying(document_id: str, chunks: Sequence[Chunk], sentence: Place | None) -> Iterator[Saying]:
    if sentence is not None:
        number, start, end = sentence
        yield Saying(document_id, chunks[number].id, start, end)


def _key(chunks: Sequence[Chunk], place: Place) -> tuple[str, int, int]:
    number, start, end = place
    return (chunks[number].id if 0 <= number < len(chunks) else "", start, end)
