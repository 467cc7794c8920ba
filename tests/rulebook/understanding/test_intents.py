"""Search is the default: a message is small talk or an errand only where that is certain."""

import json
from pathlib import Path

import pytest

from core.agents.intents import Intent, Understanding
from core.models.embedding.hashed import HashedEmbedder
from core.rulebook.understanding.intents import Intents
from tests.fakes import intents


@pytest.mark.parametrize(
    ("message", "intent"),
    [
        ("hi there", Intent.GREETING),
        ("早上好", Intent.GREETING),
        ("大家早上好呀", Intent.GREETING),
        ("thanks for your help!", Intent.THANKS),
        ("謝謝你的說明", Intent.THANKS),
        ("Hi there, hope you're well!", Intent.GREETING),
        ("Thanks, that's exactly what I was looking for.", Intent.THANKS),
        ("下次再来找你", Intent.FAREWELL),
        ("see you next week", Intent.FAREWELL),
        ("how are you doing today?", Intent.WELLBEING),
        ("what can i ask you?", Intent.ABILITIES),
        ("你能做什么？", Intent.ABILITIES),
        ("what is my name?", Intent.ABOUT_USER),
        ("are you a robot?", Intent.IDENTITY),
        ("Are you absolutely certain?", Intent.DOUBT),
        ("您確定嗎？", Intent.DOUBT),
        ("I work on fact checking.", Intent.STATEMENT),
        ("what is the meaning of life?", Intent.CHAT),
        ("讲个笑话", Intent.CHAT),
        ("please set an alarm for half past six", Intent.ERRAND),
        ("帮我设个闹钟", Intent.ERRAND),
        ("what's the weather like today?", Intent.WEATHER),
    ],
)
def test_what_is_certain_is_not_searched(message: str, intent: Intent) -> None:
    assert intents().of(message).intent is intent


@pytest.mark.parametrize(
    "message",
    [
        "Give me a list of the buoys.",
        "Are you sure the boat sails on Friday?",
        "确定要交押金吗？",
        "What do I do if a buoy misses its calibration?",
        "What is the forecast horizon of TideGraph?",
        "Send me the summary of chapter 2.",
        "转账限额是多少",
        "播放设备的型号有哪些",
        "Do you know who leads the station?",
        "What is the meaning of calibration layer?",
        "thanks, and who is the chief engineer?",
        "你知道校准层是什么吗？",
        "How do I pay a fine?",
        "transfer learning in NLP",
        "book value per share",
        "买方的义务有哪些？",
        "I work at ACME and need the notice period",
        "tell me more",
        "Good morning, list the buoys",
        "早上好，列出浮标",
        "morning shift",
        "早班时间",
        "Can I come back later?",
        "Can I go out at night?",
        "May I bring a friend?",
        "May I smoke here?",
        "晚上可以出去吗？",
        "可以明天再来吗？",
        "可以在這裡睡覺嗎？",
    ],
)
def test_what_begins_like_an_errand_or_chat_is_searched_all_the_same(message: str) -> None:
    assert intents().of(message).is_question


@pytest.mark.parametrize("word", ["instructor?", "tide", "room?", "Julia"])
def test_a_single_word_is_searched_unless_it_is_nearly_an_example(word: str) -> None:
    assert intents().of(word).is_question
    assert intents().of("hellooo").intent is Intent.GREETING


def test_between_the_two_a_model_can_tell() -> None:
    assert intents().of("could you order a pizza") == Understanding(Intent.QUESTION, Intent.ERRAND)


@pytest.mark.parametrize(
    ("message", "intent"),
    [
        ("Hello!", Intent.GREETING),
        ("謝謝。", Intent.THANKS),
        ("...", Intent.CHAT),
        ("I am a nurse.", Intent.STATEMENT),
        ("please set an alarm for half past six", Intent.QUESTION),
    ],
)
def test_without_an_encoder_only_examples_word_for_word_are_understood(message: str, intent: Intent) -> None:
    assert Intents(HashedEmbedder()).of(message).intent is intent


def test_no_question_of_the_public_sets_is_thrown_away(shared_data: Path) -> None:
    files = sorted(shared_data.glob("retrieval/*/queries.jsonl"))
    asked = [json.loads(line)["question"] for path in files for line in path.read_text("utf-8").splitlines()][::5]
    assert [question for question in asked if not intents().of(question).is_question] == []


@pytest.mark.parametrize("message", ["请用一句话总结一下", "make that shorter please", "say it in other words"])
def test_the_last_answer_may_be_wanted_in_another_form(message: str) -> None:
    assert intents().of(message).intent is Intent.REWORK


@pytest.mark.parametrize("message", ["用一句话总结这份手册", "Summarize chapter 4 in one sentence"])
def test_a_summary_of_documents_is_no_rework(message: str) -> None:
    assert intents().of(message).is_question
