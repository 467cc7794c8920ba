"""Every misbehaviour of a model's endpoint in every workflow: an answer or a sentence, in time, and marked."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import cycle
from typing import Any

import pytest

from core.agents.workflows.registry import workflows
from core.models.chat import deadline
from core.platform.texts import known, text
from core.runs.events import AnswerDelta, Degraded
from core.runs.execution.budget import Budget
from core.runs.history.view import RunView
from core.runs.model import AnswerOutcome, RunStatus
from tests.agents.systems.conftest import SystemWorld, every_pair, half_slow, run, two_documents, with_edges
from tests.agents.systems.models import model_at, sensible
from tests.fakes import RuleLlm
from tests.loopback.answers import FAULTS, Answer, Cut, KeepAlives, Reply, ToolCall
from tests.loopback.openai_server import OpenAiServer

DEADLINE = 0.4
"""Seconds of a call that would go on for ever."""
FIRST_WORDS = 2.0
"""In which an answer has begun, also on a busy machine, and has not yet been cut because it repeats itself."""
PATIENCE = 5.0
MARGIN = 30.0
"""Seconds that a busy machine may add."""
MOST_DECISIONS = 6
ENDLESS = {"slow_headers", "slow_tokens", "keep_alives"}
CLEAR, VAGUE = "校准层是什么？", "What is the upkeep of buoys about?"
"""A model only writes; a model has to decide."""
NO_ANSWER = {"llm.empty", "llm.invalid_output", "llm.budget_repeats"}
SAYS_NOTHING = {
    "unauthorized": {"llm.key_refused"},
    "rate_limited": {"llm.busy"},
    "rate_limited_absurdly": {"llm.busy"},
    "server_error": {"llm.unavailable"},
    "html": {"llm.malformed"},
    "slow_headers": {"llm.timeout"},
    "keep_alives": {"llm.timeout"},
    "empty": NO_ANSWER,
    "unknown_tool": NO_ANSWER,
    "wrong_arguments": NO_ANSWER,
    "broken_arguments": NO_ANSWER,
    "endless_tool_calls": NO_ANSWER,
    "cut_tool_call": {"llm.interrupted"},
    "tool_call_without_end": {"llm.interrupted", "llm.invalid_output"},
}
"""Faults that leave no word of an answer, and why the rule answers for the model."""
BEGUN = {
    "Who developed KelpNet?": "KelpNet was developed by Lena Vogt [1]. It estim",
    "校准层是什么？": "校准层是指KelpNet中为每个浮标单独拟合的一组参数 [1]。它由",
    "hello": "Hello! I can an",
}
BREAKS_OFF: dict[str, Callable[[str], Answer]] = {
    "cut": Cut,
    "no_finish_reason": lambda begun: Reply(begun, finish_reason=None),
    "length": lambda begun: Reply(begun, finish_reason="length"),
    "slow_tokens": lambda begun: Reply(begun * 40, piece=len(begun), pause_seconds=0.3),
}
WORKFLOWS = list(workflows())
AGENTS = ["graph_react", "tool_loop"]


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """Importing the libraries is not the endpoint's time."""
    import_module("core.models.chat.agent_loop")
    import_module("core.models.chat.dialogue")


@pytest.fixture
def metered(walked: SystemWorld) -> SystemWorld:
    walked.budget = Budget()
    return walked


def degraded(world: SystemWorld) -> set[str]:
    return {event.reason for event in world.events if isinstance(event, Degraded)}


@cache
def answered_by_rules(workflow: str, question: str) -> RunView:
    return run(workflow, with_edges(two_documents()), question, llm=RuleLlm())


@pytest.mark.parametrize(
    ("workflow", "fault", "question"), half_slow(every_pair(WORKFLOWS, SAYS_NOTHING, [VAGUE, CLEAR]))
)
def test_without_a_word_of_the_model_the_rules_answer(
    metered: SystemWorld, workflow: str, fault: str, question: str
) -> None:
    seconds, rest = (DEADLINE, 15.0) if fault in ENDLESS else (PATIENCE, 0.0)
    by_rules = answered_by_rules(workflow, question)  # compiles and loads, which is not the endpoint's time
    with (
        OpenAiServer(lambda _: FAULTS[fault]()) as server,
        model_at(server, call_seconds=seconds, stream_seconds=seconds, rest_seconds=rest) as model,
    ):
        started = time.monotonic()
        view = run(workflow, metered, question, llm=model)
        assert time.monotonic() - started < DEADLINE + MARGIN
        asked = bool(server.chats)
    assert view.status is RunStatus.DONE
    assert view.answer.strip()
    if by_rules.outcome == AnswerOutcome.NOT_FOUND and degraded(metered):
        assert view.outcome == AnswerOutcome.UNJUDGED
    else:
        assert (view.outcome, view.answer, view.citations) == (by_rules.outcome, by_rules.answer, by_rules.citations)
    assert degraded(metered) <= SAYS_NOTHING[fault]
    assert degraded(metered) or not (asked or question == CLEAR)


