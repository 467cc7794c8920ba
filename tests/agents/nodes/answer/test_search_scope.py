"""Another knowledge base is named where it has all the words of a question that was not answered."""

from dataclasses import replace

import pytest

from core.agents.nodes.answer.not_found import not_found
from core.platform.errors import ServiceError
from core.runs.model import AnswerOutcome, RunOptions
from tests.agents.nodes.conftest import Call
from tests.fakes import World, state_of


@pytest.fixture
def other(world: World) -> str:
    """A base that holds the handbook in place of the question's own, which is empty."""
    made = world.library.bases.create("Stations").id
    world.library.documents.kept["d1"] = replace(world.library.documents.kept["d1"], base_id=made)
    return made


def test_the_base_with_the_words_is_named_with_its_document(call: Call, other: str) -> None:
    draft = call(not_found, state_of("How often is each buoy calibrated?"))["draft"]
    assert draft.outcome is AnswerOutcome.UNREADY
    assert "has no documents yet" in draft.answer
    assert "“Stations”, which was not searched, has a passage with these words in handbook.pdf" in draft.answer


def test_a_base_that_lacks_a_word_or_was_searched_is_not_named(call: Call, other: str) -> None:
    assert "Stations" not in call(not_found, state_of("How often is each camera calibrated?"))["draft"].answer
    searched = state_of("How often is each buoy calibrated?", options=RunOptions(bases=(other,)))
    assert "which was not searched" not in call(not_found, searched)["draft"].answer


def test_one_common_word_does_not_tell_that_a_base_has_the_answer(call: Call, other: str) -> None:
    assert "Stations" not in call(not_found, state_of("And what was lifted?"))["draft"].answer
    assert "Stations" in call(not_found, state_of("What is KelpNet?"))["draft"].answer


def test_a_base_whose_index_cannot_be_read_is_not_named(call: Call, world: World, other: str) -> None:
    world.retriever.failure = ServiceError("llm.timeout")
    assert "Stations" not in call(not_found, state_of("How often is each buoy calibrated?"))["draft"].answer


def test_a_passage_that_the_reader_insists_on_does_not_speak_for_another_base(
    call: Call, world: World, other: str
) -> None:
    chunk = next(chunk for chunk in world.library.passages.chunk_list if "calibrated" in chunk.text)
    insisting = state_of("How often is each buoy calibrated?", options=RunOptions(insisted=(chunk.id,)))
    assert "which was not searched" not in call(not_found, insisting)["draft"].answer
