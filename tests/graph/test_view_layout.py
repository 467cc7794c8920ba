"""How a part of the graph is arranged, and what sizes and shades tell."""

import math

import pytest

from core.graph.layout.view_layout import LAYOUTS, MEASURES, STEPS, measure_of, positions_of, shades_of
from core.graph.model import Entity, GraphView, Relation
from core.graph.scope import Shown

TYPES = ("PERSON", "CONCEPT", "CONCEPT")
ENTITIES = tuple(Entity(f"e{at}", "b", f"E {at}", TYPES[at % 3], (), 1 + at % 7, 1 + at % 2) for at in range(60))
RELATIONS = tuple(Relation("e7", f"e{at}", "OWNS", 0.9) for at in range(20) if at != 7)
SHOWN = Shown(GraphView(ENTITIES, RELATIONS), len(RELATIONS), 60)


@pytest.mark.parametrize("kind", LAYOUTS)
@pytest.mark.parametrize("count", [0, 1, 2, 60])
def test_every_entity_has_a_place_of_its_own_and_the_same_each_time(kind: str, count: int) -> None:
    shown = Shown(GraphView(ENTITIES[:count], RELATIONS if count == 60 else ()), len(RELATIONS), count)
    places = positions_of(shown, kind)
    assert len({(round(x, 6), round(y, 6)) for x, y in places}) == count
    assert places == positions_of(shown, kind)


def test_the_most_connected_is_in_the_middle_of_the_rings() -> None:
    distances = [math.hypot(*place) for place in positions_of(SHOWN, "rings")]
    assert distances.index(min(distances)) == 7


def test_a_column_has_one_type_and_the_most_mentioned_at_its_top() -> None:
    columns: dict[float, list[tuple[float, Entity]]] = {}
    for entity, (x, y) in zip(ENTITIES, positions_of(SHOWN, "columns"), strict=True):
        columns.setdefault(x, []).append((y, entity))
    assert len(columns) == 3
    for members in columns.values():
        ordered = [entity for _, entity in sorted(members, key=lambda each: each[0])]
        assert len({entity.type for entity in ordered}) == 1
        assert [entity.mentions for entity in ordered] == sorted((e.mentions for e in ordered), reverse=True)


def test_each_measure_is_one_number_an_entity() -> None:
    found = {kind: measure_of(SHOWN, kind, {"e7": 1.0}) for kind in MEASURES}
    assert {kind: values[7] for kind, values in found.items()} == {
        "mentions": 1.0,
        "links": 19.0,
        "documents": 2.0,
        "centrality": 1.0,
    }
    assert {len(values) for values in found.values()} == {60}


def test_shades_rise_with_the_measure_and_equal_values_have_one() -> None:
    assert shades_of([3.0, 1.0, 2.0, 5.0, 4.0]) == [2, 0, 1, 4, 3]
    assert shades_of([2.0, 2.0, 2.0]) == [0, 0, 0]
    assert max(shades_of([float(at) for at in range(60)])) == STEPS - 1
