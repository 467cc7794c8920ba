"""The form of structured answers, found out or set by a person (LLM_OUTPUT)."""

from typing import Any

import pytest

from core.models.chat.dialect import MODES, Mode
from core.models.chat.llm import ChatLlm
from core.platform.errors import ServiceError
from core.platform.texts import text
from tests.loopback.answers import Failure, Reply
from tests.loopback.openai_server import OpenAiServer
from tests.models.chat.examples import JUDGE, REQUEST, WRITE, RecordingMeter, impatient

GOOD = Reply('{"verdict": true, "reason": "It says so.", "scores": []}')
SERVERS: dict[str, tuple[Mode, ...]] = {
    "strict": MODES,
    "function only": (Mode.FUNCTION,),
    "json_object only": (Mode.JSON_OBJECT,),
}
"""What each kind of server takes."""
PARTS = {Mode.JSON_SCHEMA: "json_schema", Mode.FUNCTION: "tools", Mode.JSON_OBJECT: "json_object"}


def refused_by(kind: str) -> list[str]:
    return [PARTS[mode] for mode in MODES if mode not in SERVERS[kind]]


def modes_of(chats: list[dict[str, Any]]) -> list[str]:
    return ["tools" if "tools" in chat else str(chat["response_format"]["type"]) for chat in chats]


@pytest.mark.parametrize("kind", SERVERS)
@pytest.mark.parametrize("mode", [None, *MODES])
def test_a_set_form_is_the_only_one_asked_for(kind: str, mode: Mode | None) -> None:
    meter = RecordingMeter()
    with OpenAiServer(lambda _: GOOD, refused_by(kind)) as server:
        llm = ChatLlm(impatient(server.base_url, output=mode))
        reason = llm.run(JUDGE, REQUEST, meter).reason
        llm.close()
    fits = mode is None or mode in SERVERS[kind]
    assert reason == ("It says so." if fits else "Shared words.")
    assert meter.reasons == ([] if fits else [("example_judge", "llm.output_unfit")])
    asked = [PARTS[mode]] if mode else [PARTS[it] for it in MODES[: MODES.index(SERVERS[kind][0]) + 1]]
    assert modes_of(server.chats) == asked


@pytest.mark.parametrize("key", ["llm.output_unfit", "llm.invalid_output"])
def test_the_setting_is_the_remedy(key: str) -> None:
    assert all("LLM_OUTPUT" in text(key, language) for language in ("en", "zh-hans", "zh-hant"))


def test_an_endpoint_that_ignores_the_set_form_leaves_the_rule() -> None:
    meter = RecordingMeter()
    with OpenAiServer(lambda _: Reply("I think so.")) as server:
        llm = ChatLlm(impatient(server.base_url, output=Mode.JSON_SCHEMA))
        assert llm.run(JUDGE, REQUEST, meter).reason == "Shared words."
        with pytest.raises(ServiceError) as caught:
            llm.probe()
        llm.close()
    assert meter.reasons == [("example_judge", "llm.invalid_output")]
    assert caught.value.key == "llm.output_unfit"


@pytest.mark.parametrize(
    ("said", "key"),
    [("This model's maximum context length is 8192 tokens.", "llm.refused"), ("Image input is off.", "llm.refused")],
)
def test_what_is_refused_for_another_reason_does_not_blame_the_form(said: str, key: str) -> None:
    meter = RecordingMeter()
    with OpenAiServer([Failure(400, said)]) as server:
        llm = ChatLlm(impatient(server.base_url, output=Mode.FUNCTION))
        llm.run(JUDGE, REQUEST, meter)
        llm.close()
    assert meter.reasons == [("example_judge", key)]


def test_a_set_form_bears_a_model_without_temperature() -> None:
    with OpenAiServer(lambda _: GOOD, ["temperature"]) as server:
        llm = ChatLlm(impatient(server.base_url, output=Mode.JSON_OBJECT))
        assert llm.run(JUDGE, REQUEST, RecordingMeter()).reason == "It says so."
        llm.close()
    assert modes_of(server.chats) == ["json_object", "json_object"]


def test_texts_are_written_whatever_the_form_of_decisions() -> None:
    with OpenAiServer(lambda _: Reply("The board."), ["json_schema", "stream_options"]) as server:
        llm = ChatLlm(impatient(server.base_url, output=Mode.JSON_SCHEMA))
        assert "".join(llm.stream(WRITE, REQUEST, RecordingMeter())) == "The board."
        llm.close()


@pytest.mark.parametrize("kind", SERVERS)
@pytest.mark.parametrize("mode", MODES)
def test_a_probe_tries_the_set_form(kind: str, mode: Mode) -> None:
    with OpenAiServer(refuses=refused_by(kind)) as server:
        llm = ChatLlm(impatient(server.base_url, output=mode))
        if mode in SERVERS[kind]:
            assert llm.probe() > 0
        else:
            with pytest.raises(ServiceError, match="LLM_OUTPUT"):
                llm.probe()
        llm.close()
