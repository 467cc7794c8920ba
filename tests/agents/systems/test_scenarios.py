"""One table for every workflow, both engines and both languages: answered, not there, small talk, a second question."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from core.agents.workflows.registry import workflows
from core.models.ports import Llm
from core.platform.language.detect import detect_language
from core.platform.language.sentences import sentences
from core.platform.texts import text
from core.runs.model import AnswerOutcome, RunStatus
from tests.agents.systems.conftest import SystemWorld, every_pair, run
from tests.agents.systems.graphs import WalkedGraph
from tests.agents.systems.models import ENGINES, WRITTEN, engine, model_at, sensible
from tests.loopback.answers import Reply
from tests.loopback.openai_server import OpenAiServer

ANSWERED, DIRECT, NOT_FOUND = AnswerOutcome.ANSWERED, AnswerOutcome.DIRECT, AnswerOutcome.NOT_FOUND
KELPNET, LAYER = ("What is KelpNet?", "A network [1]."), ("校准层是什么？", "一组参数 [1]。")
AGENTS = ["graph_react", "tool_loop"]
Row = tuple[str, tuple[str, ...], AnswerOutcome, str]
"""A question, what was said before it, and the outcome and words of its answer."""
ROWS: list[Row] = [
    ("Who developed KelpNet?", (), ANSWERED, "Lena Vogt"),
    ("校准层是什么？", (), ANSWERED, "KelpNet"),
    ("hello", (), DIRECT, "Hello!"),
    ("你好", (), DIRECT, "您好"),
    ("Who developed it?", KELPNET, ANSWERED, "Lena Vogt"),
    ("它是什么？", LAYER, ANSWERED, "KelpNet"),
    ("and its neighbours?", KELPNET, ANSWERED, "Lena Vogt"),
    ("它的邻居呢？", ("KelpNet是什么？", "一种网络 [1]。"), ANSWERED, "校准层"),
    ("What is Zebra Fish?", (), NOT_FOUND, ""),
    ("什么是量子引力？", (), NOT_FOUND, ""),
    ("What is Zebra Fish?", KELPNET, NOT_FOUND, ""),
    ("什么是量子引力？", LAYER, NOT_FOUND, ""),
]


@pytest.fixture
def llm(request: pytest.FixtureRequest) -> Iterator[Llm]:
    with engine(request.param) as made:
        yield made


@pytest.fixture
def without_tools() -> Iterator[Llm]:
    """A model that cannot call tools."""
    with OpenAiServer(sensible, refuses=["tools"]) as server, model_at(server) as model:
        yield model


def _script(text: str) -> str:
    """Of a text's first sentence: what follows may quote documents in another one."""
    return detect_language(sentences(text)[0])


@pytest.mark.parametrize(("workflow", "row", "llm"), every_pair(workflows(), ROWS, ENGINES), indirect=["llm"])
def test_every_workflow_passes_the_table(walked: SystemWorld, llm: Llm, workflow: str, row: Row) -> None:
    question, history, outcome, words = row
    view = run(workflow, walked, question, history, llm)
    allowed = {outcome, AnswerOutcome.CLOSEST} if outcome is NOT_FOUND else {outcome}
    assert (view.status, view.outcome in allowed) == (RunStatus.DONE, True)
    assert words in view.answer
    assert _script(view.answer) == _script(question)
    assert bool(view.citations) or outcome is not ANSWERED
    assert not walked.meter.degradations
    if outcome is ANSWERED:
        assert bool(view.usage.model_calls) is (llm.engine != "built-in")
        assert workflow not in AGENTS or any(step.tools for step in view.steps)


@pytest.mark.parametrize("workflow", list(workflows()))
@pytest.mark.parametrize(
    "question",
    [
        "How many people work on KelpNet?",
        "Which programming language is KelpNet written in?",
        "Who is the mayor of Lena Vogt's town?",
        "How often is KelpNet trained?",
    ],
)
def test_no_workflow_calls_unsure_quotes_an_answer(walked: SystemWorld, workflow: str, question: str) -> None:
    """The documents speak of what the question names, and do not answer it."""
    view = run(workflow, walked, question)
    assert view.outcome in {AnswerOutcome.CLOSEST, NOT_FOUND}
    assert view.citations or view.outcome == NOT_FOUND or workflow == "graph_react"


@pytest.mark.parametrize("workflow", AGENTS)
@pytest.mark.parametrize("row", ROWS)
def test_a_model_that_cannot_call_tools_passes_the_table(
    walked: SystemWorld, without_tools: Llm, workflow: str, row: Row
) -> None:
    test_every_workflow_passes_the_table(walked, without_tools, workflow, row)
    assert not walked.meter.degradations


@pytest.mark.parametrize(
    ("workflow", "question", "llm"),
    every_pair(workflows(), ["Who developed KelpNet?", "校准层是什么？"], ENGINES),
    indirect=["llm"],
)
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


@pytest.mark.parametrize("workflow", list(workflows()))
def test_a_base_without_documents_is_searched_once_at_most(empty: SystemWorld, workflow: str) -> None:
    empty.graph = WalkedGraph(empty.library)
    view = run(workflow, empty, "How often is each buoy calibrated?")
    assert view.outcome == AnswerOutcome.UNREADY
    assert text("answer.not_found.empty", "en", base="Sample") in view.answer
    assert len(empty.retriever.asked) <= 1
