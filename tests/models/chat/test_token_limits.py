"""Limits of tokens: how endpoints take them, room to think, and replies that go on in spite of them."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from core.models.agent_ports import AgentTask, ModelTurn, ToolSchema, TurnRequest
from core.models.chat.dialogue import THINKING_TOKENS
from core.models.chat.llm import ChatLlm
from core.platform.errors import BudgetError, ServiceError
from core.platform.texts import known
from tests.loopback.answers import FAULTS, Answer, Endless, Failure, Reply, ToolCall
from tests.loopback.openai_server import OpenAiServer, Script
from tests.loopback.protocol import LIMITS
from tests.models.chat.examples import JUDGE, REQUEST, RULE_TEXT, WRITE, ExampleRequest, RecordingMeter, impatient

GOOD = '{"verdict": true, "reason": "It says so.", "scores": []}'
TURN = AgentTask("example_write", ExampleRequest, max_tokens=1_500)
SEARCH = ToolSchema("search", "Searches.", {"type": "object", "properties": {"query": {"type": "string"}}}, bool)
Call = Callable[[ChatLlm, RecordingMeter], str]


def judge(llm: ChatLlm, meter: RecordingMeter) -> str:
    return llm.run(JUDGE, REQUEST, meter).reason


def write(llm: ChatLlm, meter: RecordingMeter) -> str:
    return "".join(llm.stream(WRITE, REQUEST, meter))


def extract(llm: ChatLlm, meter: RecordingMeter) -> str:
    return llm.answer_json("extract", "As JSON.", 1_000, meter)


def turned(llm: ChatLlm, meter: RecordingMeter, said: list[str] | None = None) -> ModelTurn:
    agent = llm.agent()
    assert agent is not None
    order = TurnRequest((SEARCH,), (), (), ([] if said is None else said).append)
    return agent.turn(TURN, REQUEST, order, meter)


def turn(llm: ChatLlm, meter: RecordingMeter) -> str:
    return turned(llm, meter).text


CALLS: dict[str, Call] = {"judge": judge, "write": write, "extract": extract, "turn": turn}
LIMIT = {"judge": JUDGE.max_tokens, "write": WRITE.max_tokens, "extract": 1_000, "turn": TURN.max_tokens}


def called(name: str, script: Script, times: int = 1, **options: Any) -> tuple[list[str], list[dict[str, Any]]]:
    """What the calls gave, and the chats that they took."""
    with OpenAiServer(script, **options) as server:
        llm = ChatLlm(impatient(server.base_url))
        given = [CALLS[name](llm, RecordingMeter()) for _ in range(times)]
        llm.close()
    return given, server.chats


def limits_in(chats: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(name, chat[name]) for chat in chats for name in LIMITS if name in chat]


@pytest.mark.parametrize("name", CALLS)
def test_an_endpoint_that_calls_the_limit_otherwise_is_asked_so_from_then_on(name: str) -> None:
    given, chats = called(name, lambda _: Reply(GOOD), 2, refuses=["max_tokens"])
    assert given[0] == given[1] != ""
    old, *new = limits_in(chats)
    assert old == ("max_tokens", LIMIT[name])
    assert new == [("max_completion_tokens", LIMIT[name])] * 2


@pytest.mark.parametrize("name", CALLS)
def test_an_endpoint_that_takes_no_limit_still_answers(name: str) -> None:
    given, chats = called(name, lambda _: Reply(GOOD), 2, refuses=LIMITS)
    assert given[0] == given[1] != ""
    assert [[name for name in LIMITS if name in chat] for chat in chats] == [[LIMITS[0]], [LIMITS[1]], [], []]


@pytest.mark.parametrize("name", CALLS)
def test_a_limit_that_does_not_fit_beside_the_text_is_lowered_for_this_request(name: str) -> None:
    def small(request: dict[str, Any]) -> Answer:
        if request["max_tokens"] <= LIMIT[name] // 2:
            return Reply(GOOD)
        said = "This model's maximum context length is 4096 tokens. However, you requested 4500 tokens (3900 in the "
        return Failure(400, f"{said}messages, 600 in the completion).", "context_length_exceeded")

    given, chats = called(name, small)
    assert given not in ([""], [RULE_TEXT], ["Shared words."])
    assert [limit for _, limit in limits_in(chats)][-1] <= LIMIT[name] // 2


THOUGHT = {"tags": "<think>I have to look at this from", "apart": ""}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("thought", THOUGHT)
def test_a_model_that_spends_its_limit_on_thinking_gets_more_once_and_for_all(name: str, thought: str) -> None:
    def thinking(request: dict[str, Any]) -> Answer:
        if request["max_tokens"] <= LIMIT[name]:
            return Reply(THOUGHT[thought], finish_reason="length")
        return Reply(f"<think>I have looked.</think>{GOOD}")

    with OpenAiServer(thinking) as server:
        llm, meter = ChatLlm(impatient(server.base_url)), RecordingMeter()
        if name == "extract":
            with pytest.raises(ServiceError):
                extract(llm, meter)
        given = [CALLS[name](llm, meter) for _ in range(2)]
    assert given[0] == given[1]
    assert given[0] not in {"", RULE_TEXT, "Shared words."}
    raised = LIMIT[name] + THINKING_TOKENS
    assert [limit for _, limit in limits_in(server.chats)] == [LIMIT[name], raised, raised]
    assert len(meter.started) == len(meter.finished) == 3
    assert meter.reasons == []


def cut_at(llm: ChatLlm, meter: RecordingMeter) -> tuple[str, str]:
    """The text that came before the cut, and why it was made."""
    said: list[str] = []
    try:
        for piece in llm.stream(WRITE, REQUEST, meter):
            said.append(piece)
    except (ServiceError, BudgetError) as error:
        return "".join(said), error.key
    return "".join(said), ""


def turn_cut_at(llm: ChatLlm, meter: RecordingMeter) -> tuple[str, str]:
    said: list[str] = []
    try:
        turned(llm, meter, said)
    except (ServiceError, BudgetError) as error:
        return "".join(said), error.key
    return "".join(said), ""


@pytest.mark.parametrize("streamed", [cut_at, turn_cut_at])
@pytest.mark.parametrize(("fault", "key", "most"), [
    ("endless_text", "llm.too_long", 8 * 2_000 + 100), ("repeated_text", "llm.repeats", 1_000),
])  # fmt: skip
def test_an_endless_text_is_cut_where_its_limit_or_its_loop_is_seen(
    silent: Callable[[str], OpenAiServer],
    streamed: Callable[[ChatLlm, RecordingMeter], tuple[str, str]],
    fault: str,
    key: str,
    most: int,
) -> None:
    meter = RecordingMeter()
    text, cut = streamed(ChatLlm(impatient(silent(fault).base_url, stream_seconds=60.0)), meter)
    assert cut == key
    assert known(key)
    assert 0 < len(text) <= most
    ((_, _, response, usage),) = meter.finished
    assert response.startswith(text)
    assert 0 < usage.completion_tokens <= 2 * WRITE.max_tokens + 100


@pytest.mark.parametrize("streamed", [cut_at, turn_cut_at])
def test_the_budget_of_the_question_ends_a_text_under_way(
    silent: Callable[[str], OpenAiServer], streamed: Callable[[ChatLlm, RecordingMeter], tuple[str, str]]
) -> None:
    meter = RecordingMeter(max_tokens=200)
    text, cut = streamed(ChatLlm(impatient(silent("endless_text").base_url, stream_seconds=60.0)), meter)
    assert cut == "llm.budget_tokens"
    assert 0 < len(text) <= 4 * 200
    assert len(meter.finished) == 1


def test_arguments_of_a_tool_without_an_end_are_cut() -> None:
    numbers = "".join(f"{number} apples, " for number in range(5_000))
    looping = "the depth of the water near the pier of the old harbour, " * 500
    for words, key in ((numbers, "llm.too_long"), (looping, "llm.repeats")):
        call = ToolCall("search", json.dumps({"query": words}))
        with OpenAiServer([Reply(tool_calls=(call,), piece=300)]) as server:
            meter = RecordingMeter()
            assert turn_cut_at(ChatLlm(impatient(server.base_url, stream_seconds=60.0)), meter) == ("", key)
        ((_, _, _, usage),) = meter.finished
        assert 0 < usage.completion_tokens <= 2 * TURN.max_tokens + 100


def test_an_endless_answer_that_is_sent_whole_is_the_rules(silent: Callable[[str], OpenAiServer]) -> None:
    meter = RecordingMeter()
    llm = ChatLlm(impatient(silent("endless_text").base_url))
    assert judge(llm, meter) == "Shared words."

    def whole(request: dict[str, Any]) -> Answer:
        request["stream"] = False
        return FAULTS["endless_text"]()

    with OpenAiServer(whole) as server:
        assert write(ChatLlm(impatient(server.base_url)), meter) == RULE_TEXT
    assert meter.reasons == [("example_judge", "llm.invalid_output"), ("example_write", "llm.too_long")]


def test_the_next_question_finds_the_endpoint_free_after_a_cut() -> None:
    with OpenAiServer([Endless(), Reply(GOOD)]) as server:
        llm = ChatLlm(impatient(server.base_url))
        assert cut_at(llm, RecordingMeter())[1] == "llm.too_long"
        assert judge(llm, RecordingMeter()) == "It says so."
