"""The graph agent: the observed sequences of tools, its budget, its result object."""

import json

import pytest

from core.adapters.chat_llm import ChatLlm
from core.domain.events import GraphTouched, RunStopped, ToolCalled
from core.domain.runs import AnswerOutcome
from core.nodes.graph_model import GraphStep, Step
from core.runs.graph_result import graph_result
from core.runs.view import RunView
from core.workflows.registry import workflow_named
from core.workflows.workflow import compile_workflow, recursion_limit
from tests.fakes import FakeLlm, FakeMeter, Said
from tests.llm.examples import impatient
from tests.loopback.answers import Reply
from tests.loopback.openai_server import OpenAiServer
from tests.systems.conftest import SystemWorld, path, run
from tests.systems.graphs import BASE, chinese, forty

OVERVIEW, LISTING, RELATION = ["describe_graph"], ["get_entities_by_type"], ["search_entities", "get_neighbors"]


@pytest.fixture
def walked() -> SystemWorld:
    world = SystemWorld()
    world.graph = forty()
    return world


def tools(view: RunView) -> list[str]:
    return [tool.tool for step in view.steps for tool in step.tools]


@pytest.mark.parametrize(
    ("question", "sequence", "words"),
    [
        ("Give me an overview of the graph", OVERVIEW, "Entities: 40"),
        ("How many entities are there?", OVERVIEW, "Entities: 40"),
        ("What does the knowledge graph contain?", OVERVIEW, "Density"),
        ("List all technologies", LISTING, "KelpNet"),
        ("Which people are there?", LISTING, "Ada Wren"),
        ("What is related to KelpNet?", RELATION, "HarborDB (TECHNOLOGY)"),
        ("What is Backpressure?", RELATION, "Calibration (CONCEPT)"),
        ("Is EskFlow connected with Esbjerg within 2 hops?", RELATION, "Esbjerg and EskFlow are connected, 1 step(s)"),
        (
            "How is Ada Wren connected with Bo Lindqvist?",
            RELATION,
            "Bo Lindqvist and Ada Wren are connected, 1 step(s) apart",
        ),
    ],
)
def test_observed_sequences_hold_without_a_model(
    walked: SystemWorld, question: str, sequence: list[str], words: str
) -> None:
    view = run("graph_react", walked, question)
    assert tools(view) == sequence
    assert path(view) == [*["model", "tools"] * len(sequence), "model"]
    assert view.outcome == AnswerOutcome.ANSWERED.value
    assert words in view.answer


@pytest.mark.parametrize(
    ("question", "sequence", "words"),
    [
        ("图谱里有什么？", OVERVIEW, "实体: 5"),
        ("列出所有人物", LISTING, "林雨晴"),
        ("与校准层相关的有哪些？", RELATION, "浮标 (TECHNOLOGY)"),
        ("校准层是什么？", RELATION, "浮标 (TECHNOLOGY)"),
    ],
)
def test_observed_sequences_hold_in_chinese(
    walked: SystemWorld, question: str, sequence: list[str], words: str
) -> None:
    walked.graph = chinese()
    view = run("graph_react", walked, question)
    assert tools(view) == sequence
    assert words in view.answer
    assert "知识图谱" in view.answer


@pytest.mark.parametrize(
    ("question", "words"), [("What is Zebra Fish?", "holds nothing about"), ("什么是量子引力？", "没有关于")]
)
def test_what_the_graph_does_not_hold_is_said(walked: SystemWorld, question: str, words: str) -> None:
    view = run("graph_react", walked, question)
    assert tools(view) == ["search_entities"]
    assert view.outcome == AnswerOutcome.NOT_FOUND.value
    assert words in view.answer


def test_an_unknown_type_is_an_answer_not_a_failure(walked: SystemWorld) -> None:
    walked.graph = chinese()
    walked.graph.entities.pop(2)
    walked.graph.edges.clear()
    view = run("graph_react", walked, "List all people")
    assert view.outcome == AnswerOutcome.NOT_FOUND.value


def test_small_talk_needs_no_tool(walked: SystemWorld) -> None:
    view = run("graph_react", walked, "hello")
    assert (path(view), tools(view)) == (["model"], [])
    assert view.outcome == AnswerOutcome.DIRECT.value


def test_a_follow_up_finds_its_entity(walked: SystemWorld) -> None:
    view = run("graph_react", walked, "and its neighbours?", ("What is KelpNet?", "A network."))
    assert tools(view) == RELATION
    assert "HarborDB" in view.answer


