"""Every fault of an endpoint ends within its deadline, in the rule's answer or in an answer marked as interrupted."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from core.models.chat import deadline
from core.models.chat.llm import ChatLlm
from core.platform.errors import ServiceError
from core.platform.texts import known
from tests.loopback.openai_server import OpenAiServer
from tests.models.chat.examples import JUDGE, REQUEST, RULE_TEXT, WRITE, RecordingMeter, impatient

DEADLINE = 2.0
PATIENCE = 5.0
MARGIN = 15.0
"""Seconds that a busy machine may add."""
ENDLESS = ("slow_headers", "slow_tokens", "keep_alives", "")
Serve = Callable[[str], OpenAiServer]


def model(server: OpenAiServer, fault: str = "") -> ChatLlm:
    """Only a fault that would go on for ever meets the short limit: a busy machine may take as long for the others."""
    seconds = DEADLINE if fault in ENDLESS else PATIENCE
    llm = ChatLlm(impatient(server.base_url, call_seconds=seconds, stream_seconds=seconds))
    llm._dialogue()
    return llm


def read(stream: Iterator[str]) -> tuple[str, str]:
    """The text that came, and the key of the error that ended it."""
    pieces: list[str] = []
    try:
        for piece in stream:
            pieces.append(piece)
    except ServiceError as error:
        return "".join(pieces), error.key
    return "".join(pieces), ""


@pytest.mark.parametrize(
    ("fault", "key"),
    [
        ("unauthorized", "llm.key_refused"),
        ("rate_limited", "llm.busy"),
        ("rate_limited_absurdly", "llm.busy"),
        ("server_error", "llm.unavailable"),
        ("html", "llm.malformed"),
        ("slow_headers", "llm.timeout"),
        ("slow_tokens", "llm.timeout"),
        ("keep_alives", "llm.timeout"),
        ("cut", "llm.interrupted"),
        ("no_finish_reason", "llm.invalid_output"),
        ("length", "llm.invalid_output"),
        ("empty", "llm.invalid_output"),
        ("broken_json", "llm.invalid_output"),
        ("unknown_tool", "llm.invalid_output"),
        ("wrong_arguments", "llm.invalid_output"),
    ],
)
def test_a_decision_is_made_by_the_rule(silent: Serve, fault: str, key: str) -> None:
    meter = RecordingMeter()
    llm = model(silent(fault), fault)
    started = time.monotonic()
    assert llm.run(JUDGE, REQUEST, meter).reason == "Shared words."
    assert time.monotonic() - started < DEADLINE + MARGIN
    assert meter.reasons == [("example_judge", key)]
    assert known(key)


@pytest.mark.parametrize(
    ("fault", "key"),
    [
        ("unauthorized", "llm.key_refused"),
        ("rate_limited", "llm.busy"),
        ("server_error", "llm.unavailable"),
        ("html", "llm.malformed"),
        ("slow_headers", "llm.timeout"),
        ("keep_alives", "llm.timeout"),
        ("empty", "llm.empty"),
        ("unknown_tool", "llm.empty"),
        ("endless_tool_calls", "llm.empty"),
    ],
)
def test_a_text_that_never_begins_is_written_by_the_rule(silent: Serve, fault: str, key: str) -> None:
    meter = RecordingMeter()
    llm = model(silent(fault), fault)
    started = time.monotonic()
    assert "".join(llm.stream(WRITE, REQUEST, meter)) == RULE_TEXT
    assert time.monotonic() - started < DEADLINE + MARGIN
    assert meter.reasons == [("example_write", key)]


@pytest.mark.parametrize(
    ("fault", "key", "beginning"),
    [
        ("slow_tokens", "llm.timeout", "The "),
        ("cut", "llm.interrupted", "The reservoir supplies the val"),
        ("no_finish_reason", "llm.interrupted", "The reservoir supplies the valley with"),
        ("length", "llm.cut_short", "The reservoir supplies the valley with"),
    ],
)
def test_a_text_that_breaks_off_is_kept_and_its_end_is_an_error(
    silent: Serve, fault: str, key: str, beginning: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadline, "LONGEST", 2)
    meter = RecordingMeter()
    llm = model(silent(fault), fault)
    started = time.monotonic()
    text, error = read(llm.stream(WRITE, REQUEST, meter))
    assert time.monotonic() - started < DEADLINE + MARGIN
    assert text.startswith(beginning)
    assert error == key
    assert meter.reasons == []
    assert meter.finished[0][2] == text


def test_a_text_may_take_longer_than_its_seconds_as_long_as_it_grows(silent: Serve) -> None:
    llm = ChatLlm(impatient(silent("slow_tokens").base_url, stream_seconds=DEADLINE))
    llm._dialogue()
    stream, started = llm.stream(WRITE, REQUEST, RecordingMeter()), time.monotonic()
    while time.monotonic() - started < 1.5 * DEADLINE:
        assert next(stream)
    stream.close()  # type: ignore[attr-defined]


def test_the_seconds_of_the_question_end_a_call_before_its_own(silent: Serve) -> None:
    llm = ChatLlm(impatient(silent("slow_headers").base_url, call_seconds=30.0))
    llm._dialogue()
    started = time.monotonic()
    assert llm.run(JUDGE, REQUEST, RecordingMeter(seconds=0.3)).reason == "Shared words."
    assert time.monotonic() - started < 0.3 + MARGIN


def test_nothing_is_left_running_after_a_fault(silent: Serve) -> None:
    llm = model(silent("keep_alives"))
    before = {thread.ident for thread in threading.enumerate() if "process_request" not in thread.name}
    llm.run(JUDGE, REQUEST, RecordingMeter())
    after = {thread.ident for thread in threading.enumerate() if "process_request" not in thread.name}
    assert after <= before
