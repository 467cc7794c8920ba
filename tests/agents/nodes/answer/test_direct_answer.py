"""Direct answers: courtesy, what the app is, what the user said; and what is out of scope."""

import pytest

from core.agents.nodes.answer.direct_answer import direct_answer
from core.agents.state import Route
from core.memory.model import MemoryKind
from core.platform.errors import ServiceError
from core.runs.events import AnswerDelta
from core.runs.model import AnswerOutcome, Turn
from tests.agents.nodes.conftest import Call
from tests.fakes import FakeLlm, Said, World, memory_of, state_of


@pytest.mark.parametrize(
    ("question", "language", "words"),
    [
        ("hello", "en", "Hello!"),
        ("你好", "zh-hans", "您好！"),
        ("謝謝", "zh-hant", "不客氣"),
        ("who are you?", "en", "GraphTalk"),
        ("what can you do?", "en", "cite the place"),
        ("bye", "en", "Goodbye"),
        ("tell me a joke", "en", "only talk about your documents"),
        ("My name is Anna.", "en", "Noted: Name: Anna"),
        ("what is my name?", "en", "find nothing"),
    ],
)
def test_the_rule_answers_in_the_users_language(call: Call, question: str, language: str, words: str) -> None:
    update = call(direct_answer, state_of(question, route=Route.DIRECT, language=language))
    assert words in update["draft"].answer
    assert update["draft"].outcome == AnswerOutcome.DIRECT.value


@pytest.mark.parametrize(
    ("outcomes", "words"),
    [
        ([], "Ask me something"),
        ([AnswerOutcome.ANSWERED], "It is as sure as they are"),
        ([AnswerOutcome.CLOSEST], "I found no sure answer"),
        ([AnswerOutcome.ANSWERED, AnswerOutcome.DIRECT], "It is as sure as they are"),
        ([AnswerOutcome.ANSWERED, AnswerOutcome.CLOSEST], "I found no sure answer"),
    ],
)
def test_a_doubt_is_answered_by_how_sure_the_last_answer_is(
    call: Call, outcomes: list[AnswerOutcome], words: str
) -> None:
    history = tuple(turn for one in outcomes for turn in (Turn("user", "?"), Turn("assistant", "90 days.", one)))
    update = call(direct_answer, state_of("Are you sure?", route=Route.DIRECT, history=history))
    assert words in update["draft"].answer


def test_a_doubt_of_what_was_told_names_it(call: Call, world: World) -> None:
    world.memories.save(memory_of("Boiler: of 2009"))
    history = (Turn("user", "How old is it?"), Turn("assistant", "You told me: Boiler: of 2009", AnswerOutcome.DIRECT))
    update = call(direct_answer, state_of("你确定吗？", route=Route.DIRECT, language="zh-hans", history=history))
    assert "与您告诉我的一样可靠：Boiler: of 2009" in update["draft"].answer


def test_what_the_user_said_is_repeated_from_memory_but_conclusions_are_not(call: Call, world: World) -> None:
    world.memories.save(memory_of("My name is Anna"))
    world.memories.save(memory_of("Buoys drift", MemoryKind.CONCLUSION))
    state = state_of("what is my name?", route=Route.DIRECT, memory_ids=("m-My name is Anna", "m-Buoys drift"))
    answer = call(direct_answer, state)["draft"].answer
    assert "My name is Anna" in answer
    assert "Buoys" not in answer


def test_an_errand_is_declined(call: Call) -> None:
    update = call(direct_answer, state_of("call my mom", route=Route.OUT_OF_SCOPE))
    assert "I cannot do that" in update["draft"].answer
    assert update["draft"].outcome == AnswerOutcome.OUT_OF_SCOPE.value


def test_switched_off_memory_is_said(call: Call) -> None:
    update = call(direct_answer, state_of("I am a nurse from Oslo.", route=Route.DIRECT, use_memory=False))
    assert "not keep" in update["draft"].answer


def test_a_models_words_are_streamed(call: Call, world: World) -> None:
    world.llm = FakeLlm(direct_answer=Said("Hel", "lo"))
    update = call(direct_answer, state_of("hi", route=Route.DIRECT))
    assert update["draft"].answer == "Hello"
    assert world.of(AnswerDelta) == [AnswerDelta("Hel"), AnswerDelta("lo")]


def test_a_model_that_breaks_off_is_marked(call: Call, world: World) -> None:
    world.llm = FakeLlm(direct_answer=Said("Hel", ServiceError("llm.timeout")))
    update = call(direct_answer, state_of("hi", route=Route.DIRECT))
    assert update["draft"].answer.startswith("Hel\n\n")
    assert update["draft"].outcome == AnswerOutcome.UNCONFIRMED.value
    assert "shown" not in update