def test_a_second_question_has_its_tools_again(walked: SystemWorld) -> None:
    for question in ("What is related to KelpNet?", "What is related to TernMesh?"):
        view = run("graph_react", walked, question, ("What is related to EskFlow?", "HarborDB."))
        assert tools(view) == RELATION


def test_tools_read_the_graph_as_it_is_now(walked: SystemWorld) -> None:
    """Tools that captured a graph object went stale after an ingest."""
    assert "holds nothing" in run("graph_react", walked, "What is related to ZetaDB?").answer
    walked.graph.add("ZetaDB", "TECHNOLOGY")
    walked.graph.connect("ZetaDB", "KelpNet")  # type: ignore[attr-defined]
    assert "KelpNet" in run("graph_react", walked, "What is related to ZetaDB?").answer


def test_a_model_drives_the_same_tools_at_the_wire(walked: SystemWorld) -> None:
    steps = [
        GraphStep(step=Step.SEARCH_ENTITIES, query="KelpNet"),
        GraphStep(step=Step.GET_NEIGHBORS, entity_name="KelpNet", hops=1),
        GraphStep(step=Step.ANSWER),
    ]
    answers = [*(Reply(step.model_dump_json()) for step in steps), Reply("KelpNet (TECHNOLOGY) lies by HarborDB.")]
    with OpenAiServer(answers) as server:
        llm = ChatLlm(impatient(server.base_url))
        view = run("graph_react", walked, "What is related to KelpNet?", llm=llm)
        llm.close()
        prompts = [chat["messages"][0]["content"] for chat in server.chats]
        last = server.chats[-1]["messages"][1]["content"]
    assert tools(view) == RELATION
    assert view.answer == "KelpNet (TECHNOLOGY) lies by HarborDB."
    assert "40 nodes and 54 edges" in prompts[0]
    assert "Total related entities: 3" in last
    result = graph_result(view, walked.graph.stats(BASE))
    assert [(call.tool, call.call_id) for call in result.tool_calls] == list(
        zip(RELATION, ["call_1", "call_2"], strict=True)
    )
    assert result.total_messages == 6
    assert result.token_usage["total"] == result.token_usage["prompt"] + result.token_usage["completion"] > 0
    assert view.usage.model_calls == 4
    assert result.kg_stats["nodes"] == 40


def test_a_model_must_call_a_tool_before_it_answers(walked: SystemWorld) -> None:
    walked.llm = FakeLlm(graph_model=GraphStep(step=Step.ANSWER), graph_answer=Said("KelpNet is a TECHNOLOGY."))
    assert tools(run("graph_react", walked, "What is related to KelpNet?")) == ["search_entities"]


def test_endless_tool_calls_end_in_a_forced_answer(walked: SystemWorld) -> None:
    walked.llm = FakeLlm(
        graph_model=[GraphStep(step=Step.SEARCH_ENTITIES, query=f"a{at}") for at in range(30)],
        graph_answer=Said("The graph does not hold it."),
    )
    view = run("graph_react", walked, "What is related to KelpNet?")
    assert len(tools(view)) == 5
    assert view.answer == "The graph does not hold it."


def test_a_used_up_tool_budget_forces_the_answer(walked: SystemWorld) -> None:
    walked.meter = FakeMeter(max_tools=1)
    view = run("graph_react", walked, "What is related to KelpNet?")
    assert tools(view) == ["search_entities"]
    assert view.outcome == AnswerOutcome.ANSWERED.value
    assert "KelpNet (TECHNOLOGY)" in view.answer


def test_a_stop_ends_between_two_tools(walked: SystemWorld) -> None:
    walked.meter = FakeMeter(stopped=lambda: len(walked.meter.tools) > 0)
    run("graph_react", walked, "What is related to KelpNet?")
    assert isinstance(walked.events[-1], RunStopped)


def test_calls_and_touched_entities_are_told(walked: SystemWorld) -> None:
    run("graph_react", walked, "What is related to KelpNet?")
    first = next(event for event in walked.events if isinstance(event, ToolCalled))
    assert json.loads(first.arguments) == {"query": "KelpNet"}
    touched = [event for event in walked.events if isinstance(event, GraphTouched)]
    assert touched[-1].entity_ids[0] == "e-KelpNet"


def test_the_recursion_limit_lets_every_round_happen() -> None:
    compiled = compile_workflow(workflow_named("graph_react"))
    assert recursion_limit(compiled, 5) >= 2 * 5 + 1 + 1
