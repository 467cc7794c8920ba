"""The graph as RDF: rdflib reads the same statements from the Turtle and from the JSON-LD, whatever the names are."""

import json

import pytest
from rdflib import RDF, RDFS, Graph, URIRef
from rdflib.compare import isomorphic

from core.graph.files.exports import VOCABULARY
from core.graph.files.linked_data import iri, linked_data, turtle
from core.graph.files.network_files import NetworkFile
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
    file = NetworkFile(entities, [(each, f"He said {each.relation}") for each in relations], {"d": "a.pdf"})
    said = Graph().parse(data="".join(turtle(file)), format="turtle")
    linked = Graph().parse(data=json.dumps(linked_data(file)), format="json-ld")
    return said, linked


def test_both_forms_say_the_same() -> None:
    entities = [
        Entity("a1", "b", "Ada Lovelace", "PERSON", ("Countess", "艾达"), 3, 2),
        Entity("b2", "b", "KelpNet", "TECHNOLOGY", (), 1, 1),
    ]
    pages = (("d", 0), ("d", 4))
    relations = [Relation("a1", "b2", "wrote for", 0.9, pages), Relation("a1", "b2", "CO_OCCURS_IN", 1.25)]
    said, linked = read(entities, relations)
    assert len(said) == 2 * 5 + 2 + 2 * (5 + 1 + 1) + 2 + 1
    wrote = URIRef("urn:graphtalk:relation:wrote_for")
    assert list(said.subject_objects(wrote)) == [(URIRef(iri("a1")), URIRef(iri("b2")))]
    assert str(said.value(wrote, RDFS.label)) == "wrote for"
    assert isomorphic(said, linked)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_one_literal(name: str) -> None:
    said, linked = read([Entity("a1", "b", name, name, (name,), 1, 1)], [Relation("a1", "a1", name, 1.0)])
    assert len(said) == 6 + 5 + 3
    assert isomorphic(said, linked)
    assert {str(value) for value in said.objects() if str(value) == name} == {name}


def test_the_vocabulary_has_every_word_that_is_used() -> None:
    known = set(Graph().parse(VOCABULARY, format="turtle").subjects())
    relations = [Relation("a1", "a1", "CO_OCCURS_IN", 1.0, (("d", 0),))]
    said, _ = read([Entity("a1", "b", "Ada", "PERSON", ("A",), 3, 2)], relations)
    used = {*said.predicates(), *said.objects(None, RDF.type)}
    assert {word for word in used if str(word).startswith("urn:graphtalk:")} <= known
