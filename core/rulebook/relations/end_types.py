"""Types of names by the relations stated of them: the "chief executive of" something is a person."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from core.graph.model import LOCATION, ORGANIZATION, PERSON, ExtractedName, FoundRelation
from core.rulebook.syntax.verbs import verbs_of

END_TYPES = Path(__file__).with_name("end_types.json")
"""Type of name and the logarithm of its odds, by relation and end; made by benchmarks/fit_relation_types.py."""
KINDS = frozenset({PERSON, ORGANIZATION, LOCATION})
_ENOUGH = 1.5
"""Log odds from which the relations override the type that a name looks like."""
SURE = 0.9
"""Confidence from which a type by the look of a name stays."""


def key_of(relation: str) -> str:
    """The verb, or the last word of a title, with its preposition."""
    words = verbs_of(relation).split()
    return " ".join(words[-2:])


def retyped(
    found: Sequence[Sequence[ExtractedName]], said: Iterable[FoundRelation]
) -> tuple[tuple[ExtractedName, ...], ...]:
    """The names with types by the relations stated of them, except those of confident types."""
    by_place = {(number, each.start, each.end): each for number, row in enumerate(found) for each in row}
    odds: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for relation in said:
        for side, place in enumerate((relation.source, relation.target)):
            kind, weight = _learned().get(f"{key_of(relation.relation)}|{side}", ("", 0.0))
            if kind and place in by_place:
                odds[by_place[place].name][kind] += weight
    told = {name: max(kinds, key=kinds.__getitem__) for name, kinds in odds.items() if max(kinds.values()) >= _ENOUGH}
    return tuple(
        tuple(
            replace(each, type=told[each.name])
            if each.name in told and (each.confidence < SURE or each.type not in KINDS)
            else each
            for each in row
        )
        for row in found
    )


@cache
def _learned() -> Mapping[str, tuple[str, float]]:
    return {key: (kind, weight) for key, (kind, weight) in json.loads(END_TYPES.read_text(encoding="utf-8")).items()}
