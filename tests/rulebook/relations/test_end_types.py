"""What is said of a name tells what it is, where its look does not."""

from core.graph.model import ExtractedName, FoundRelation
from core.rulebook.relations.end_types import key_of, retyped

IDA = ExtractedName(0, 8, "Ida Holm", "CONCEPT", 0.6)
LUND = ExtractedName(20, 24, "Lund", "CONCEPT", 0.6)


def test_a_founder_is_a_person_and_what_is_founded_an_organization() -> None:
    said = [FoundRelation((0, 0, 8), (0, 20, 24), relation, 0.8) for relation in ("director of", "join")]
    assert [each.type for each in retyped([[IDA, LUND]], said)[0]] == ["PERSON", "ORGANIZATION"]


def test_what_looks_like_what_it_is_stays_so() -> None:
    oslo = ExtractedName(20, 24, "Oslo", "LOCATION", 0.95)
    said = [FoundRelation((0, 0, 8), (0, 20, 24), "join", 0.8)]
    assert retyped([[IDA, oslo]], said)[0][1].type == "LOCATION"


def test_what_tells_nothing_changes_nothing() -> None:
    said = [FoundRelation((0, 0, 8), (0, 20, 24), "zorp with", 0.8)]
    assert retyped([[IDA, LUND]], said) == ((IDA, LUND),)


def test_relations_are_told_apart_by_verb_and_preposition() -> None:
    assert key_of("was founded") == key_of("found")
    assert key_of("deputy director of") == "director of"
