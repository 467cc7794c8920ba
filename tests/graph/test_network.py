"""What is shown of a graph: rings, shares of the room, the centre."""

from dataclasses import replace

import pytest

from core.graph.edits import Resolution
from core.graph.model import Relation, Saying
from core.graph.network.cooccurrence import Cooccurrence
from core.graph.network.incidences import pack
from core.graph.network.network import Network
from tests.graph.test_cooccurrence import mention


def network(*chunks: str, stated: tuple[Relation, ...] = ()) -> Network:
    mentions = [mention(letter, f"c{i}") for i, chunk in enumerate(chunks) for letter in chunk]
    return Network(Cooccurrence({"d": pack(mentions)}), stated)


CHAIN = ("ab", "bc", "cd", "de")
STAR = ("ab", "ab", "ac", "ad", "bx", "by", "cz")


@pytest.mark.parametrize(
    ("chunks", "roots", "hops", "limit", "shown", "left_out"),
    [
        (CHAIN, "a", 0, 9, "a", 0),
        (CHAIN, "a", 1, 9, "ab", 0),
        (CHAIN, "a", 3, 9, "abcd", 0),
        (CHAIN, "c", 1, 9, "cbd", 0),
        (STAR, "a", 1, 3, "abc", 1),
        (STAR, "a", 2, 5, "abcxy", 2),
        (STAR, "a", 2, 9, "abcdxyz", 0),
        (STAR, "abcd", 1, 2, "ab", 4),
        (STAR, "", 1, 5, "", 0),
    ],
)
def test_every_hop_gets_its_share_of_the_room_and_the_rest_is_counted(
    chunks: tuple[str, ...], roots: str, hops: int, limit: int, shown: str, left_out: int
) -> None:
    assert network(*chunks).around(list(roots), hops, limit) == (list(shown), left_out)


def test_the_centre_has_the_greatest_sum_of_weights_and_counts_the_others() -> None:
    assert network(*STAR, "q").centre(2) == (["a", "b"], 6)


def test_stated_relations_are_steps_like_the_derived_ones() -> None:
    made = Relation("b", "e", "MADE_BY", 0.9, (("d", 1),))
    graph = network("ab", "bc", "e", stated=(made,))
    assert graph.ring(["b"], {"b"}) == pytest.approx({"a": 1.0, "c": 1.0, "e": 9.0})
    assert graph.ring(["e"], {"e"}) == pytest.approx({"b": 9.0})
    assert graph.relations(["b", "e"]) == [made]
    assert [each.relation for each in graph.relations("abe")] == ["MADE_BY", "CO_OCCURS_IN"]
    assert graph.relation_count == 3
    assert graph.centre(1) == (["b"], 3)


def spoken(*sentences: str, stated: tuple[Relation, ...] = ()) -> Network:
    """One chunk; the entities of each sentence are its letters."""
    spans = [(10 * number, 10 * number + 9) for number in range(len(sentences))]
    mentions = [
        replace(mention(letter, "c"), start=10 * number + place)
        for number, sentence in enumerate(sentences)
        for place, letter in enumerate(sentence)
    ]
    return Network(Cooccurrence({"d": pack(mentions, {"c": spans})}), stated)


def test_a_sentence_with_both_counts_ten_times_as_much_as_a_passage() -> None:
    graph = spoken("ab", "c")
    assert graph.ring(["a"], {"a"}) == pytest.approx({"b": 0.5, "c": 0.05})
    assert [(each.target_id, each.near) for each in graph.relations("abc") if each.source_id == "a"] == [
        ("b", True),
        ("c", False),
    ]


def test_the_centre_is_what_most_sentences_name_and_most_is_stated_of() -> None:
    assert spoken("ab", "bc", "bd").centre(1) == (["b"], 3)
    assert spoken("ab", "bc", "bd", stated=(Relation("a", "d", "own", 0.9),) * 2).centre(2)[0] == ["a", "d"]


def test_a_path_goes_through_statements_where_two_only_share_a_passage() -> None:
    graph = spoken("a", "b", "c", stated=(Relation("a", "b", "own", 0.9), Relation("b", "c", "own", 0.9)))
    assert graph.path("a", "c", False) == ["a", "b", "c"]
    assert spoken("a", "b", "c").path("a", "c", False) == ["a", "c"]


def test_what_is_stated_is_the_nearest() -> None:
    graph = spoken("ab", "ab", "a", "c", stated=(Relation("a", "c", "own", 0.3),))
    assert list(graph.ring(["a"], {"a"})) == ["c", "b"]


def test_a_rejected_passage_takes_along_what_its_document_states_and_no_other() -> None:
    sayings = (Saying("d", "c0", 0, 9), Saying("e", "c7", 0, 9))
    stated = Relation("a", "b", "leads", 0.9, (("d", 1), ("e", 2), ("f", 3)), sayings)
    graph = network("ab", stated=(stated,)).resolved(Resolution(rejected=frozenset({("c0", "a", "b")})))
    assert [(each.pages, each.sayings) for each in graph.stated] == [((("e", 2), ("f", 3)), sayings[1:])]
    both = frozenset({("c0", "a", "b"), ("c7", "a", "b")})
    graph = network("ab", stated=(stated,)).resolved(Resolution(rejected=both))
    assert [(each.pages, each.sayings) for each in graph.stated] == [((("f", 3),), ())]
