"""All entities of a knowledge base with their places in one drawing."""

from array import array
from dataclasses import dataclass, field

from core.graph.model import Entity


def _numbers() -> "array[int]":
    return array("i")


def _fractions() -> "array[float]":
    return array("f")


@dataclass(frozen=True, eq=False)
class WholeGraph:
    """Arrays have one number an entity or a relation, in the order of the entities or of the relations."""

    version: str = ""
    """Equal for equal graphs of a base."""
    entities: tuple[Entity, ...] = ()
    """Most mentioned first."""
    x: "array[float]" = field(default_factory=_fractions)
    y: "array[float]" = field(default_factory=_fractions)
    links: "array[int]" = field(default_factory=_numbers)
    """With how many others the entity is related."""
    centrality: "array[float]" = field(default_factory=_fractions)
    """PageRank over all relations, 1 for the most central entity."""
    sources: "array[int]" = field(default_factory=_numbers)
    """Places of entities. Of all relations those that are strong for one of their ends, the most telling first."""
    targets: "array[int]" = field(default_factory=_numbers)
    weights: "array[float]" = field(default_factory=_fractions)
    stated: "array[int]" = field(default_factory=_numbers)
    """1 where the relation was stated, 0 where it was counted."""
    relations: int = 0
    """Pairs that are related, those that are not listed included."""
    rough: bool = False
    """Laid out in a few steps, to be seen at once; the places will change."""
