"""A model's thinking aloud does not reach the reader."""

import pytest

from core.models.thinking import ThinkingFilter, without_thinking

STREAMS = [
    ("<think>plan</think>Answer.", "Answer."),
    ("  \n<think>plan</think>\n\nAnswer.", "Answer."),
    ("<think>a</think><think>b</think> Answer.", "Answer."),
    ("Answer. <think>more</think>End.", "Answer. End."),
    ("No tags, 1 < 2.", "No tags, 1 < 2."),
    ("<think>never ends", ""),
    ("The tag <think> is text here.", "The tag <think> is text here."),
    ("Ends with <thi", "Ends with <thi"),
    ("", ""),
    ("<think></think>", ""),
    ("<think>x" * 50 + "</think>Answer.", "Answer."),
]


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
@pytest.mark.parametrize(("stream", "answer"), STREAMS)
def test_a_stream_shows_the_answer_alone_however_it_is_cut(stream: str, answer: str, size: int) -> None:
    thinking = ThinkingFilter()
    shown = [thinking.feed(stream[at : at + size]) for at in range(0, len(stream), size)]
    assert "".join(shown) + thinking.finish() == answer


def test_text_is_shown_as_soon_as_it_cannot_be_a_tag() -> None:
    thinking = ThinkingFilter()
    assert thinking.feed("Hello <") == "Hello "
    assert thinking.feed("b> ") == "<b> "


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('<think>{"a": 1}</think>{"a": 2}', '{"a": 2}'),
        ('thought before the tag</think>\n{"a": 2}', '{"a": 2}'),
        ('{"tag": "<think>"}', '{"tag": "<think>"}'),
        ("<think>without an end", ""),
        ("<think>a</think><think>b</think>c", "c"),
    ],
)
def test_a_whole_answer_is_the_part_after_the_thinking(text: str, answer: str) -> None:
    assert without_thinking(text) == answer


def test_many_tags_take_a_moment() -> None:
    assert without_thinking("<think></think>" * 60_000 + "x") == "x"
    thinking = ThinkingFilter()
    assert "".join(thinking.feed("<think>words</think>a") for _ in range(5_000)) == "a" * 5_000
