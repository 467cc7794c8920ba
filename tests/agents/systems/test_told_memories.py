"""What the user tells is worded, offered once, compared and answered, in every workflow."""

import pytest

from core.agents.workflows.registry import workflows
from core.memory.model import MemoryStatus
from tests.agents.systems.conftest import SystemWorld, run
from tests.fakes import memory_of

WORKFLOWS = list(workflows())


@pytest.mark.parametrize("workflow", WORKFLOWS)
@pytest.mark.parametrize(
    ("told", "question", "value", "kept"),
    [
        ("My name is Alex.", "What is my name?", "**Alex**", "Name: Alex"),
        ("我叫李雷。", "我叫什么名字？", "**李雷**", "名字：李雷"),
    ],
)
def test_what_was_told_is_answered(
    walked: SystemWorld, workflow: str, told: str, question: str, value: str, kept: str
) -> None:
    run(workflow, walked, told)
    assert [memory.text for memory in walked.memories.find(MemoryStatus.ACTIVE)] == [kept]
    assert value in run(workflow, walked, question).answer


@pytest.mark.parametrize(
    ("told", "question", "value"),
    [
        ("Remember: I live at Gannet Point and my cat is called Pixel.", "What is my cat called?", "called Pixel"),
        ("记住：我喜欢用公斤作单位", "我喜欢用什么单位？", "公斤"),
    ],
)
def test_what_a_longer_memory_tells_of_ones_own_is_answered(
    walked: SystemWorld, told: str, question: str, value: str
) -> None:
    run("adaptive", walked, told)
    assert value in run("adaptive", walked, question).answer


@pytest.mark.parametrize("question", ["What do you know about me?", "你记得我什么？"])
def test_everything_that_was_told_is_listed(walked: SystemWorld, question: str) -> None:
    for told in ("Please remember that I prefer short answers.", "My name is Clara and I work in Lisbon."):
        run("adaptive", walked, told)
    answer = run("adaptive", walked, question).answer
    assert "short answers" in answer
    assert "Clara" in answer


def test_a_plain_statement_is_offered_once_and_not_searched(walked: SystemWorld) -> None:
    told = "My favourite warehouse is the one in Lyon."
    assert "Favourite warehouse: the one in Lyon" in run("adaptive", walked, told).answer
    (offered,) = walked.memories.find()
    assert offered.status is MemoryStatus.PROPOSED
    assert walked.retriever.asked == []
    assert "Shall I remember" not in run("adaptive", walked, told).answer
    assert len(walked.memories.find()) == 1


def test_a_newer_fact_supersedes_the_older_one_and_says_so(walked: SystemWorld) -> None:
    run("adaptive", walked, "My name is Alex.")
    answer = run("adaptive", walked, "My name is Sam.").answer
    assert "It replaces what you told me before: Name: Alex" in answer
    assert [memory.text for memory in walked.memories.find(MemoryStatus.ACTIVE)] == ["Name: Sam"]
    assert "know that already" in run("adaptive", walked, "My name is Sam.").answer


def test_what_is_to_be_forgotten_is_named_and_stays_until_it_is_confirmed(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("I keep the anchors in Lyon"))
    walked.memories.save(memory_of("I drive a van"))
    answer = run("adaptive", walked, "Forget what I told you about Lyon.").answer
    assert "I keep the anchors in Lyon" in answer
    assert "van" not in answer
    assert "Nothing has been deleted yet" in answer
    assert len(walked.memories.find()) == 2
    assert "remember nothing" in run("adaptive", walked, "Forget what I told you about Mars.").answer
    walked.memories.save(memory_of("I drive to Lyon and to Porto"))
    assert "anchors" not in run("adaptive", walked, "Forget what I told you about Lyon and Porto.").answer


def test_a_question_that_only_shares_words_with_a_memory_is_searched(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("Our buoys are calibrated every 60 days"))
    run("adaptive", walked, "How do I calibrate our buoys?")
    assert walked.retriever.asked
