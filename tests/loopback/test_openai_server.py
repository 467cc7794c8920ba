"""The OpenAI double speaks the protocol that the official client understands, and refuses what real servers refuse."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import openai
import pytest
from pydantic import BaseModel

from core.models.chat.dialect import MODES, structured
from tests.loopback.answers import FAULTS, Reply, ToolCall
from tests.loopback.openai_server import DIMENSION, OpenAiServer

ROOT = Path(__file__).parents[2]
USER = [{"role": "user", "content": "<passages>\n[1] a.pdf, page 1\nIt rains. It pours.\n</passages>"}]


class Choice(BaseModel):
    route: str
    kept: list[int]
    blocked: bool
    confidence: float


def client_of(base_url: str) -> Any:
    """The official client, untyped: what is sent here is wrong on purpose now and then."""
    return openai.OpenAI(base_url=base_url, api_key="k", max_retries=0)


def test_models_and_embeddings() -> None:
    with OpenAiServer() as server:
        client = client_of(server.base_url)
        assert [model.id for model in client.models.list()] == ["loopback-model"]
        packed = client.embeddings.create(model="m", input=["a dam", "a dam", "rain"]).data
        plain = client.embeddings.create(model="m", input="a dam", encoding_format="float").data
    assert packed[0].embedding == packed[1].embedding != packed[2].embedding
    assert len(packed[0].embedding) == DIMENSION
    assert plain[0].embedding == pytest.approx(packed[0].embedding)
    assert sum(x * x for x in plain[0].embedding) == pytest.approx(1)


def test_a_stream_of_tool_calls_and_its_usage() -> None:
    reply = Reply(tool_calls=(ToolCall("look_up", '{"name": "Alta"}'),), finish_reason="tool_calls", piece=5)
    tools = [{"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}]
    with OpenAiServer([reply]) as server:
        stream = client_of(server.base_url).chat.completions.create(
            model="m", messages=USER, tools=tools, stream=True, stream_options={"include_usage": True}
        )
        chunks = list(stream)
    deltas = [chunk.choices[0].delta.tool_calls or [] for chunk in chunks if chunk.choices]
    arguments = "".join(part.function.arguments or "" for delta in deltas for part in delta if part.function)
    assert json.loads(arguments) == {"name": "Alta"}
    assert chunks[-2].choices[0].finish_reason == "tool_calls"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens > 0


def test_answers_are_made_from_the_prompt() -> None:
    with OpenAiServer() as server:
        answer = client_of(server.base_url).chat.completions.create(model="m", messages=USER)
        assert answer.choices[0].message.content == "It rains. [1]"


@pytest.mark.parametrize("mode", MODES)
def test_structured_answers_fit_the_schema_in_every_mode(mode: str) -> None:
    messages = [{"role": "system", "content": "Choose."}, *USER]
    request = structured(next(it for it in MODES if it == mode), "choose", Choice, messages)
    with OpenAiServer() as server:
        message = client_of(server.base_url).chat.completions.create(model="m", **request).choices[0].message
    text = message.tool_calls[0].function.arguments if message.tool_calls else message.content
    choice = Choice.model_validate_json(text)
    assert choice.kept == [1]
    assert choice.blocked is False


@pytest.mark.parametrize(
    "request_body",
    [
        {"messages": []},
        {"messages": [{"role": "tool", "tool_call_id": "c1", "content": "x"}]},
        {"messages": [{"role": "user", "content": "x"}], "response_format": {"type": "json_object"}},
        {
            "messages": [{"role": "user", "content": "x"}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}},
        },
    ],
)
def test_what_real_servers_refuse_is_refused(request_body: dict[str, object]) -> None:
    with OpenAiServer() as server, pytest.raises(openai.BadRequestError):
        client_of(server.base_url).chat.completions.create(model="m", **request_body)


def test_an_agent_loop_ends_with_an_answer_and_an_endless_one_does_not() -> None:
    tools = [{"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}]
    for script, ends in ((None, True), (lambda _: FAULTS["endless_tool_calls"](), False)):
        with OpenAiServer(script) if script else OpenAiServer() as server:
            client, messages = client_of(server.base_url), list(USER)
            for _ in range(3):
                answer = client.chat.completions.create(model="m", messages=messages, tools=tools)
                message = answer.choices[0].message
                if not message.tool_calls:
                    break
                result = {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "It is a dam."}
                messages += [message.model_dump(exclude_none=True), result]
            assert bool(message.content) is ends


def test_it_runs_as_a_process() -> None:
    command = [sys.executable, "-m", "tests.loopback.openai_server", "--fault", "server_error"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        with pytest.raises(openai.InternalServerError):
            client_of(url).chat.completions.create(model="m", messages=USER)
        process.terminate()
