"""Tasks done by a model: dialects, corrections, counts, limits."""

import json
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from core.models.chat import dialogue as chat_dialogue
from core.models.chat import llm as chat_llm
from core.models.chat.dialogue import ChatDialogue
from core.models.chat.endpoint_config import EndpointConfig
from core.models.chat.llm import ChatLlm
from core.models.tokens import believed
from core.platform.errors import CancelledError, ServiceError
from core.runs.model import Usage
from tests.loopback.answers import Answer, Failure, KeepAlives, Page, Reply, ToolCall
from tests.loopback.openai_server import OpenAiServer
from tests.models.chat.examples import JUDGE, REQUEST, RULE_TEXT, WRITE, RecordingMeter, impatient

GOOD = '{"verdict": true, "reason": "It says so.", "scores": []}'
KEY = "sk-test-0123456789abcdef"


def mode_of(chat: dict[str, Any]) -> str:
    return "tools" if "tools" in chat else str(chat["response_format"]["type"])


def judged(script: Any, meter: RecordingMeter, **options: Any) -> tuple[str, list[dict[str, Any]]]:
    """The reason of the judgement, and the chats that it took."""
    with OpenAiServer(script, **options) as server:
        llm = ChatLlm(impatient(server.base_url))
        reason = llm.run(JUDGE, REQUEST, meter).reason
        llm.close()
    return reason, server.chats


def written(script: Any, meter: RecordingMeter, **options: Any) -> str:
    with OpenAiServer(script, **options) as server:
        llm = ChatLlm(impatient(server.base_url))
        text = "".join(llm.stream(WRITE, REQUEST, meter))
        llm.close()
    return text


def test_the_strictest_way_is_asked_first_with_a_fixed_temperature() -> None:
    reason, chats = judged([Reply(GOOD)], RecordingMeter())
    assert reason == "It says so."
    assert [mode_of(chat) for chat in chats] == ["json_schema"]
    assert chats[0]["temperature"] == 0
    assert chats[0]["response_format"]["json_schema"]["name"] == "example_judge"
    assert chats[0]["response_format"]["json_schema"]["strict"] is True


@pytest.mark.parametrize(
    ("refuses", "modes"),
    [
        (["json_schema"], ["json_schema", "tools", "tools"]),
        (["json_schema", "tools"], ["json_schema", "tools", "json_object", "json_object"]),
    ],
)
def test_what_an_endpoint_refuses_is_found_out_once(refuses: list[str], modes: list[str]) -> None:
    with OpenAiServer([Reply(GOOD)] * 2, refuses) as server:
        llm = ChatLlm(impatient(server.base_url))
        meter = RecordingMeter()
        assert [llm.run(JUDGE, REQUEST, meter).reason for _ in range(2)] == ["It says so."] * 2
        assert [mode_of(chat) for chat in server.chats] == modes
        assert len(meter.finished) == 2
        assert meter.reasons == []


def test_a_model_without_temperature_is_asked_without() -> None:
    reason, chats = judged([Reply(GOOD)], RecordingMeter(), refuses=["temperature"])
    assert reason == "It says so."
    assert ["temperature" in chat for chat in chats] == [True, False]
    assert {mode_of(chat) for chat in chats} == {"json_schema"}


