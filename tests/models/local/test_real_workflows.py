"""Every workflow with a model in the flesh, in two languages: it answers or declines, and nothing breaks."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from core.models.chat.llm import ChatLlm
from core.runs.events import AnswerDelta
from core.runs.model import AnswerOutcome, RunStatus
from tests.agents.systems.conftest import run, two_documents, with_edges
from tests.fakes.models import FakeMeter

pytestmark = [pytest.mark.real_model, pytest.mark.timeout(200)]
CALL_SECONDS, MOST_CALLS = 20.0, 6
WRONG_REPLIES = {
    "llm.budget_calls",
    "llm.invalid_output",
    "llm.empty",
    "llm.repeats",
    "llm.too_long",
    "llm.cut_short",
    "llm.timeout",
}
"""What ends a call of such a model; the rules stand in for it."""
ASKED = [
    ("adaptive", "Who developed KelpNet?"),
    ("adaptive", "观测站的食堂几点开饭？"),
    ("memory_loop", "校准层是什么？"),
    ("guarded", "Which company insures the buoys?"),
    ("planner", "How often is each buoy calibrated?"),
    ("tool_loop", "谁是站长？"),
    ("graph_react", "What is related to KelpNet?"),
]


@pytest.fixture(scope="module")
def brief_llm(real_llm: ChatLlm) -> Iterator[ChatLlm]:
    """A model of this size often writes on and on."""
    made = ChatLlm(replace(real_llm.config, call_seconds=CALL_SECONDS, stream_seconds=CALL_SECONDS))
    yield made
    made.close()


@pytest.mark.parametrize(("workflow", "question"), ASKED)
def test_every_workflow_answers_or_declines(brief_llm: ChatLlm, workflow: str, question: str) -> None:
    world = with_edges(two_documents())
    world.meter = meter = FakeMeter(max_calls=MOST_CALLS)
    view = run(workflow, world, question, llm=brief_llm, language="en" if question.isascii() else "zh-hans")
    assert view.status is RunStatus.DONE
    assert view.answer.strip()
    assert view.citations or view.outcome != AnswerOutcome.ANSWERED.value or workflow == "graph_react"
    assert meter.calls
    assert {reason for _, reason in meter.degradations} <= WRONG_REPLIES
    assert '"arguments"' not in "".join(event.text for event in world.events if isinstance(event, AnswerDelta))
    assert bool(meter.tools) == (workflow in {"planner", "tool_loop", "graph_react"})
