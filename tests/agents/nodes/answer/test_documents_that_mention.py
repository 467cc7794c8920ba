"""Which documents mention something: those in which the search finds the words, and nothing else."""

from dataclasses import replace

import pytest

from core.agents.nodes.answer.not_found import knowledge_fallback, not_found
from core.agents.state import Draft
from core.rulebook.understanding.questions import words_to_mention
from core.runs.model import AnswerOutcome
from core.search.model import Rejected
from tests.agents.nodes.conftest import Call
from tests.fakes import World, state_of


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Which documents mention Porto?", "Porto"),
        ("Which of my files contain “Port Ellery”?", "Port Ellery"),
        ("In which documents is Tomas Reyes mentioned?", "Tomas Reyes"),
        ("Which documents mention the drift model?", "drift model"),
        ("哪些文档提到了波尔图？", "波尔图"),
        ("凯伦藻在哪些文档中出现？", "凯伦藻"),
        ("Which documents are required?", ""),
        ("Which people are mentioned in the manual?", ""),
        ("哪些人参加了会议？", ""),
    ],
)
def test_the_words_are_those_whose_documents_are_asked_for(question: str, words: str) -> None:
    assert words_to_mention(question) == words


def test_every_document_with_the_words_is_listed_with_a_sentence(call: Call, world: World) -> None:
    world.library.add("wine.md", ("Ports", "Ships leave at six. The barrels go to Porto. Porto is a city."))
    world.library.add("travel.md", ("Trip", "We flew to porto in May."))
    world.library.add("music.md", ("Notes", "A portofino tune."))
    rejected = (Rejected("d2-0", 0.3, "run.rejected.off_topic"),)
    update = call(not_found, state_of("Which documents mention Porto?", rejected=rejected, retrievals=1))
    draft = update["draft"]
    assert draft.outcome is AnswerOutcome.ANSWERED
    assert "found “Porto”: 2. Searched: “Sample” (documents: 4)." in draft.answer
    assert "wine.md: “The barrels go to Porto.” [" in draft.answer
    assert "travel.md: “We flew to porto in May.” [" in draft.answer
    assert {one.document_name for one in draft.citations} == {"wine.md", "travel.md"}


def test_words_that_no_passage_has_are_not_found_by_this_search(call: Call) -> None:
    draft = call(not_found, state_of("Which documents mention Porto?", retrievals=1))["draft"]
    assert draft.outcome is AnswerOutcome.NOT_FOUND
    assert draft.answer.startswith("This search found no answer.")


def test_a_chinese_question_lists_chinese_documents(call: Call) -> None:
    draft = call(not_found, state_of("哪些文档提到了校准层？", language="zh-hans", retrievals=1))["draft"]
    assert "在 1 个文档中找到了“校准层”" in draft.answer
    assert "handbook.pdf: “校准层是指为每个浮标单独拟合的一组参数。” [1]" in draft.answer


def test_the_fixed_reply_gives_way_to_documents_that_mention_the_words(call: Call, world: World) -> None:
    world.library.add("wine.md", ("Ports", "The barrels go to Porto."))
    update = call(knowledge_fallback, state_of("Which documents mention Porto?", retrievals=1))
    assert "wine.md: “The barrels go to Porto.” [1]" in update["draft"].answer
    assert (update["draft"].outcome, update["note"].outcome) == (AnswerOutcome.ANSWERED, "answered")


def test_an_answer_that_was_held_back_does_not_come_back_as_mentions(call: Call, world: World) -> None:
    world.library.add("wine.md", ("Ports", "The barrels go to Porto."))
    held_back = state_of("Which documents mention Porto?", retrievals=1)
    held_back = replace(held_back, draft=Draft(violations=("It names a city.",)))
    assert "Porto" not in call(knowledge_fallback, held_back)["draft"].answer


def test_a_list_from_as_many_passages_as_are_looked_through_says_so(
    call: Call, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.agents.nodes.answer.search_scope.MOST_PASSAGES", 2)
    world.library.add("wine.md", ("Ports", "The barrels go to Porto."))
    world.library.add("travel.md", ("Trip", "We flew to Porto in May."))
    draft = call(not_found, state_of("Which documents mention Porto?", retrievals=1))["draft"]
    assert "Only the 2 passages that fit these words best were looked through" in draft.answer
