"""Stated relations found by a small pattern."""

import pytest

from core.graph.model import Entity, Relation
from core.graph.patterns import RelationPattern, fitting_relations, is_broken_pattern, relation_pattern, unknown_ends

ENTITIES = {
    id: Entity(id, "b", name, type, aliases)
    for id, name, type, aliases in (
        ("m", "Marlow Co-op", "ORGANIZATION", ()),
        ("n", "Norrhav Shipping", "ORGANIZATION", ("诺海航运",)),
        ("r", "Callum Reyes", "PERSON", ()),
    )
}
OWNS = Relation("m", "n", "owns shares of", 0.8)
FOUNDED = Relation("r", "m", "founded", 0.9)
BOUGHT = Relation("n", "m", "收购", 0.7)
RELATIONS = [OWNS, FOUNDED, BOUGHT, Relation("m", "r", "CO_OCCURS_IN", 3.0)]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("ORGANIZATION -own-> ?", [OWNS]),
        ("ORGANIZATION -own→ ?", [OWNS]),
        ("? -founded-> ORGANIZATION", [FOUNDED]),
        ("ORGANIZATION <-found- PERSON", [FOUNDED]),
        ("marlow co-op --> ?", [OWNS]),
        ('? -?-> "Marlow"', [FOUNDED, BOUGHT]),
        ("诺海 -收购-> ？", [BOUGHT]),
        ("? --> ?", [FOUNDED, OWNS, BOUGHT]),
        ("PERSON -own-> ?", []),
        ("Person -found-> ?", []),
    ],
)
def test_what_fits_is_found_surest_first(query: str, found: list[Relation]) -> None:
    pattern = relation_pattern(query)
    assert pattern is not None
    assert fitting_relations(pattern, RELATIONS, ENTITIES) == found


@pytest.mark.parametrize("query", ["", "Marlow", "Marlow Co-op", "ORGANIZATION", "-> ?", "a - b", "x <- y"])
def test_a_name_is_no_pattern(query: str) -> None:
    assert relation_pattern(query) is None


def test_an_end_that_is_no_type_and_in_no_name_is_told() -> None:
    pattern = relation_pattern("COMPANY -own-> ?")
    assert pattern is not None
    assert unknown_ends(pattern, list(ENTITIES.values())) == ["COMPANY"]
    assert not unknown_ends(RelationPattern("PERSON", "own", "marlow"), list(ENTITIES.values()))


@pytest.mark.parametrize(
    ("query", "is_broken"), [("foo -> bar", True), ("-own->", True), ("Marlow", False), ("a - b", False)]
)
def test_an_arrow_without_two_ends_is_no_pattern(query: str, is_broken: bool) -> None:
    assert is_broken_pattern(query) == is_broken


def test_ends_of_an_arrow_that_leads_back_are_turned() -> None:
    assert relation_pattern("A <-b c- D") == RelationPattern("D", "b c", "A")
