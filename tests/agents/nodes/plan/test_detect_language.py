"""The answer's language is the latest question's, or the conversation's where the question says little."""

import pytest

from core.agents.nodes.plan.detect_language import detect_language, language_of
from core.runs.model import RunOptions, Turn
from tests.agents.nodes.conftest import Call
from tests.fakes import intents, state_of


@pytest.mark.parametrize(
    ("question", "earlier", "language"),
    [
        ("What is KelpNet?", [], "en"),
        ("校准层是什么？", [], "zh-hans"),
        ("這份手冊規定了什麼？", [], "zh-hant"),
        ("請問 BERT 是什麼？", ["What is KelpNet?"], "zh-hant"),
        ("BERT?", ["什么是浮标？"], "zh-hans"),
        ("GPT?", ["什么是浮标？", "BERT?"], "zh-hans"),
        ("它呢？", ["這份手冊規定了什麼？"], "zh-hant"),
        ("我搬到高雄了", ["我住在哪裡？", "好", "可以"], "zh-hant"),
        ("它呢？", ["What is KelpNet?", "校准层是什么？"], "zh-hans"),
        ("And who leads the station?", ["校准层是什么？"], "en"),
        ("Quelle est la profondeur de la mer près de la bouée?", [], "fr"),
    ],
)
def test_language(question: str, earlier: list[str], language: str) -> None:
    assert language_of(question, earlier, "", intents()) == language


@pytest.mark.parametrize(
    ("question", "earlier", "interface", "language"),
    [
        ("公司地址？", [], "zh-hant", "zh-hant"),
        ("公司地址？", [], "en", "zh-hans"),
        ("公司地址？", ["什么是浮标？"], "zh-hant", "zh-hans"),
        ("谁是站长？", [], "zh-hant", "zh-hans"),
        ("BERT?", [], "zh-hant", "zh-hant"),
        ("What is BERT?", [], "zh-hant", "en"),
    ],
)
def test_a_question_that_does_not_tell_is_answered_as_the_pages_are_shown(
    question: str, earlier: list[str], interface: str, language: str
) -> None:
    assert language_of(question, earlier, interface, intents()) == language


@pytest.mark.parametrize(
    ("message", "earlier", "interface", "language"),
    [
        ("hello", ["校准层是什么？"], "", "en"),
        ("Thanks!", ["这份手册规定了什么？"], "zh-hans", "en"),
        ("hello", [], "zh-hant", "en"),
        ("BERT?", ["校准层是什么？", "thanks"], "", "zh-hans"),
        ("shorter", ["校准层是什么？"], "", "zh-hans"),
        ("why?", ["校准层是什么？"], "", "zh-hans"),
        (":)", ["校准层是什么？"], "", "zh-hans"),
        ("88", [], "zh-hans", "zh-hans"),
        ("merci", ["Quelle est la profondeur de la mer près de la bouée?"], "", "fr"),
    ],
)
def test_a_single_word_of_small_talk_is_english_and_any_other_word_may_be_a_name(
    message: str, earlier: list[str], interface: str, language: str
) -> None:
    assert language_of(message, earlier, interface, intents()) == language


def test_the_node_reads_only_what_the_user_said(call: Call) -> None:
    history = (Turn("user", "什么是浮标？"), Turn("assistant", "A buoy floats on the water."))
    update = call(detect_language, state_of("BERT?", history=history))
    assert update["language"] == "zh-hans"
    assert update["note"].outcome == "zh-hans"


def test_a_language_that_was_asked_for_is_not_told_as_that_of_the_question(call: Call) -> None:
    asked = state_of("What is KelpNet?", options=RunOptions(language="zh-hans"))
    assert call(detect_language, asked)["note"].reason == "run.reason.language_wished"
    assert call(detect_language, state_of("What is KelpNet?"))["note"].reason == "run.reason.language"
