"""Finds stated relations by a small pattern: ORGANIZATION -own-> ?, "Marlow" <-found- PERSON. Pure functions."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.graph.model import Entity, Relation
from core.graph.network.cooccurrence import CO_OCCURS

ANYTHING = "?"
_ARROWS = str.maketrans({"→": "->", "←": "<-", "？": "?", "“": '"', "”": '"', "—": "-", "–": "-"})
_ONWARD = re.compile(r"(?P<left>.+?)\s+-(?P<words>[^<>]*?)->\s*(?P<right>.+)")
_BACK = re.compile(r"(?P<left>.+?)\s+<-(?P<words>[^<>]*?)-\s+(?P<right>.+)")
_STEM = 3
"""Letters of a word that another one has to begin with to be a form of it: own, owns, owned."""


@dataclass(frozen=True, slots=True)
class RelationPattern:
    """An end is a type, a part of a name, or ANYTHING; the words are those of a relation, ANYTHING for any."""

    source: str
    words: str
    target: str


def relation_pattern(query: str) -> RelationPattern | None:
    """None for a query that is no pattern, as names are."""
    plain = query.strip().translate(_ARROWS)
    if found := _ONWARD.fullmatch(plain):
        return RelationPattern(_end(found["left"]), found["words"].strip() or ANYTHING, _end(found["right"]))
    if found := _BACK.fullmatch(plain):
        return RelationPattern(_end(found["right"]), found["words"].strip() or ANYTHING, _end(found["left"]))
    return None


def is_broken_pattern(query: str) -> bool:
    """Whether the query has an arrow and cannot be read as a pattern."""
    plain = query.translate(_ARROWS)
    return ("->" in plain or "<-" in plain) and relation_pattern(query) is None


def unknown_ends(pattern: RelationPattern, entities: Sequence[Entity]) -> list[str]:
    """Ends that are neither a type nor a part of a name of the entities."""
    types = {entity.type.casefold() for entity in entities}
    ends = dict.fromkeys((pattern.source, pattern.target))
    return [end for end in ends if not any(_is(entity, end, types) for entity in entities)]


def fitting_relations(
    pattern: RelationPattern, relations: Iterable[Relation], entities: Mapping[str, Entity]
) -> list[Relation]:
    """Statements that fit, the most certain first; entities by id."""
    types = {entity.type.casefold() for entity in entities.values()}
    fit = {
        end: {id for id, entity in entities.items() if _is(entity, end, types)}
        for end in {pattern.source, pattern.target}
    }
    found = (
        each
        for each in relations
        if each.relation != CO_OCCURS
        and each.source_id in fit[pattern.source]
        and each.target_id in fit[pattern.target]
        and _says(each.relation, pattern.words)
    )
    return sorted(found, key=lambda each: (-each.weight, each.source_id, each.target_id, each.relation))


def _end(words: str) -> str:
    return words.strip().strip('"').strip() or ANYTHING


def _is(entity: Entity, end: str, types: set[str]) -> bool:
    wanted = end.casefold()
    if end == ANYTHING:
        return True
    if wanted in types and (end.isupper() or not end.isascii()):
        return entity.type.casefold() == wanted
    return any(wanted in name.casefold() for name in (entity.name, *entity.aliases))


def _says(relation: str, words: str) -> bool:
    """Whether each of the words, or another form of it, is in the relation."""
    if words == ANYTHING:
        return True
    said = relation.casefold().split()
    return all(any(_forms(wanted, each) for each in said) for wanted in words.casefold().split())


def _forms(one: str, other: str) -> bool:
    if not one.isascii():
        return one in other
    short, long = sorted((one, other), key=len)
    return short == long or (len(short) >= _STEM and long.startswith(short))
