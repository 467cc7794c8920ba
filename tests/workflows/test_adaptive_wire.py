"""The default workflow with a model over its real wire protocol: few calls, and the rules where it fails."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from core.adapters.chat_llm import ChatLlm
from core.domain.events import Degraded, ModelCalled
from core.domain.runs import AnswerOutcome, RunStatus
from core.llm.endpoint_config import EndpointConfig
from core.runs.budget import Budget, RunMeter
from core.runs.runner import Emit, Execution, execute
from core.runs.view import RunView, fold
from core.state import Deps
from core.workflows.registry import workflow_named
from core.workflows.workflow import compile_workflow
from tests.fakes import World, state_of
from tests.loopback.openai_server import OpenAiServer


class Never:
    def requested(self) -> bool:
        return False


@pytest.fixture
def server() -> Iterator[OpenAiServer]:
    with OpenAiServer() as made:
        yield made


def ask(world: World, llm: ChatLlm, question: str) -> RunView:
    graph = compile_workflow(workflow_named("adaptive"))

    def deps(emit: Emit) -> Deps:
        return replace(world.deps(emit), llm=llm, meter=RunMeter(Budget(), emit, Never()))

    execute(Execution(lambda: graph, state_of(question), deps), world.events.append)
    return fold(world.events)


def llm_of(base_url: str) -> ChatLlm:
    return ChatLlm(EndpointConfig(base_url, "loopback-model", retries=0, call_seconds=10, stream_seconds=10))


@pytest.mark.parametrize("question", ["Who developed KelpNet?", "校准层是什么？"])
def test_a_clear_question_takes_one_call_and_is_answered_with_citations(
    world: World, server: OpenAiServer, question: str
) -> None:
    view = ask(world, llm_of(server.base_url), question)
    assert view.outcome == AnswerOutcome.ANSWERED.value
    assert view.citations
    assert view.usage.model_calls == 1
    assert [event.task for event in world.of(ModelCalled) if isinstance(event, ModelCalled)] == ["generate"]


def test_an_endpoint_out_of_reach_leaves_the_rules_answer(world: World) -> None:
    view = ask(world, llm_of("http://127.0.0.1:9/v1"), "Who developed KelpNet?")
    assert (view.status, view.outcome) == (RunStatus.DONE, AnswerOutcome.ANSWERED.value)
    assert "“KelpNet is a neural network" in view.answer
    assert [event.task for event in world.of(Degraded) if isinstance(event, Degraded)] == ["generate"]