def test_a_text_too_long_is_not_asked_in_three_ways() -> None:
    refusal = Failure(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded")
    meter = RecordingMeter()
    reason, chats = judged([refusal], meter)
    assert (reason, len(chats)) == ("Shared words.", 1)
    assert meter.reasons == [("example_judge", "llm.refused")]


def test_an_invalid_answer_is_shown_to_the_model_once() -> None:
    meter = RecordingMeter()
    reason, chats = judged([Reply('{"verdict": "perhaps"}'), Reply(GOOD)], meter)
    assert reason == "It says so."
    assert meter.reasons == []
    assistant, user = chats[1]["messages"][-2:]
    assert assistant == {"role": "assistant", "content": '{"verdict": "perhaps"}'}
    assert "verdict: Input should be a valid boolean" in user["content"]
    assert "reason: Field required" in user["content"]
    assert len(meter.started) == len(meter.finished) == 2


def test_after_two_invalid_answers_the_rule_answers() -> None:
    meter = RecordingMeter()
    reason, chats = judged([Reply("I think so."), Reply("Yes!"), Reply(GOOD)], meter)
    assert (reason, len(chats)) == ("Shared words.", 2)
    assert meter.reasons == [("example_judge", "llm.invalid_output")]


def test_a_thinking_model_is_understood() -> None:
    assert judged([Reply(f"<think>Hm: {{}}</think>\n{GOOD}")], RecordingMeter())[0] == "It says so."
    assert written([Reply("<think>Let me see.</think>\n\nThe board [1].")], RecordingMeter()) == "The board [1]."


def test_usage_is_what_the_endpoint_counted() -> None:
    meter = RecordingMeter()
    written([Reply("The board runs it [1].")], meter)
    judged([Reply(GOOD)], meter)
    for _, _, response, usage in meter.finished:
        assert usage.completion_tokens == len(response) // 4
        assert usage.prompt_tokens > 0
        assert not usage.estimated


def test_usage_that_no_one_counted_is_estimated_and_marked() -> None:
    meter = RecordingMeter()
    text = written([Reply("The board runs it [1].", usage=False)], meter)
    (_, prompt, response, usage) = meter.finished[0]
    assert response == text
    assert usage == Usage(1, -(-len(prompt) // 4), 6, estimated=True)


def test_an_endpoint_without_stream_options_still_streams() -> None:
    meter = RecordingMeter()
    assert written([Reply("The board.")], meter, refuses=["stream_options"]) == "The board."
    assert meter.finished[0][3].estimated


def test_an_endpoint_that_does_not_stream_is_read_whole() -> None:
    def whole(request: dict[str, Any]) -> Answer:
        request["stream"] = False
        return Reply("The board runs it [1].")

    assert written(whole, RecordingMeter()) == "The board runs it [1]."


@pytest.mark.parametrize("answer", [Failure(500), Failure(429), Failure(429, headers={"Retry-After": "0.01"})])
def test_a_passing_failure_is_tried_again_at_once_or_almost(answer: Failure) -> None:
    started = time.monotonic()
    meter = RecordingMeter()
    assert judged([answer, answer, Reply(GOOD)], meter)[0] == "It says so."
    assert written([answer, Reply("The board.")], meter) == "The board."
    assert meter.reasons == []
    assert len(meter.finished) == 2
    assert time.monotonic() - started < 20


def test_a_pause_longer_than_anybody_waits_costs_one_wait_and_not_one_a_call() -> None:
    meter = RecordingMeter()
    with OpenAiServer(lambda _: Failure(429, headers={"Retry-After": "86400"})) as server:
        llm = ChatLlm(impatient(server.base_url, retries=5, rest_seconds=30.0))
        for _ in range(4):
            llm.run(JUDGE, REQUEST, meter)
        pause = llm.pause()
        assert len(server.chats) == 2
        assert pause is not None
        assert (pause.reason, 0 < pause.seconds <= 30) == ("llm.busy", True)
        llm.resume()
        assert llm.pause() is None
        llm.run(JUDGE, REQUEST, meter)
        assert len(server.chats) == 4
    assert {reason for _, reason in meter.reasons} == {"llm.busy"}


@pytest.mark.parametrize(
    ("reported", "kept"),
    [(Usage(1, 60, 8), True), (Usage(1, 90_000_000, 8), False), (Usage(1, 60, 90_000_000), False), (None, False)],
)
def test_usage_that_these_texts_cannot_have_cost_is_not_believed(reported: Usage | None, kept: bool) -> None:
    counted = believed(reported, "Who runs the reservoir?", "The board.")
    assert (counted == reported) is kept
    assert counted.estimated is not kept


def test_a_call_that_hangs_is_counted_as_far_as_known() -> None:
    meter = RecordingMeter()
    with OpenAiServer(lambda _: KeepAlives()) as server:
        ChatLlm(impatient(server.base_url, call_seconds=0.3)).run(JUDGE, REQUEST, meter)
    ((_, prompt, response, usage),) = meter.finished
    assert (bool(prompt), response, usage.estimated) == (True, "", True)
    assert usage.prompt_tokens > 0


@pytest.mark.parametrize("wait", ["-1", "nan", "inf", "1e400", "Fri, 31 Dec 2999 23:59:59 GMT", "soon", ""])
def test_an_absurd_retry_after_is_not_waited_for(wait: str) -> None:
    busy = Failure(429, headers={"Retry-After": wait})
    assert judged([busy, Reply(GOOD)], RecordingMeter())[0] == "It says so."


@pytest.mark.parametrize(
    ("answer", "key"),
    [
        (Failure(401), "llm.key_refused"),
        (Failure(403), "llm.key_refused"),
        (Failure(402), "llm.no_credit"),
        (Failure(404), "llm.not_found"),
        (Failure(413), "llm.refused"),
        (Failure(429, "Quota", "insufficient_quota"), "llm.no_credit"),
        (Failure(307, headers={"Location": "/v1/elsewhere"}), "llm.malformed"),
        (Page(), "llm.malformed"),
    ],
)
def test_a_lasting_failure_is_met_once_and_the_rule_answers(answer: Answer, key: str) -> None:
    meter = RecordingMeter()
    reason, chats = judged([answer, Reply(GOOD)], meter)
    assert (reason, len(chats)) == ("Shared words.", 1)
    assert meter.reasons == [("example_judge", key)]
    assert written([answer, Reply("Unread.")], meter) == RULE_TEXT
    assert meter.reasons[1] == ("example_write", key)


def test_an_endpoint_that_asks_for_a_key_says_so_when_there_is_none() -> None:
    with OpenAiServer(key="needed-0123456789") as server:
        meter = RecordingMeter()
        ChatLlm(impatient(server.base_url, api_key="")).run(JUDGE, REQUEST, meter)
        assert server.requests[0].headers["authorization"] == "Bearer no-key"
    assert meter.reasons == [("example_judge", "llm.key_missing")]


def test_a_key_of_the_environment_does_not_go_to_another_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ADMIN_KEY", KEY)
    monkeypatch.setenv("OPENAI_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_ORG_ID", "my-organisation")
    with OpenAiServer() as server:
        ChatLlm(impatient(server.base_url, api_key="")).run(JUDGE, REQUEST, RecordingMeter())
        assert KEY not in str(server.requests)


def test_without_an_endpoint_the_rule_answers_at_once_and_the_next_task_does_not_ask() -> None:
    meter = RecordingMeter()
    llm = ChatLlm(impatient("http://127.0.0.1:9/v1", rest_seconds=30.0))
    assert llm.run(JUDGE, REQUEST, meter).reason == "Shared words."
    started = time.monotonic()
    assert "".join(llm.stream(WRITE, REQUEST, meter)) == RULE_TEXT
    assert time.monotonic() - started < 5
    assert meter.started == ["example_judge"]
    assert meter.reasons == [("example_judge", "llm.unreachable"), ("example_write", "llm.unreachable")]


def test_a_used_up_budget_of_calls_leaves_the_rules() -> None:
    with OpenAiServer() as server:
        llm = ChatLlm(impatient(server.base_url))
        meter = RecordingMeter(max_calls=0)
        assert llm.run(JUDGE, REQUEST, meter).reason == "Shared words."
        assert "".join(llm.stream(WRITE, REQUEST, meter)) == RULE_TEXT
        assert meter.reasons[0] == ("example_judge", "llm.budget_calls")
        assert server.chats == []


def test_a_reader_who_leaves_early_ends_the_call_and_it_is_counted() -> None:
    with OpenAiServer([Reply("word " * 1000, pause_seconds=0.05), Reply(GOOD)]) as server:
        llm, meter = ChatLlm(impatient(server.base_url)), RecordingMeter()
        stream = llm.stream(WRITE, REQUEST, meter)
        first = next(stream)
        stream.close()  # type: ignore[attr-defined]  # it is a generator
        assert [(task, response) for task, _, response, _ in meter.finished] == [("example_write", first)]
        assert llm.run(JUDGE, REQUEST, meter).reason == "It says so."


def test_one_connection_serves_all_calls() -> None:
    with OpenAiServer() as server:
        llm = ChatLlm(impatient(server.base_url))
        for _ in range(3):
            llm.run(JUDGE, REQUEST, RecordingMeter())
            list(llm.stream(WRITE, REQUEST, RecordingMeter()))
        assert len({request.client_port for request in server.requests}) == 1


def test_an_endpoint_that_lingers_after_its_answer_is_not_waited_for() -> None:
    started, meter = time.monotonic(), RecordingMeter()
    assert written([Reply("The board.", linger_seconds=30.0)], meter) == "The board."
    assert time.monotonic() - started < 20
    assert meter.reasons == []


def test_probe_takes_one_token_and_gives_its_seconds() -> None:
    with OpenAiServer([Reply("ok")]) as server:
        assert 0 < ChatLlm(impatient(server.base_url)).probe() < 5
        assert server.chats[0]["max_tokens"] == 1
    with OpenAiServer([Reply("ok")], refuses=["max_tokens"]) as server:
        assert ChatLlm(impatient(server.base_url)).probe() > 0


def test_probe_raises_with_the_remedy_and_without_the_key() -> None:
    with (
        OpenAiServer([Failure(401, f"Incorrect API key provided: {KEY}.")]) as server,
        pytest.raises(ServiceError, match="Check it in Settings, or check LLM_API_KEY") as caught,
    ):
        ChatLlm(impatient(server.base_url)).probe()
    shown = "".join(traceback.format_exception(caught.value))
    assert "Incorrect API key provided: [secret removed]" in shown
    assert KEY not in shown


def test_a_probe_that_works_ends_the_rest() -> None:
    with OpenAiServer([Failure(401), Reply("ok"), Reply(GOOD)]) as server:
        llm = ChatLlm(impatient(server.base_url, rest_seconds=30.0))
        assert llm.run(JUDGE, REQUEST, RecordingMeter()).reason == "Shared words."
        llm.probe()
        assert llm.run(JUDGE, REQUEST, RecordingMeter()).reason == "It says so."


@pytest.mark.parametrize("answer", [Failure(401, f"Wrong: {KEY}"), Failure(400, f"Bad: {KEY}"), Failure(500, KEY)])
def test_no_key_in_logs_events_or_errors(answer: Answer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    meter = RecordingMeter()
    judged([answer] * 9, meter)
    assert meter.reasons
    assert KEY not in caplog.text + str(meter.reasons) + str(meter.finished) + repr(impatient("http://x/v1"))


def test_a_key_that_the_model_repeats_is_not_recorded() -> None:
    meter = RecordingMeter()
    judged([Reply(json.dumps({"verdict": True, "reason": f"The key is {KEY}", "scores": []}))], meter)
    assert KEY not in str(meter.finished)


def test_the_stop_reaches_a_model_that_is_silent(silent: Callable[[str], OpenAiServer]) -> None:
    for fault in ("slow_headers", "keep_alives"):
        llm = ChatLlm(impatient(silent(fault).base_url, call_seconds=30.0, stream_seconds=30.0))
        llm._dialogue()
        started = time.monotonic()
        with pytest.raises(CancelledError):
            llm.run(JUDGE, REQUEST, RecordingMeter(stop_after_checks=3))
        with pytest.raises(CancelledError):
            list(llm.stream(WRITE, REQUEST, RecordingMeter(stop_after_checks=3)))
        assert time.monotonic() - started < 20


def test_an_agent_shares_the_client_and_can_call_tools() -> None:
    @tool
    def look_up(name: str) -> str:
        """Look a name up."""
        return f"{name} is a dam."

    call = Reply(tool_calls=(ToolCall("look_up", '{"name": "Alta"}'),), finish_reason="tool_calls", piece=3)
    with OpenAiServer([call, call, Reply("Alta is a dam.")]) as server:
        model = ChatLlm(impatient(server.base_url))._dialogue().endpoint.chat_model.bind_tools([look_up])
        whole = model.invoke("What is Alta?")
        assert whole.tool_calls[0]["args"] == {"name": "Alta"}
        streamed = list(model.stream("What is Alta?"))
        joined = sum(streamed[1:], streamed[0])
        assert isinstance(joined, AIMessage)
        assert joined.tool_calls[0]["args"] == {"name": "Alta"}
        result = look_up.invoke(whole.tool_calls[0])
        assert model.invoke([("user", "What is Alta?"), whole, result]).content == "Alta is a dam."


def test_the_seconds_of_a_test_are_the_models_own_without_the_making_of_its_client(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    happened: list[str] = []

    class Opened(ChatDialogue):
        def __init__(self, config: EndpointConfig) -> None:
            happened.append("opened")
            super().__init__(config)

    def clock() -> float:
        happened.append("clock")
        return time.monotonic()

    monkeypatch.setattr(chat_dialogue, "ChatDialogue", Opened)
    monkeypatch.setattr(chat_llm, "time", SimpleNamespace(monotonic=clock))
    with OpenAiServer([Reply("y")]) as server:
        ChatLlm(impatient(server.base_url)).probe()
    assert happened == ["opened", "clock", "clock"]


@pytest.mark.parametrize("refuses", [[], ["logprobs"]])
@pytest.mark.parametrize("is_small", [True, False])
def test_of_a_small_model_it_is_kept_how_sure_it_was(is_small: bool, refuses: list[str]) -> None:
    meter = RecordingMeter()
    with OpenAiServer(lambda _: Reply("The board runs it.", log_probability=-0.25), refuses) as server:
        llm = ChatLlm(impatient(server.base_url, small=is_small))
        assert "".join(llm.stream(WRITE, REQUEST, meter)) == "The board runs it."
        llm.close()
    assert meter.certainties == {WRITE.name: -0.25 if is_small and not refuses else None}


def test_a_small_model_is_not_asked_what_the_rule_knows_better() -> None:
    with OpenAiServer([Reply(GOOD)]) as server:
        llm = ChatLlm(impatient(server.base_url, small=True))
        assert llm.run(replace(JUDGE, for_small=False), REQUEST, RecordingMeter()).reason == "Shared words."
        assert not server.chats
        assert llm.run(JUDGE, REQUEST, RecordingMeter()).reason == "It says so."
        llm.close()


def test_a_model_reads_as_many_passages_as_it_may() -> None:
    two = replace(REQUEST, passages=REQUEST.passages * 2)
    with OpenAiServer([Reply("Yes."), Reply("Yes.")]) as server:
        for most in (0, 10):
            llm = ChatLlm(impatient(server.base_url, passage_tokens=most))
            assert "".join(llm.stream(WRITE, two, RecordingMeter())) == "Yes."
            llm.close()
    assert ["[2]" in chat["messages"][1]["content"] for chat in server.chats] == [True, False]
