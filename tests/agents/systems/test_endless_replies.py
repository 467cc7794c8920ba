"""A model that never stops writing: the question keeps to its budget, and what is stored of the answer to its limit."""

import json
from dataclasses import asdict
from typing import Any

import pytest

from core.agents.nodes.agent.graph_answer import GRAPH_ANSWER
from core.agents.workflows.registry import workflows
from core.platform.texts import text
from core.runs.events import AnswerReady
from core.runs.execution.budget import Budget
from core.runs.model import AnswerOutcome, RunStatus
from tests.agents.systems.conftest import SystemWorld, run
from tests.agents.systems.models import model_at, sensible
from tests.loopback.answers import FAULTS, Answer, Endless
from tests.loopback.openai_server import OpenAiServer

WORKFLOWS = list(workflows())
QUESTION = "Who developed KelpNet?"
MOST_STORED = 8 * GRAPH_ANSWER.max_tokens
"""Characters of an answer: twice its limit, of four characters each."""
MARGIN = 1_000
"""Characters of the sentence that says why it ends, and of tokens begun."""
TOLD = {AnswerOutcome.UNCONFIRMED: "answer.interrupted", AnswerOutcome.ANSWERED: "answer.by_rules"}
"""What is said of an answer that was cut, or of the one that the rules put in its place."""
KEYS = {"endless_text": "llm.too_long", "repeated_text": "llm.repeats"}


def writing(request: dict[str, Any], fault: Answer) -> Answer:
    reply = sensible(request)
    return reply if reply.tool_calls or "response_format" in request else fault


@pytest.mark.parametrize("workflow", WORKFLOWS)
@pytest.mark.parametrize("fault", KEYS)
def test_what_is_stored_of_an_endless_answer_is_limited_and_said_to_be_incomplete(
    walked: SystemWorld, workflow: str, fault: str
) -> None:
    walked.budget = Budget(max_seconds=120)
    with (
        OpenAiServer(lambda request: writing(request, FAULTS[fault]())) as server,
        model_at(server, stream_seconds=60.0) as model,
    ):
        view = run(workflow, walked, QUESTION, llm=model)
    assert view.status is RunStatus.DONE
    assert view.usage.completion_tokens < Budget().max_tokens
    assert text(TOLD[AnswerOutcome(view.outcome)], "en") in view.answer
    assert len(view.answer) < MOST_STORED + MARGIN
    assert KEYS[fault] in {one.reason for step in view.steps for one in step.degraded}
    ready = [event for event in walked.events if isinstance(event, AnswerReady)]
    assert all(len(event.text) < MOST_STORED + MARGIN for event in ready)
    assert len(json.dumps([asdict(event) for event in walked.events], default=str)) < 10 * MOST_STORED


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_a_question_whose_model_never_stops_keeps_to_its_budget_of_tokens(walked: SystemWorld, workflow: str) -> None:
    walked.budget = Budget(max_tokens=2_000, max_seconds=120)
    with (
        OpenAiServer(lambda request: writing(request, Endless())) as server,
        model_at(server, stream_seconds=60.0) as model,
    ):
        view = run(workflow, walked, QUESTION, llm=model)
    assert view.status is RunStatus.DONE
    assert text(TOLD[AnswerOutcome(view.outcome)], "en") in view.answer
    assert view.usage.completion_tokens < 2_000 + MARGIN
    assert "llm.budget_tokens" in {one.reason for step in view.steps for one in step.degraded}
