"""One table for every workflow, both engines and both languages: answered, not there, small talk, a second question."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from core.adapters.chat_llm import ChatLlm
from core.domain.runs import AnswerOutcome, RunStatus
from core.ports import Llm
from core.workflows.registry import workflows
from tests.fakes import RuleLlm
from tests.llm.examples import impatient
from tests.loopback.answers import Reply
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
    asked = "\n".join(message["content"] for message in request["messages"])
    english = "Lena" in asked or "KelpNet?" in asked
    form = request.get("response_format")
    if form is None:
        passages = "<passages>" in asked and "(none)" not in asked.split("<passages>")[1][:12]
        walked = "Total related entities" in asked
        return Reply(WRITTEN[english] if passages or walked else "Nothing was found." if "Zebra" in asked else "Hello!")
    return Reply(json.dumps(_decided(form["json_schema"]["name"], asked), ensure_ascii=False))


def _decided(task: str, asked: str) -> dict[str, Any]:
    own = asked.split("<question>")[-1].split("</question>")[0].strip()
    if "it?" in own or "它" in own:
        own = "Who developed KelpNet?" if "it?" in own else "校准层是什么？"
    words = "KelpNet developed Lena Vogt" if "KelpNet" in own else own.strip("？?")
    name = next((it for it in ("KelpNet", "校准层") if it in own), own)
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
