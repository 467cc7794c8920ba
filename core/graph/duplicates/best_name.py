"""Chooses the name under which entities are merged. Pure functions."""

from collections.abc import Sequence

from core.graph.model import Entity
from core.graph.naming import FOREIGN_DOT, folded, without_legal_form

_LONGEST_ACRONYM = 6


def best_named(entities: Sequence[Entity]) -> Entity:
    """The most mentioned of those whose names are neither a part nor a short form of another's."""
    return min(
        entities,
        key=lambda one: (
            any(_is_part(one, other) for other in entities if other is not one),
            _shouts(one.name),
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


def _shouts(name: str) -> bool:
    return " " in name and name.isupper()