@pytest.mark.parametrize(("workflow", "fault", "question"), every_pair(WORKFLOWS, BREAKS_OFF, BEGUN))
def test_an_answer_that_breaks_off_is_kept_and_marked(
    metered: SystemWorld, workflow: str, fault: str, question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadline, "LONGEST", 1)  # no sign of life prolongs it

    def breaking(request: dict[str, Any]) -> Answer:
        reply = sensible(request)
        writes = not reply.tool_calls and "response_format" not in request
        return BREAKS_OFF[fault](BEGUN[question]) if writes else reply

    seconds = FIRST_WORDS if fault in ENDLESS else PATIENCE
    with OpenAiServer(breaking) as server, model_at(server, stream_seconds=seconds) as model:
        started = time.monotonic()
        view = run(workflow, metered, question, llm=model)
        assert time.monotonic() - started < seconds + MARGIN
    language = "en" if question.isascii() else "zh-hans"
    assert (view.status, view.outcome) == (RunStatus.DONE, AnswerOutcome.UNCONFIRMED.value)
    assert view.answer.startswith(BEGUN[question].partition(" [")[0])
    assert view.answer.endswith(text("answer.interrupted", language))
    assert bool(view.citations) is (question != "hello")
    assert degraded(metered) <= {"llm.interrupted", "llm.cut_short", "llm.timeout"}


@pytest.mark.parametrize(
    ("workflow", "fault", "question"),
    half_slow(every_pair(AGENTS, SAYS_NOTHING, ["Who developed KelpNet?", CLEAR])),
)
def test_where_only_tool_calls_misbehave_the_planner_calls_the_tools(
    metered: SystemWorld, workflow: str, fault: str, question: str
) -> None:
    def misbehaving(request: dict[str, Any]) -> Answer:
        native = "tools" in request and "response_format" not in request
        return FAULTS[fault]() if native else sensible(request)

    seconds = FIRST_WORDS if fault in ENDLESS else PATIENCE
    with OpenAiServer(misbehaving) as server, model_at(server, stream_seconds=seconds) as model:
        view = run(workflow, metered, question, llm=model)
    assert (view.status, view.outcome) == (RunStatus.DONE, AnswerOutcome.ANSWERED.value)
    assert "KelpNet" in view.answer
    assert view.citations
    assert degraded(metered) or fault == "endless_tool_calls"  # the same call again ends the loop, which is no fault


@pytest.mark.parametrize("workflow", WORKFLOWS)
@pytest.mark.parametrize("refuses", [(), ("tools",)])
def test_lone_surrogates_and_nul_in_what_a_model_says_are_no_fault(
    metered: SystemWorld, workflow: str, refuses: tuple[str, ...]
) -> None:
    def broken(request: dict[str, Any]) -> Answer:
        reply = sensible(request)
        if "response_format" in request:
            return replace(reply, text=reply.text.replace('"reason": "', '"reason": "\ud800\\udc00'))
        calls = tuple(ToolCall(it.name, _broken(it.arguments)) for it in reply.tool_calls)
        return replace(reply, text=reply.text and f"{reply.text[:-1]}\ud800\0.", tool_calls=calls)

    with OpenAiServer(broken, refuses) as server, model_at(server) as model:
        view = run(workflow, metered, "Who developed KelpNet?", llm=model)
        assert server.chats
    assert (view.status, view.outcome) == (RunStatus.DONE, AnswerOutcome.ANSWERED.value)
    assert "Lena Vogt" in view.answer
    assert view.citations
    assert not degraded(metered)
    shown = "".join(event.text for event in metered.events if isinstance(event, AnswerDelta))
    written = "".join(call.response for step in view.steps for call in step.calls)
    written += "".join(tool.arguments for step in view.steps for tool in step.tools)
    assert not {"\0", "\ud800"} & set(view.answer + shown + written)


def _broken(arguments: str) -> str:
    """Arguments with one more, which has lone surrogates as such and as escapes in its name and its value."""
    return arguments.replace("}", ', "\ud800\\udc00": "\ud800\\udc00"}')


UNREADABLE = ["broken_json", "cut", "no_finish_reason", "length", "slow_tokens"]


@pytest.mark.parametrize(("workflow", "fault"), half_slow(every_pair(WORKFLOWS, UNREADABLE)))
def test_a_decision_that_cannot_be_read_is_the_rules(metered: SystemWorld, workflow: str, fault: str) -> None:
    def undecided(request: dict[str, Any]) -> Answer:
        written = Reply("Each buoy is lifted, cleaned and calibrated every 90 days by the crew [1].")
        return FAULTS[fault]() if "response_format" in request else written

    seconds = DEADLINE if fault in ENDLESS else PATIENCE
    with OpenAiServer(undecided, refuses=["tools"]) as server, model_at(server, call_seconds=seconds) as model:
        started = time.monotonic()
        view = run(workflow, metered, VAGUE, llm=model)
        assert time.monotonic() - started < MOST_DECISIONS * DEADLINE + MARGIN
        asked = any("response_format" in chat for chat in server.chats)
    assert view.status is RunStatus.DONE
    assert view.answer.strip()
    assert asked
    assert degraded(metered) <= {"llm.invalid_output", "llm.interrupted", "llm.timeout"}
    assert degraded(metered)


@pytest.mark.parametrize(("workflow", "question"), zip(WORKFLOWS, cycle([CLEAR, VAGUE]), strict=False))
def test_the_seconds_of_a_question_end_it_whatever_a_call_may_take(
    metered: SystemWorld, workflow: str, question: str
) -> None:
    metered.budget = Budget(max_seconds=0.5)
    with (
        OpenAiServer(lambda _: KeepAlives()) as server,
        model_at(server, call_seconds=60.0, stream_seconds=60.0) as model,
    ):
        started = time.monotonic()
        view = run(workflow, metered, question, llm=model)
        assert time.monotonic() - started < 0.5 + MARGIN
    assert view.status is RunStatus.DONE
    assert view.answer.strip()
    assert all(known(reason) for reason in degraded(metered))
