"""What is shown of a graph: rings, shares of the room, the centre."""

import pytest

from core.graph.model import Relation
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
    assert graph.ring(["b"], {"b"}) == pytest.approx({"a": 1.0, "c": 1.0, "e": 0.9})
    assert graph.ring(["e"], {"e"}) == pytest.approx({"b": 0.9})
    assert graph.relations(["b", "e"]) == [made]
    assert [each.relation for each in graph.relations("abe")] == ["CO_OCCURS_IN", "MADE_BY"]
    assert graph.relation_count == 3
    assert graph.centre(1) == (["b"], 3)
