"""From places of names to relations of entities."""

from core.documents.model import Chunk, Span
from core.graph.linking.linking import MAX_RELATION, stated_relations_in
from core.graph.model import FoundRelation, Mention

CHUNKS = tuple(
    Chunk(f"c{number}", "d", number, "x" * 50, (), (Span(0, 50, number, number, None),)) for number in range(3)
)


def mention(entity: str, chunk: int, start: int) -> Mention:
    return Mention(f"m-{entity}-{chunk}-{start}", entity, "d", f"c{chunk}", chunk, start, start + 5, "xxxxx", 0.9)


MENTIONS = (mention("a", 0, 0), mention("b", 0, 10), mention("a", 1, 0), mention("b", 2, 10))


def test_a_relation_has_the_pages_of_all_its_places() -> None:
    found = [
        FoundRelation((0, 0, 5), (0, 10, 15), "leads", 0.8),
        FoundRelation((1, 0, 5), (2, 10, 15), "leads", 0.9),
        FoundRelation((0, 0, 5), (0, 10, 15), "leads", 0.8),
    ]
    (relation,) = stated_relations_in(CHUNKS, MENTIONS, found)
    assert (relation.source_id, relation.relation, relation.target_id, relation.weight) == ("a", "leads", "b", 0.9)
    assert relation.pages == (("d", 0), ("d", 2))


def test_entities_that_were_not_kept_have_no_relations() -> None:
    assert stated_relations_in(CHUNKS, MENTIONS, [FoundRelation((0, 0, 5), (0, 20, 25), "leads", 0.9)]) == ()
    assert stated_relations_in(CHUNKS, MENTIONS, [FoundRelation((0, 0, 5), (9, 10, 15), "leads", 0.9)]) == ()


def test_nothing_is_related_to_itself_or_by_nothing() -> None:
    assert stated_relations_in(CHUNKS, MENTIONS, [FoundRelation((0, 0, 5), (1, 0, 5), "is", 0.9)]) == ()
    assert stated_relations_in(CHUNKS, MENTIONS, [FoundRelation((0, 0, 5), (0, 10, 15), " \u200b", 0.9)]) == ()


def test_a_long_phrase_is_cut() -> None:
    (relation,) = stated_relations_in(CHUNKS, MENTIONS, [FoundRelation((0, 0, 5), (0, 10, 15), "very " * 99, 0.9)])
    assert len(relation.relation) <= MAX_RELATION
