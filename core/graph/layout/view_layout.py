"""Where the entities of a part of the graph are drawn, in several arrangements, and what their size and shade show."""

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from core.graph.layout.force_layout import layout
from core.graph.model import Entity
from core.graph.scope import Shown, links_of

FORCE, CIRCLE, RINGS, COLUMNS = LAYOUTS = ("force", "circle", "rings", "columns")
"""Arrangements: by relations; on a circle by type; in rings around the most connected; in a column for each type."""
_ROOM = 6
"""Entities of the innermost ring; each further one holds as many more."""
_HIGH = 25
"""Entities of a column; of a type with more there are several columns."""
Position = tuple[float, float]
MENTIONS, LINKS, DOCUMENTS, CENTRALITY = MEASURES = ("mentions", "links", "documents", "centrality")
USUAL = MENTIONS
STEPS = 5
"""Number of shades."""


def positions_of(shown: Shown, kind: str = FORCE) -> list[Position]:
    """One an entity, in any unit. kind: one of LAYOUTS."""
    return _ARRANGED[kind](shown)


def _by_relations(shown: Shown) -> list[Position]:
    place = {entity.id: index for index, entity in enumerate(shown.view.entities)}
    drawn = shown.view.relations[: shown.lines]
    positions = layout(len(place), [(place[r.source_id], place[r.target_id]) for r in drawn], [r.weight for r in drawn])
    return [(float(x), float(y)) for x, y in positions]


def _on_circle(shown: Shown) -> list[Position]:
    order = sorted(shown.view.entities, key=lambda entity: (entity.type, -entity.mentions, entity.id))
    turn = 2 * math.pi / max(1, len(order))
    return _in_order(shown, order, [(math.cos(turn * at), math.sin(turn * at)) for at in range(len(order))])


def _in_rings(shown: Shown) -> list[Position]:
    """Rings with the most connected in the middle."""
    links = dict(zip((entity.id for entity in shown.view.entities), measure_of(shown, "links"), strict=True))
    order = sorted(shown.view.entities, key=lambda entity: (-links[entity.id], -entity.mentions, entity.id))
    places, ring = [(0.0, 0.0)], 1
    while len(places) < len(order):
        count = min(_ROOM * ring, len(order) - len(places))
        turns = (2 * math.pi * at / count + ring for at in range(count))  # rings begin at different angles
        places += [(ring * math.cos(turn), ring * math.sin(turn)) for turn in turns]
        ring += 1
    return _in_order(shown, order, places)


def _in_columns(shown: Shown) -> list[Position]:
    """Columns with the most mentioned at the top; the most frequent type first."""
    groups: dict[str, list[Entity]] = {}
    for entity in shown.view.entities:
        groups.setdefault(entity.type, []).append(entity)
    order: list[Entity] = []
    places: list[Position] = []
    column = 0
    for members in sorted(groups.values(), key=lambda group: (-len(group), group[0].type)):
        order += sorted(members, key=lambda entity: (-entity.mentions, entity.id))
        places += [(column + at // _HIGH, at % _HIGH / _HIGH) for at in range(len(members))]
        column += 1 + (len(members) - 1) // _HIGH
    return _in_order(shown, order, places)


def _in_order(shown: Shown, order: Sequence[Entity], places: Sequence[Position]) -> list[Position]:
    found = {entity.id: place for entity, place in zip(order, places, strict=False)}
    return [found[entity.id] for entity in shown.view.entities]


_ARRANGED: Mapping[str, Callable[[Shown], list[Position]]] = {
    FORCE: _by_relations,
    CIRCLE: _on_circle,
    RINGS: _in_rings,
    COLUMNS: _in_columns,
}


def measure_of(shown: Shown, kind: str, centrality: Mapping[str, float] = MappingProxyType({})) -> list[float]:
    """One an entity. kind: one of MEASURES; centrality: by entity, in the whole graph."""
    entities = shown.view.entities
    if kind == MENTIONS:
        return [float(entity.mentions) for entity in entities]
    if kind == DOCUMENTS:
        return [float(entity.documents) for entity in entities]
    if kind == CENTRALITY:
        return [centrality.get(entity.id, 0.0) for entity in entities]
    links = links_of(shown.view.relations)
    return [float(links[entity.id]) for entity in entities]


def shades_of(values: Sequence[float]) -> list[int]:
    """Numbers from 0 for the least to STEPS - 1: as many entities in each as ties allow, equal values in one."""
    order = sorted(values)
    first = {value: place for place, value in reversed(list(enumerate(order)))}
    return [first[value] * STEPS // max(1, len(order)) for value in values]
