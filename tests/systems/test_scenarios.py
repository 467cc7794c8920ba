"""One table for every workflow, both engines and both languages: answered, not there, small talk, a second question."""

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from core.adapters.chat_llm import ChatLlm
from core.domain.runs import AnswerOutcome, RunStatus
from core.ports import Llm
from core.workflows.registry import workflows
from tests.fakes import RuleLlm
from tests.llm.examples import impatient
from tests.loopback.answers import FAULTS, Answer, Reply, ToolCall
from tests.loopback.openai_server import OpenAiServer
from tests.systems.conftest import SystemWorld, run
from tests.systems.graphs import WalkedGraph

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
WRITTEN = {
    True: "KelpNet was developed by Lena Vogt [1].",
    False: "校准层是指KelpNet中为每个浮标单独拟合的一组参数 [1]。",
}


def sensible(request: dict[str, Any]) -> Reply:
    """What a good model answers to each task, as far as these questions go."""
    asked = "\n".join(message["content"] or "" for message in request["messages"])
    english = "Lena" in asked or "KelpNet?" in asked
    form = request.get("response_format")
    if "tools" in request and form is None and (call := _wanted(request["messages"], request["tools"])):
        return Reply(tool_calls=(call,), finish_reason="tool_calls")
    if form is None:
        asked = asked.replace("Total related entities", "<passages>\n[1]").replace("| similarity", "<passages>\n[1]")
        passages = "<passages>" in asked and "(none)" not in asked.split("<passages>")[1][:12]
        return Reply(WRITTEN[english] if passages else "Nothing was found." if "Zebra" in asked else "Hello!")
    return Reply(json.dumps(_decided(form["json_schema"]["name"], asked), ensure_ascii=False))


def _wanted(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> ToolCall | None:
    """The tool that a good model calls next; None when it is time to answer."""
    _, words, name = _asked(messages[1]["content"])
    results = [message["content"] for message in messages if message["role"] == "tool"]
    if tools[0]["function"]["name"] == "knowledge_search":
        return None if results else ToolCall("knowledge_search", json.dumps({"query": words}))
    if not results:
        return ToolCall("search_entities", json.dumps({"query": name}))
    return ToolCall("get_neighbors", json.dumps({"entity_name": name})) if results[-1].startswith("Found") else None


def _asked(text: str) -> tuple[str, str, str]:
    """The question, the words to search for, and the name of what it is about."""
    own = text.split("<question>")[-1].split("</question>")[0].strip()
    if "it?" in own or "它" in own:
        own = "Who developed KelpNet?" if "it?" in own else "校准层是什么？"
    words = "KelpNet developed Lena Vogt" if "KelpNet" in own else own.strip("？?")
    return own, words, next((it for it in ("KelpNet", "校准层") if it in own), own)


def _decided(task: str, asked: str) -> dict[str, Any]:
    own, words, name = _asked(asked)
    match task:
        case "route_query":
            return {"route": "direct_chunk_search", "question": own, "reason": ""}
        case "plan":
            return {"route": "chunks", "question": own, "query": words, "reason": ""}
        case "plan_tools":
            return {"task_type": "simple_faq", "should_retrieve": True, "tool_calls": [], "intent": "look-up"}
        case "expand_query" | "rewrite_query":
            return {"query": words, "reason": ""}
        case "graph_model":
            step = "answer" if "Neighbors of" in asked or "No entity" in asked else "get_neighbors"
            step = step if "Found" in asked or step == "answer" else "search_entities"
            return {"step": step, "query": name, "entity_name": name, "hops": 1, "entity_type": ""}
        case "call_model":
            used = "knowledge_search({" in asked
            return {"tool": "answer" if used else "knowledge_search", "query": words}
        case "grade_evidence":
            return {"relevant": [1] if "KelpNet" in own or "校准层" in own else [], "reason": ""}
        case "evaluate_compliance":
            return {"sensitive": [], "unlawful": [], "contradicted": []}
        case "grade_relevance":
            return {"is_relevant": "[1]" in asked.split("<answer>")[-1], "reason": ""}
        case "check_answer":
            return {"supported": True, "answers": True, "unsupported": [], "reason": ""}
        case "consolidate_memory":
            return {"keep": False, "text": "", "kind": "fact", "importance": 1}
    raise AssertionError(f"no answer for {task}")


@pytest.fixture(params=["built-in", "model"])
def llm(request: pytest.FixtureRequest) -> Iterator[Llm]:
    if request.param == "built-in":
        yield RuleLlm()
        return
    with OpenAiServer(sensible) as server:
        yield from opened(server)


@pytest.fixture
def without_tools() -> Iterator[Llm]:
    """A model that cannot call tools."""
    with OpenAiServer(sensible, refuses=["tools"]) as server:
        yield from opened(server)


def opened(server: OpenAiServer) -> Iterator[Llm]:
    chat = ChatLlm(impatient(server.base_url))
    yield chat
    chat.close()


@pytest.fixture
def walked(world: SystemWorld) -> SystemWorld:
    """The world with edges between its entities."""
    graph = WalkedGraph(world.library, world.graph.entities)
    graph.connect("KelpNet", "Lena Vogt")
    graph.connect("KelpNet", "校准层")
    world.graph = graph
    return world


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
MISBEHAVIOURS = [
    "unknown_tool", "wrong_arguments", "broken_arguments", "endless_tool_calls", "cut_tool_call",
    "tool_call_without_end", "empty", "unauthorized", "rate_limited_absurdly", "keep_alives",
]  # fmt: skip


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


@pytest.mark.parametrize("workflow", AGENTS)
@pytest.mark.parametrize("fault", MISBEHAVIOURS)
@pytest.mark.parametrize(
    ("question", "words"), [("Who developed KelpNet?", "Lena Vogt"), ("校准层是什么？", "KelpNet")]
)
def test_tool_calls_that_misbehave_end_in_an_answer(
    walked: SystemWorld, workflow: str, fault: str, question: str, words: str
) -> None:
    def misbehaving(request: dict[str, Any]) -> Answer:
        native = "tools" in request and "response_format" not in request
        return FAULTS[fault]() if native else sensible(request)

    started = time.monotonic()
    with OpenAiServer(misbehaving) as server:
        for llm in opened(server):
            view = run(workflow, walked, question, llm=llm)
    assert time.monotonic() - started < 10
    assert (view.status, view.outcome) == (RunStatus.DONE, ANSWERED.value)
    assert words in view.answer
    assert view.citations


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

    with OpenAiServer(inventive) as server:
        for llm in opened(server):
            view = run(workflow, walked, question, (), llm)
    assert made_up in view.answer
    assert made_up in view.unsupported
