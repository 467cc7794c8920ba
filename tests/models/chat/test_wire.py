"""Answers of endpoints, good and odd, as they come over the wire."""

import json
from typing import Any

import pytest

from core.models.chat.wire import StreamPiece, read_pieces, read_reply
from core.models.tokens import estimate_tokens
from core.platform.errors import RetryableServiceError, ServiceError
from core.runs.model import Usage


def event(**choice: Any) -> bytes:
    return b"data: " + json.dumps({"choices": [choice]}, ensure_ascii=False).encode() + b"\n\n"


def body(message: Any, **rest: Any) -> str:
    return json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], **rest})


def test_a_whole_answer_has_text_reason_and_usage() -> None:
    reply = read_reply(body({"content": "Hi"}, usage={"prompt_tokens": 3, "completion_tokens": 1}))
    assert (reply.text, reply.finish_reason, reply.usage) == ("Hi", "stop", Usage(1, 3, 1))


def test_arguments_of_a_tool_call_are_the_content() -> None:
    call = {"function": {"name": "judge", "arguments": '{"a": 1}'}}
    assert read_reply(body({"content": None, "tool_calls": [call]})).content == '{"a": 1}'


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ({"content": [{"logprob": -0.5}, {"logprob": 0}, {"logprob": "-1"}, {"logprob": 2}, {}, 7]}, (-0.5, 0.0)),
        ({"content": None}, ()),
        ("odd", ()),
        (None, ()),
    ],
)
def test_log_probabilities_are_read_as_far_as_they_are_any(told: object, kept: tuple[float, ...]) -> None:
    (piece,) = read_pieces([event(delta={"content": "Hi"}, logprobs=told)])
    assert piece.log_probabilities == kept


def test_content_may_be_parts_and_is_made_storable() -> None:
    parts = [{"type": "text", "text": "a\0\ud800b"}, {"type": "image"}, "odd"]
    assert read_reply(body({"content": parts})).text == "a\ufffd\ufffdb"
    call = {"function": {"name": "judge", "arguments": '{"a": "\ud800"}'}}
    assert read_reply(body({"content": None, "tool_calls": [call]})).content == '{"a": "\ufffd"}'


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "<html>",
        "[]",
        "null",
        "{}",
        '{"choices": []}',
        '{"choices": null}',
        '{"choices": [1]}',
        body(None),
        "[" * 99_999,
    ],
)
def test_what_is_no_completion_is_malformed(answer: str) -> None:
    with pytest.raises(ServiceError) as caught:
        read_reply(answer)
    assert caught.value.key == "llm.malformed"


@pytest.mark.parametrize(
    "usage", [{}, [], {"prompt_tokens": -1, "completion_tokens": 1}, {"prompt_tokens": True}, None]
)
def test_odd_usage_is_no_usage(usage: Any) -> None:
    assert read_reply(body({"content": "x"}, usage=usage)).usage is None


def test_events_are_read_across_any_cut_of_the_bytes() -> None:
    stream = (
        b": hello\r\n\r\nevent: x\n" + event(delta={"content": "水\u2028库"}) + event(delta={}, finish_reason="stop")
    )
    stream += b"data: [DONE]\n\ndata: not read\n\n"
    for size in (1, 5, 4096):
        chunks = [stream[at : at + size] for at in range(0, len(stream), size)]
        assert list(read_pieces(chunks)) == [StreamPiece("水\u2028库"), StreamPiece("", "stop")]


def test_a_stream_without_its_last_line_end_is_read_whole() -> None:
    assert list(read_pieces([event(delta={"content": "a"}).rstrip()])) == [StreamPiece("a")]


def test_usage_comes_in_a_piece_without_choices() -> None:
    data = b'data: {"choices": [], "usage": {"prompt_tokens": 2, "completion_tokens": 5}}\n\n'
    assert list(read_pieces([data])) == [StreamPiece("", "", Usage(1, 2, 5))]


def test_an_error_in_the_stream_can_be_tried_again() -> None:
    with pytest.raises(RetryableServiceError):
        list(read_pieces([b'data: {"error": {"message": "overloaded"}}\n\n']))


def test_a_line_without_end_is_refused() -> None:
    with pytest.raises(ServiceError):
        list(read_pieces([b"data: " + b"x" * 600_000] * 3))


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("four", 1), ("five!", 2), ("水库 dam", 3)])
def test_tokens_are_estimated_by_characters(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens
