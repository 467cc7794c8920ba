"""The documents that a question means."""

import pytest

from core.agents.nodes.plan.references import referenced_documents, words_of_one
from tests.fakes import BASE, World


@pytest.fixture
def world() -> World:
    made = World()
    for name in ("marlow-sound-handbook.pdf", "kelpnet-technical-note.pdf", "qingyu-station-manual-zh.pdf"):
        made.library.add(name, ("Purpose", f"What {name} says."))
    return made


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is the handbook about?", "marlow-sound-handbook.pdf"),
        ("Summarize the technical note.", "kelpnet-technical-note.pdf"),
        ("Who wrote the manual?", "qingyu-station-manual-zh.pdf"),
        ("What does “kelpnet-technical-note.pdf” say about mud?", "kelpnet-technical-note.pdf"),
    ],
)
def test_a_work_is_told_by_its_name_or_by_a_word_of_it(world: World, question: str, name: str) -> None:
    (meant,) = referenced_documents(BASE, question, world.deps())
    assert world.library.documents.get(meant).name == name


@pytest.mark.parametrize(
    "question",
    [
        "What is this document about?",
        "What is the report about?",
        "What are these documents about?",
        "How often is a buoy calibrated?",
        "What is written in the handbook about mud?",
    ],
)
def test_otherwise_all_documents_are_meant(world: World, question: str) -> None:
    assert referenced_documents(BASE, question, world.deps()) == ()


def test_a_word_of_two_names_tells_none(world: World) -> None:
    world.library.add("data-handbook.pdf", ("Purpose", "What the data office does."))
    assert referenced_documents(BASE, "What is the handbook about?", world.deps()) == ()


def test_a_document_is_told_by_a_word_that_stands_in_its_name_alone() -> None:
    names = ["COSTCO_2021_10K.pdf", "Costco report 2020.pdf", "年报 2019.pdf"]
    assert words_of_one("Which people are named in the 10-K?", names) == [("10-K", 0)]
    assert words_of_one("Who leads Costco?", names) == []
    assert words_of_one("“2019” 中 有哪些人物？", names) == [("2019", 2)]
