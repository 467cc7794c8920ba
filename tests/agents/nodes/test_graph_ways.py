"""How the entities of a question are connected, told in sentences of the documents."""

import pytest

from core.agents.nodes.agent.graph_answer import graph_ways
from core.agents.tools.results.graph_answers import listed
from tests.agents.systems.conftest import SystemWorld
from tests.agents.systems.graphs import BASE, WalkedGraph

TEXT = "KelpNet reads the buoys of Bergen. The buoys send data to HarborDB. HarborDB was written by Ada Wren."


@pytest.fixture
def world() -> SystemWorld:
    world = SystemWorld()
    world.library.add("log.md", TEXT)
    graph = WalkedGraph(world.library)
    for name in ("KelpNet", "Bergen", "HarborDB", "Ada Wren", "Cadiz"):
        graph.add(name)
    graph.connect("KelpNet", "Bergen")
    graph.connect("Bergen", "HarborDB")
    graph.connect("HarborDB", "Ada Wren")
    world.graph = graph
    return world


def ways(world: SystemWorld, question: str, language: str = "en") -> tuple[str, ...]:
    return graph_ways(world.deps(), BASE, question, language)


def test_two_that_share_a_sentence_are_told_by_it(world: SystemWorld) -> None:
    assert ways(world, "How are HarborDB and Ada Wren connected?") == (
        "HarborDB and Ada Wren are mentioned together: “HarborDB was written by Ada Wren.”",
    )


def test_two_that_share_a_passage_are_told_by_it_though_a_way_leads_through_another(world: SystemWorld) -> None:
    assert ways(world, "What connects KelpNet with HarborDB?") == (
        "KelpNet and HarborDB are mentioned in the same passage: "
        "“KelpNet reads the buoys of Bergen.” … “The buoys send data to HarborDB.”",
    )


def test_a_longer_way_names_what_lies_between(world: SystemWorld) -> None:
    world.library.add("staff.md", "Finn Harte sailed with Ada Wren.")
    assert isinstance(world.graph, WalkedGraph)
    world.graph.add("Finn Harte")
    world.graph.connect("Ada Wren", "Finn Harte")
    assert ways(world, "What connects HarborDB with Finn Harte?") == (
        "The graph knows no passage that mentions both HarborDB and Finn Harte, but connects them through Ada Wren.",
        "HarborDB and Ada Wren are mentioned together: “HarborDB was written by Ada Wren.”",
        "Ada Wren and Finn Harte are mentioned together: “Finn Harte sailed with Ada Wren.”",
    )


def test_what_is_not_connected_is_said_to_be_so_in_the_language_of_the_question(world: SystemWorld) -> None:
    assert ways(world, "Cadiz与KelpNet有什么关系？", "zh-hans") == (
        "知识图谱中没有 Cadiz 与 KelpNet 之间的关联，间接的也没有。",
    )


def test_a_question_about_one_has_sentences_about_it(world: SystemWorld) -> None:
    assert ways(world, "What is related to KelpNet?") == ("“KelpNet reads the buoys of Bergen.”",)
    assert ways(world, "What is there?") == ()


@pytest.mark.parametrize(
    ("names", "language", "words"),
    [
        ([], "en", ""),
        (["a"], "en", "a"),
        (["a", "b", "c"], "en", "a, b and c"),
        (["甲", "乙", "丙"], "zh-hans", "甲、乙和丙"),
    ],
)
def test_names_are_joined_as_in_a_sentence(names: list[str], language: str, words: str) -> None:
    assert listed(names, language) == words
