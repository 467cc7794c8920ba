"""Orders to search the web, told from questions that only speak of it."""

import pytest

from core.rulebook.understanding.routing import asked_of_web, is_recent


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("Search the web for the latest blooms", "the latest blooms"),
        ("search web for kelp", "kelp"),
        ("Can you check online who won the cup?", "who won the cup?"),
        ("Use the internet to find out who runs it", "who runs it"),
        ("search online: who is Lena Vogt", "who is Lena Vogt"),
        ("Find the price of kelp on the internet.", "Find the price of kelp"),
        ("search the web", ""),
        ("Please look it up online.", ""),
        ("google it", ""),
        ("上网查一下红潮的最新消息", "红潮的最新消息"),
        ("帮我在网上搜索林雨晴是谁", "林雨晴是谁"),
        ("請上網查詢紅潮", "紅潮"),
        ("搜索网络：赤潮", "赤潮"),
        ("百度一下", ""),
    ],
)
def test_an_order_is_taken_off_what_is_asked(message: str, asked: str) -> None:
    assert asked_of_web(message) == asked


@pytest.mark.parametrize(
    "message",
    [
        "How is data published on the web?",
        "What does the paper say about searching the web?",
        "Check the web page of the station",
        "Search the internet archive policy in the handbook",
        "Google was founded when?",
        "Look up the calibration interval",
        "互联网协议是什么？",
        "在网上查不到的资料有哪些？",
        "网络搜索的步骤是什么？",
        "看一下网上的评论",
        "",
    ],
)
def test_to_speak_of_the_web_is_no_order(message: str) -> None:
    assert asked_of_web(message) is None


def test_recent_things_are_told_by_their_words() -> None:
    assert is_recent("What is the latest news?")
    assert is_recent("今天的股价")
    assert is_recent("有什麼新聞？")
    assert not is_recent("How often is a buoy calibrated?")


def test_a_long_message_is_read_in_time() -> None:
    assert asked_of_web("please " * 5_000) is None
    assert asked_of_web("请" * 5_000) is None
    assert asked_of_web("find" + " " * 50_000 + "kelp") is None
