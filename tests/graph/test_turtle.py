"""The graph as RDF: rdflib reads the same statements from the Turtle and from the JSON-LD, whatever the names are."""

import json

import pytest
from rdflib import Graph
from rdflib.compare import isomorphic

from core.graph.files.json_ld import linked_data
from core.graph.files.turtle import turtle
from core.graph.model import Entity, Relation

HOSTILE = (
    '"quoted" \\ and \\u0041',
    "line\nbreak\r\ttab",
    "<script>alert(1)</script>",
    "a\x01b",
    "林雨晴 🐟",
    "> . <urn:x> ",
)


def read(entities: list[Entity], relations: list[Relation]) -> tuple[Graph, Graph]:
    said = Graph().parse(data="".join(turtle(entities, relations)), format="turtle")
    linked = Graph().parse(data=json.dumps(linked_data(entities, relations)), format="json-ld")
    return said, linked


def test_both_forms_say_the_same() -> None:
    entities = [
        Entity("a1", "b", "Ada Lovelace", "PERSON", ("Countess", "艾达"), 3, 2),
        Entity("b2", "b", "KelpNet", "TECHNOLOGY", (), 1, 1),
    ]
    said, linked = read(entities, [Relation("a1", "b2", "wrote", 0.9), Relation("a1", "b2", "CO_OCCURS_IN", 1.25)])
    assert len(said) == 2 * 5 + 2 + 2 * 5
    assert isomorphic(said, linked)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_one_literal(name: str) -> None:
    said, linked = read([Entity("a1", "b", name, name, (name,), 1, 1)], [Relation("a1", "a1", name, 1.0)])
    assert len(said) == 6 + 5
    assert isomorphic(said, linked)
    assert {str(value) for value in said.objects() if str(value) == name} == {name}
