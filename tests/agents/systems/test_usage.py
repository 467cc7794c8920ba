"""What a run counts: the calls and tokens of its steps, of the whole run, and of the server are the same."""

from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import pytest

from core.agents.workflows.registry import workflows
from core.platform.errors import RetryableServiceError
from core.runs.events import AnswerDelta, RunFinished, RunStopped
from core.runs.execution.budget import Budget
from core.runs.history.view import RunView
from core.runs.model import RunStatus, Usage
from tests.agents.systems.conftest import SystemWorld, every_pair, run
from tests.agents.systems.models import WRITTEN, model_at, sensible
from tests.loopback.answers import Answer, Cut, Reply
from tests.loopback.derived import derived_reply
from tests.loopback.openai_server import OpenAiServer

WORKFLOWS = list(workflows())
QUESTIONS = ["Who developed KelpNet?", "What is the upkeep of buoys about?", "数据该怎么校正？"]


@pytest.fixture
def metered(walked: SystemWorld) -> SystemWorld:
    walked.budget = Budget()
    return walked


def counted_by(server: OpenAiServer) -> Usage:
    sent = [Usage(1, it["prompt_tokens"], it["completion_tokens"]) for it in server.counted]
    return reduce(add, sent, Usage())


def of_steps(view: RunView) -> Usage:
    for step in view.steps:
        assert step.usage == reduce(add, (call.usage for call in step.calls), Usage()), step.node
    return reduce(add, (step.usage for step in view.steps), Usage())


@pytest.mark.parametrize(("workflow", "question", "refuses"), every_pair(WORKFLOWS, QUESTIONS, [(), ("tools",)]))
def test_steps_run_and_server_count_the_same(
    metered: SystemWorld, workflow: str, question: str, refuses: tuple[str, ...]
) -> None:
    with OpenAiServer(refuses=refuses) as server, model_at(server) as model:
        view = run(workflow, metered, question, llm=model)
    finished = metered.events[-1]
    assert isinstance(finished, RunFinished)
    assert view.usage == finished.usage == of_steps(view) == counted_by(server)
    assert view.usage.model_calls or not server.chats
    assert all(step.seconds is not None and step.seconds >= sum(it.seconds for it in step.calls) for step in view.steps)


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_a_clear_question_is_counted_at_all(metered: SystemWorld, workflow: str) -> None:
    with OpenAiServer() as server, model_at(server) as model:
        view = run(workflow, metered, QUESTIONS[0], llm=model)
    assert view.usage.model_calls >= 1
    assert view.usage.prompt_tokens > view.usage.completion_tokens > 0
    assert not view.usage.estimated


@pytest.mark.parametrize("workflow", WORKFLOWS)
@pytest.mark.parametrize("question", QUESTIONS[:2])
def test_what_the_server_does_not_count_is_estimated_and_said_to_be(
    metered: SystemWorld, workflow: str, question: str
) -> None:
    def uncounted(request: dict[str, Any]) -> Answer:
        return replace(derived_reply(request), usage=False)

    with OpenAiServer(uncounted) as server, model_at(server) as model:
        view = run(workflow, metered, question, llm=model)
    assert server.counted == []
    assert view.usage == of_steps(view)
    assert view.usage.model_calls == len(server.chats)
    assert view.usage.estimated
    assert view.usage.prompt_tokens > view.usage.completion_tokens > 0
    assert {step.usage.estimated for step in view.steps if step.calls} == {True}
    assert not any(step.usage.estimated for step in view.steps if not step.calls)


@pytest.mark.parametrize(
    ("workflow", "question", "history"),
    [
        ("adaptive", "and the maker of it?", ("What is the network?", "A network [1].")),
        ("memory_loop", QUESTIONS[1], ()),
        ("guarded", "Which days matter for the crew?", ()),
        ("planner", QUESTIONS[1], ()),
        ("tool_loop", QUESTIONS[0], ()),
    ],
)
def test_a_run_that_fails_keeps_what_it_had_spent(
    metered: SystemWorld, workflow: str, question: str, history: tuple[str, ...]
) -> None:
    metered.retriever.failure = RetryableServiceError("retrieval.index_busy")

    def deciding(request: dict[str, Any]) -> Reply:
        reply = derived_reply(request)
        return replace(reply, text=reply.text.replace('"direct"', '"hierarchical_search"'))

    with OpenAiServer(deciding) as server, model_at(server) as model:
        view = run(workflow, metered, question, history, model)
    assert view.status is RunStatus.FAILED
    assert view.usage.model_calls >= 1
    assert view.usage == of_steps(view) == counted_by(server)


@dataclass
class Reader:
    """Stops the run as soon as some of an answer is shown."""

    world: SystemWorld

    def requested(self) -> bool:
        return any(isinstance(event, AnswerDelta) for event in self.world.events)


@pytest.mark.parametrize("workflow", [name for name in WORKFLOWS if name != "guarded"])  # it shows nothing meanwhile
def test_a_run_that_is_stopped_while_it_writes_counts_the_call(metered: SystemWorld, workflow: str) -> None:
    metered.cancel = Reader(metered)
    with OpenAiServer(sensible) as server, model_at(server) as model:
        view = run(workflow, metered, QUESTIONS[0], llm=model)
    assert view.status is RunStatus.STOPPED
    assert view.usage == of_steps(view)
    assert view.usage.model_calls == len(server.chats)
    assert isinstance(metered.events[-1], RunStopped)


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_an_answer_that_breaks_off_is_counted(metered: SystemWorld, workflow: str) -> None:
    def breaking(request: dict[str, Any]) -> Answer:
        reply = sensible(request)
        return Cut("KelpNet was developed by Lena Vogt [1]. It") if reply.text in WRITTEN.values() else reply

    with OpenAiServer(breaking) as server, model_at(server) as model:
        view = run(workflow, metered, QUESTIONS[0], llm=model)
    assert view.usage == of_steps(view)
    assert view.usage.model_calls == len(server.chats)
    assert view.usage.estimated
