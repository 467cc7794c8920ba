"""Which part of the graph is shown, and that what it leaves out is counted."""

from dataclasses import replace

import pytest

from core.graph.model import Entity, GraphView, Relation
from core.graph.scope import RELATIONS_PER_ENTITY, GraphScope, Shown, around, by_importance, shown
from pages.components.graph.state import GraphState
from pages.components.graph.toolbar import drawn_lines
from tests.fakes.graph import FakeGraph
from tests.pages.marlow import BASE, entity_id, sample_graph


@pytest.fixture
def graph() -> FakeGraph:
    return sample_graph()


def crowd(count: int) -> FakeGraph:
    """`count` concepts and as many persons, every concept joined to the first one."""
    graph = FakeGraph()
    for index in range(count):
        for type in ("CONCEPT", "PERSON"):
            key = f"{type}-{index:04}"
            graph.entities[key] = Entity(key, BASE.id, key, type, (), count - index, 1)
    first = "CONCEPT-0000"
    graph.relations = [Relation(first, key, "CO_OCCURS_IN", 1.0) for key in graph.entities if key != first]
    return graph


def test_the_whole_picture_is_the_most_connected_part_and_says_how_much_is_left_out() -> None:
    part = shown(crowd(200), BASE.id, GraphScope(limit=150))
    assert len(part.view.entities) == 150
    assert part.reached == 400
    assert part.view.left_out == 250


def test_a_type_fills_the_picture_with_its_own_entities() -> None:
    part = shown(crowd(120), BASE.id, GraphScope(types=("PERSON",), limit=150))
    assert {entity.type for entity in part.view.entities} == {"PERSON"}
    assert len(part.view.entities) == part.reached == 120


def test_a_type_fills_the_picture_beyond_what_is_mentioned_most() -> None:
    part = shown(crowd(400), BASE.id, GraphScope(types=("PERSON",), limit=300))
    assert len(part.view.entities) == 300
    assert part.reached == 400


def test_the_centre_stays_when_its_type_is_filtered_out(graph: FakeGraph) -> None:
    centre = entity_id("KelpNet")
    part = shown(graph, BASE.id, GraphScope(centre=(centre,), types=("PERSON",)))
    names = {entity.name for entity in part.view.entities}
    assert "KelpNet" in names
    assert {entity.type for entity in part.view.entities if entity.id != centre} == {"PERSON"}


def test_more_hops_reach_further(graph: FakeGraph) -> None:
    scope = GraphScope(centre=(entity_id("SeaLoom"),))
    reached = [shown(graph, BASE.id, replace(scope, hops=hops)).reached for hops in (1, 2, 3)]
    assert reached == sorted(reached)
    assert reached[0] < reached[2]


def test_what_an_answer_touched_is_shown_and_nothing_else(graph: FakeGraph) -> None:
    touched = (entity_id("KelpNet"), entity_id("SeaLoom"), "gone")
    part = shown(graph, BASE.id, GraphScope(centre=touched, exact=True, hops=3))
    assert {entity.id for entity in part.view.entities} == set(touched) - {"gone"}
    assert len(part.view.relations) == 1


def test_relations_of_the_centre_come_first_then_each_entitys_strongest() -> None:
    relations = [Relation("a", "b", "r", 9.0), Relation("b", "c", "r", 8.0), Relation("x", "c", "r", 0.1)]
    assert [r.weight for r in by_importance(relations, ("x",))] == [0.1, 9.0, 8.0]
    assert [r.weight for r in by_importance(relations)] == [9.0, 8.0, 0.1]


def test_lines_are_few_enough_to_tell_apart() -> None:
    graph = crowd(20)
    ids = list(graph.entities)
    graph.relations = [Relation(a, b, "r", 1.0) for index, a in enumerate(ids) for b in ids[index + 1 :]]
    part = shown(graph, BASE.id, GraphScope(limit=50))
    assert part.lines == RELATIONS_PER_ENTITY * 40
    assert len(part.view.relations) == 40 * 39 // 2


def test_weak_relations_count_as_drawn_where_they_are() -> None:
    """As view.js draws them: of the selected entity, of the chosen pair, and along the path."""
    ends = (("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"))
    view = GraphView((), tuple(Relation(one, other, "r", 1.0) for one, other in ends))
    part = Shown(view, 1, 4)
    assert drawn_lines(GraphState(), part, ()) == 1
    assert drawn_lines(GraphState(selected="a"), part, ()) == 2
    assert drawn_lines(GraphState(edge=("d", "c")), part, ()) == 2
    assert drawn_lines(GraphState(), part, (("b", "c", "d"),)) == 3


def test_relations_to_entities_that_are_not_drawn_and_to_itself_are_dropped() -> None:
    graph = crowd(2)
    graph.relations.append(Relation("CONCEPT-0001", "CONCEPT-0001", "r", 5.0))
    part = shown(graph, BASE.id, GraphScope(types=("CONCEPT",)))
    assert [(r.source_id, r.target_id) for r in part.view.relations] == [("CONCEPT-0000", "CONCEPT-0001")]


def test_walking_on_keeps_hops_and_types_and_leaves_what_an_answer_touched() -> None:
    scope = around(GraphScope(centre=("a", "b"), exact=True, hops=2, types=("PERSON",)), "c")
    assert scope == GraphScope(centre=("c",), hops=2, types=("PERSON",))


def test_a_document_and_a_number_of_mentions_narrow_the_picture() -> None:
    graph = crowd(100)
    part = shown(graph, BASE.id, GraphScope(mentions=90, limit=50))
    assert {entity.mentions >= 90 for entity in part.view.entities} == {True}
    assert len(part.view.entities) == part.reached == 22
    assert shown(graph, BASE.id, GraphScope(document="d-unknown")).view.entities == ()
    sample = sample_graph()
    assert len(shown(sample, BASE.id, GraphScope(document="d-handbook.pdf")).view.entities) == len(sample.entities)


def test_only_what_is_connected_often_enough_stays_and_the_centre_does() -> None:
    graph = crowd(20)
    names = [entity.id for entity in shown(graph, BASE.id, GraphScope(links=2)).view.entities]
    assert names == ["CONCEPT-0000"]
    around_one = shown(graph, BASE.id, GraphScope(centre=("PERSON-0001",), links=9))
    assert [entity.id for entity in around_one.view.entities] == ["PERSON-0001"]


def test_stated_and_counted_relations_can_be_seen_alone(graph: FakeGraph) -> None:
    ends = entity_id("KelpNet"), entity_id("SeaLoom")
    graph.relations.append(Relation(*ends, "reads from", 0.9))
    kinds = [
        {each.relation for each in shown(graph, BASE.id, GraphScope(relations=kind)).view.relations}
        for kind in ("all", "stated", "counted")
    ]
    assert kinds == [{"CO_OCCURS_IN", "reads from"}, {"reads from"}, {"CO_OCCURS_IN"}]
