"""The way from one entity to another."""

import random

import networkx as nx
import pytest

from core.graph.model import Mention, Relation
from core.graph.network.cooccurrence import Cooccurrence
from core.graph.network.incidences import pack
from core.graph.network.network import Network


def network(*chunks: str, stated: tuple[Relation, ...] = ()) -> Network:
    """One chunk a word, one entity a letter."""
    mentions = [
        Mention(f"m-{number}-{letter}", letter, "d", f"c{number:04}", 0, place, place + 1, letter, 1.0)
        for number, letters in enumerate(chunks)
        for place, letter in enumerate(letters)
    ]
    return Network(Cooccurrence({"d": pack(mentions)}), stated)


def test_the_shortest_way_takes_the_stronger_of_two_that_are_equally_long() -> None:
    graph = network("ab", "bd", "ac", "ac", "cd", "cd")
    assert graph.path("a", "d", strongest=False) == ["a", "c", "d"]
    assert graph.path("d", "a", strongest=False) == ["d", "c", "a"]


def test_the_strongest_way_may_be_longer() -> None:
    graph = network("adxyzuvw", *["ab"] * 9, *["bd"] * 9)
    assert graph.path("a", "d", strongest=False) == ["a", "d"]
    assert graph.path("a", "d", strongest=True) == ["a", "b", "d"]


def test_stated_relations_are_ways_too_even_to_what_no_chunk_mentions() -> None:
    graph = network("ab", "cd", stated=(Relation("b", "n", "leads", 0.9), Relation("n", "c", "leads", 0.9)))
    assert graph.path("a", "d", strongest=True) == ["a", "b", "n", "c", "d"]


@pytest.mark.parametrize(("source", "target"), [("a", "c"), ("a", "a"), ("a", "unknown"), ("unknown", "a")])
def test_where_no_way_leads_there_is_none(source: str, target: str) -> None:
    assert network("ab", "cd").path(source, target, strongest=False) == []
    assert network().path(source, target, strongest=True) == []


@pytest.mark.parametrize("strongest", [False, True])
def test_no_way_is_better_than_the_one_found(strongest: bool) -> None:
    """As networkx finds it, on random graphs."""
    choice = random.Random(7)
    letters = [chr(ord("a") + number) for number in range(26)]
    for _ in range(20):
        graph = network(*("".join(choice.sample(letters, 2)) for _ in range(30)))
        plain: nx.Graph[str] = nx.Graph()
        for each in graph.relations(letters):
            plain.add_edge(each.source_id, each.target_id, cost=1 / each.weight)
        for source, target in (choice.sample(letters, 2) for _ in range(10)):
            found = graph.path(source, target, strongest)
            if source not in plain or target not in plain or not nx.has_path(plain, source, target):
                assert found == []
                continue
            measure = "cost" if strongest else None
            assert nx.path_weight(plain, found, measure or "cost") > 0
            wanted = nx.shortest_path_length(plain, source, target, weight=measure)
            length = nx.path_weight(plain, found, "cost") if strongest else len(found) - 1
            assert length == pytest.approx(wanted)
