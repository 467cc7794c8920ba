"""Stated relations found by a small pattern."""

import pytest

from core.graph.model import Entity, Relation
from core.graph.patterns import RelationPattern, fitting_relations, relation_pattern

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


def test_ends_of_an_arrow_that_leads_back_are_turned() -> None:
    assert relation_pattern("A <-b c- D") == RelationPattern("D", "b c", "A")
