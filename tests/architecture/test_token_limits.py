"""Every request that any task or caller sends to a model carries a limit of tokens."""

from collections.abc import Iterator
from dataclasses import MISSING, fields
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from core.documents.extraction.langextract.reader import MOST_ANSWERED, ask
from core.models.agent_ports import AgentTask, ModelTurn, ToolSchema, ToolUse, TurnRequest
from core.models.chat.llm import ChatLlm
from core.models.tasks import Task
from tests.architecture.test_prompts import AnyTask, request_type, tasks
from tests.loopback.openai_server import OpenAiServer
from tests.models.chat.examples import RecordingMeter, impatient

SEARCH = ToolSchema("search", "Searches.", {"type": "object", "properties": {"query": {"type": "string"}}}, bool)


class Host:
    """AgentHost with one tool."""

    tools = (SEARCH,)
    history = ()
    max_turns = 4

    def begin_turn(self) -> bool:
        return True

    def say(self, piece: str) -> None:
        """Nobody reads it."""

    def on_turn_end(self, turn: ModelTurn) -> ModelTurn:
        return turn

    def call(self, use: ToolUse) -> str:
        return f"Nothing about {use.arguments}."


def example(kind: Any) -> Any:
    """A value of a field of a request."""
    plain = {str: "buoys", int: 1, float: 0.5, bool: False}
    return plain[kind] if kind in plain else (get_origin(kind) or get_args(kind)[0])()


def request_of(task: AnyTask) -> Any:
    kind = request_type(task)
    hints = get_type_hints(kind)
    lacking = [field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING]
    return kind(**{name: example(hints[name]) for name in lacking})


@pytest.fixture
def server() -> Iterator[OpenAiServer]:
    with OpenAiServer() as opened:
        yield opened


def asked(llm: ChatLlm, task: AnyTask) -> None:
    """Has the model do the task, in every way in which models are asked to."""
    request, meter = request_of(task), RecordingMeter()
    if isinstance(task, Task):
        llm.run(task, request, meter)
    elif isinstance(task, AgentTask):
        agent = llm.agent()
        assert agent is not None
        agent.run(task, request, Host(), meter)
        agent.turn(task, request, TurnRequest((SEARCH,), (), (), lambda _: None), meter)
    else:
        "".join(llm.stream(task, request, meter))


@pytest.mark.parametrize("task", [task for _, task in tasks()], ids=lambda task: task.name)
def test_the_limit_of_a_task_reaches_the_server(server: OpenAiServer, task: AnyTask) -> None:
    llm = ChatLlm(impatient(server.base_url))
    asked(llm, task)
    llm.close()
    assert server.chats
    assert {chat.get("max_tokens") for chat in server.chats} == {task.max_tokens}
    assert 0 < task.max_tokens <= 3_000


def test_the_limit_of_an_extraction_reaches_the_server(server: OpenAiServer) -> None:
    prompt = 'Names as JSON: {"extractions": []}\nQ: KelpNet\nA: '
    ask(ChatLlm(impatient(server.base_url)), prompt, 4_000, RecordingMeter())
    assert [chat.get("max_tokens") for chat in server.chats] == [MOST_ANSWERED * 4_000]
