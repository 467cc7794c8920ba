"""Co-occurrence from mentions, by table."""

from itertools import permutations

import pytest

from core.graph.model import Mention
from core.graph.network.cooccurrence import CO_OCCURS, Cooccurrence
from core.graph.network.incidences import pack


def mention(entity: str, chunk: str, page: int = 0, start: int = 0, document: str = "d") -> Mention:
    return Mention(f"{entity}{chunk}{start}", entity, document, chunk, page, start, start + 1, entity, 1.0)


def shared(*chunks: str) -> Cooccurrence:
    """One document; each chunk is given by the letters of its entities."""
    return Cooccurrence({"d": pack([mention(letter, f"c{i}") for i, chunk in enumerate(chunks) for letter in chunk])})


@pytest.mark.parametrize(
    ("chunks", "weights"),
    [
        ([], {}),
        (["a", "b"], {}),
        (["ab"], {"ab": 1.0}),
        (["abc"], {"ab": 0.5, "ac": 0.5, "bc": 0.5}),
        (["ab", "ab", "abc"], {"ab": 2.5, "ac": 0.5, "bc": 0.5}),
        (["aab"], {"ab": 1.0}),
        (["abcde", "ae"], {"ae": 1.25} | dict.fromkeys(["ab", "ac", "ad", "bc", "bd", "be", "cd", "ce", "de"], 0.25)),
    ],
)
def test_a_pair_weighs_the_sum_over_shared_chunks_of_one_by_the_others(
    chunks: list[str], weights: dict[str, float]
) -> None:
    relations = shared(*chunks).relations("abcde")
    assert {each.source_id + each.target_id: each.weight for each in relations} == pytest.approx(weights)
    assert all(each.relation == CO_OCCURS for each in relations)
    assert shared(*chunks).pair_count == len(weights)


@pytest.mark.parametrize(
    ("inner", "seen", "expected"),
    [
        ("a", "a", {"b": 1.5, "c": 0.5}),
        ("b", "b", {"a": 1.5, "c": 0.5, "d": 1.0}),
        ("ab", "ab", {"c": 1.0, "d": 1.0}),
        ("d", "abd", {}),
        ("z", "z", {}),
        ("", "", {}),
    ],
)
def test_a_ring_sums_the_weights_to_all_inner_entities(inner: str, seen: str, expected: dict[str, float]) -> None:
    assert shared("ab", "abc", "bd", "e").ring(inner, seen) == pytest.approx(expected)


def test_the_degree_is_the_number_of_shared_chunks_and_the_sum_of_the_weights() -> None:
    network = shared("ab", "abc", "bd", "e", "bcde")
    assert network.degrees() == {"a": 2, "b": 4, "c": 2, "d": 2, "e": 1}
    for entity, degree in network.degrees().items():
        assert sum(network.ring(entity, entity).values()) == pytest.approx(degree)


def test_a_relation_names_every_place_that_supports_it_once() -> None:
    first = pack([mention("a", "c1", 3), mention("a", "c1", 9, start=5), mention("b", "c1", 4, start=2)])
    second = pack([mention(entity, chunk, 7) for entity in "ab" for chunk in ("x", "y")])
    (relation,) = Cooccurrence({"two": second, "one": first}).relations(["a", "b"])
    assert relation.pages == (("one", 4), ("two", 7))
    assert relation.weight == pytest.approx(3.0)


def test_relations_are_told_only_between_the_entities_asked_for_but_weighed_in_the_whole_chunk() -> None:
    (relation,) = shared("abcd", "cd").relations(["a", "b", "unknown"])
    assert (relation.source_id, relation.target_id) == ("a", "b")
    assert relation.weight == pytest.approx(1 / 3)


def test_packing_does_not_depend_on_the_order_of_the_mentions() -> None:
    mentions = [mention("b", "c1", 1), mention("a", "c1", 2), mention("a", "c1", 5, start=9), mention("a", "c0", 0)]
    assert len({str(pack(order)) for order in permutations(mentions)}) == 1


def test_a_full_chunk_of_many_entities_costs_one_number_an_entity() -> None:
    packed = pack([mention(f"e{i:03}", "c") for i in range(300)])
    assert sum(len(part) for part in packed.values()) == 3 * 300 + 1
    assert Cooccurrence({"d": packed}).pair_count == 300 * 299 // 2
