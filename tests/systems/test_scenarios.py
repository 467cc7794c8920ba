"""One table for every workflow, both engines and both languages: answered, not there, small talk, a second question."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from core.domain.runs import AnswerOutcome, RunStatus
from core.ports import Llm
from core.workflows.registry import workflows
from tests.fakes import RuleLlm
from tests.loopback.answers import Reply
from tests.loopback.openai_server import OpenAiServer
from tests.systems.conftest import SystemWorld, run
from tests.systems.models import WRITTEN, model_at, sensible

ANSWERED, DIRECT, NOT_FOUND = AnswerOutcome.ANSWERED, AnswerOutcome.DIRECT, AnswerOutcome.NOT_FOUND
ROWS = [
    ("Who developed KelpNet?", (), ANSWERED, "Lena Vogt"),
    ("校准层是什么？", (), ANSWERED, "KelpNet"),
    ("hello", (), DIRECT, ""),
    ("你好", (), DIRECT, ""),
    ("Who developed it?", ("What is KelpNet?", "A network [1]."), ANSWERED, "Lena Vogt"),
    ("它是什么？", ("校准层是什么？", "一组参数 [1]。"), ANSWERED, "KelpNet"),
    ("What is Zebra Fish?", (), NOT_FOUND, ""),
    ("什么是量子引力？", (), NOT_FOUND, ""),
]


@pytest.fixture(params=["built-in", "model"])
def llm(request: pytest.FixtureRequest) -> Iterator[Llm]:
    if request.param == "built-in":
        yield RuleLlm()
        return
    with OpenAiServer(sensible) as server, model_at(server) as model:
        yield model


@pytest.fixture
def without_tools() -> Iterator[Llm]:
    """A model that cannot call tools."""
    with OpenAiServer(sensible, refuses=["tools"]) as server, model_at(server) as model:
        yield model


@pytest.mark.parametrize("workflow", list(workflows()))
@pytest.mark.parametrize(("question", "history", "outcome", "words"), ROWS)
def test_every_workflow_passes_the_table(  # one row, one workflow, one engine
    walked: SystemWorld,
    llm: Llm,
    workflow: str,
    question: str,
    history: tuple[str, ...],
    outcome: AnswerOutcome,
    words: str,
) -> None:
    view = run(workflow, walked, question, history, llm)
    assert (view.status, view.outcome) == (RunStatus.DONE, outcome.value)
    assert view.answer.strip()
    assert words in view.answer


AGENTS = ["graph_react", "tool_loop"]


@pytest.mark.parametrize("workflow", AGENTS)
@pytest.mark.parametrize(("question", "history", "outcome", "words"), ROWS)
def test_a_model_that_cannot_call_tools_passes_the_table(
    walked: SystemWorld,
    without_tools: Llm,
    workflow: str,
    question: str,
    history: tuple[str, ...],
    outcome: AnswerOutcome,
    words: str,
) -> None:
    test_every_workflow_passes_the_table(walked, without_tools, workflow, question, history, outcome, words)
    assert not walked.meter.degradations


@pytest.mark.parametrize("workflow", list(workflows()))
@pytest.mark.parametrize("question", ["Who developed KelpNet?", "校准层是什么？"])
def test_every_answer_leads_to_its_pages(walked: SystemWorld, llm: Llm, workflow: str, question: str) -> None:
    view = run(workflow, walked, question, (), llm)
    assert view.citations
    assert all(f"[{citation.number}]" in view.answer for citation in view.citations)
    assert view.unsupported == ()


@pytest.mark.parametrize("workflow", list(workflows()))
@pytest.mark.parametrize(
    ("question", "made_up"),
    [
        ("Who developed KelpNet?", "The dredging company bought it in 1997."),
        ("校准层是什么？", "一家疏浚公司于1997年收购了它。"),
    ],
)
def test_sentences_without_support_are_marked_in_every_workflow(
    walked: SystemWorld, workflow: str, question: str, made_up: str
) -> None:
    fair = (
        "KelpNet is a neural network. It estimates the share of Karenia."
        if question.isascii()
        else ("它是单独拟合的一组参数。每个浮标有单独的一组参数。")
    )

    def inventive(request: dict[str, Any]) -> Reply:
        reply = sensible(request)
        return replace(reply, text=f"{reply.text} {fair} {made_up}") if reply.text in WRITTEN.values() else reply

    with OpenAiServer(inventive) as server, model_at(server) as model:
        view = run(workflow, walked, question, (), model)
    assert made_up in view.answer
    assert made_up in view.unsupported
