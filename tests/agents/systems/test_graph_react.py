"""The graph agent: the observed sequences of tools, its budget, its result object."""

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from core.agents.nodes.agent.think import ToolStep
from core.agents.tools.registry import names_of
from core.agents.tools.tool import Toolset
from core.agents.workflows.registry import workflow_named
from core.agents.workflows.workflow import compile_workflow, recursion_limit
from core.interfaces.cli.ask import graph_result
from core.models.chat.llm import ChatLlm
from core.platform.texts import text
from core.runs.events import AnswerDelta, GraphTouched, RunStopped, ToolCalled
from core.runs.history.view import RunView
from core.runs.model import AnswerOutcome, RunStatus
from tests.agents.systems.conftest import SystemWorld, path, run
from tests.agents.systems.graphs import BASE, WalkedGraph, chinese, forty
from tests.fakes import FakeLlm, FakeMeter, Said
from tests.loopback.answers import FAULTS, Answer, Failure, Reply, ToolCall
from tests.loopback.openai_server import OpenAiServer, Script
from tests.models.chat.examples import impatient

OVERVIEW, LISTING, RELATION = ["describe_graph"], ["get_entities_by_type"], ["search_entities", "get_neighbors"]


@pytest.fixture
def walked() -> SystemWorld:
    world = SystemWorld()
    world.library.add("log.md", "The tide rose at noon.")
    world.graph = forty()
    return world


def tools(view: RunView) -> list[str]:
    return [tool.tool for step in view.steps for tool in step.tools]


@pytest.mark.parametrize(
    ("question", "sequence", "words"),
    [
        ("Give me an overview of the graph", OVERVIEW, "has 40 entities and 54 relations"),
        ("How many entities are there?", OVERVIEW, "12 concepts, 12 products or technologies, 6 people"),
        ("What does the knowledge graph contain?", OVERVIEW, "Most widely connected are EskFlow"),
        ("List all technologies", LISTING, "KelpNet"),
        ("Which people are there?", LISTING, "Ada Wren"),
        ("What is related to KelpNet?", RELATION, "HarborDB"),
        ("Is EskFlow connected with Esbjerg within 2 hops?", RELATION, "EskFlow and Esbjerg are mentioned in the same"),
        (
            "How is Ada Wren connected with Bo Lindqvist?",
            RELATION,
            "Ada Wren and Bo Lindqvist are mentioned in the same passage.",
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


def test_what_is_near_a_thing_is_no_sure_answer_to_what_it_is(walked: SystemWorld) -> None:
    view = run("graph_react", walked, "What is Backpressure?")
    assert tools(view) == RELATION
    assert view.outcome == AnswerOutcome.CLOSEST.value
    assert view.answer.startswith(text("answer.graph.unsure", "en"))
    assert "Calibration" in view.answer


@pytest.mark.parametrize(
    ("question", "sequence", "words"),
    [
        ("图谱里有什么？", OVERVIEW, "共有 5 个实体"),
        ("列出所有人物", LISTING, "文档中提到的人物有（共 1 个）：\n\n- 林雨晴"),
        ("与校准层相关的有哪些？", RELATION, "与校准层一同被提到的有浮标"),
        ("校准层是什么？", RELATION, "与校准层一同被提到的有浮标"),
    ],
)
def test_observed_sequences_hold_in_chinese(
    walked: SystemWorld, question: str, sequence: list[str], words: str
) -> None:
    walked.graph = chinese()
    view = run("graph_react", walked, question)
    assert tools(view) == sequence
    assert words in view.answer


@pytest.mark.parametrize(
    ("question", "words"), [("What is Zebra Fish?", "contains nothing about"), ("什么是量子引力？", "没有关于")]
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


@pytest.mark.parametrize("question", ["Compare KelpNet with OceanMind.", "How is KelpNet connected with OceanMind?"])
def test_one_side_of_two_is_no_sure_answer(walked: SystemWorld, question: str) -> None:
    view = run("graph_react", walked, question)
    assert view.outcome == AnswerOutcome.CLOSEST.value
    assert "contains nothing about “OceanMind”" in view.answer


@pytest.mark.parametrize("owner", ["Ada Wren", "Acme"])
def test_all_entities_of_a_type_are_no_answer_to_what_something_has_of_them(walked: SystemWorld, owner: str) -> None:
    question = f"Which technologies does {owner} own?"
    assert run("graph_react", walked, question).outcome != AnswerOutcome.ANSWERED.value
    listing = asks("get_entities_by_type", entity_type="TECHNOLOGY")
    view, _ = at_the_wire(walked, [listing, Reply("EskFlow (TECHNOLOGY) and KelpNet (TECHNOLOGY).")], question)
    assert view.outcome == AnswerOutcome.CLOSEST.value


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
    assert "contains nothing" in run("graph_react", walked, "What is related to ZetaDB?").answer
    walked.graph.add("ZetaDB", "TECHNOLOGY")
    walked.graph.connect("ZetaDB", "KelpNet")  # type: ignore[attr-defined]
    assert "KelpNet" in run("graph_react", walked, "What is related to ZetaDB?").answer


def step(tool: str, **arguments: object) -> ToolStep:
    return ToolStep(tool=tool, arguments=json.dumps(arguments))


def asks(tool: str, **arguments: object) -> Reply:
    return Reply(tool_calls=(ToolCall(tool, json.dumps(arguments)),), finish_reason="tool_calls")


WALK = [asks("search_entities", query="KelpNet"), asks("get_neighbors", entity_name="KelpNet", hops=1)]
LAST = Reply("KelpNet (TECHNOLOGY) lies by HarborDB (TECHNOLOGY).")


def at_the_wire(
    world: SystemWorld,
    answers: Sequence[Answer] | Script,
    question: str = "What is related to KelpNet?",
    seconds: float = 5.0,
    **more: object,
) -> tuple[RunView, list[dict[str, Any]]]:
    """The run, and the bodies of the requests. seconds: of a call."""
    with OpenAiServer(answers, **more) as server:  # type: ignore[arg-type]  # options of the server
        llm = ChatLlm(impatient(server.base_url, call_seconds=seconds, stream_seconds=seconds))
        view = run("graph_react", world, question, llm=llm)
        llm.close()
        return view, server.chats


def test_a_model_drives_the_same_tools_at_the_wire(walked: SystemWorld) -> None:
    view, chats = at_the_wire(walked, [*WALK, LAST])
    assert tools(view) == RELATION
    assert path(view) == ["model", "tools", "model", "tools", "model"]
    assert view.answer == LAST.text
    system = " ".join(chats[0]["messages"][0]["content"].split())
    assert "40 nodes and 54 edges" in system
    assert all(type in system for type in ("CONCEPT", "LOCATION", "ORGANIZATION", "PERSON", "TECHNOLOGY"))
    assert "at least one tool before a factual answer" in system
    assert {tool["function"]["name"] for tool in chats[0]["tools"]} == set(names_of(Toolset.GRAPH))
    assert [message["role"] for message in chats[-1]["messages"]] == [
        "system", "user", "assistant", "tool", "assistant", "tool",
    ]  # fmt: skip
    assert "Total related entities: 3" in chats[-1]["messages"][-1]["content"]
    assert chats[0]["temperature"] == 0
    result = graph_result(view, walked.graph.stats(BASE))
    assert [call["tool"] for call in result["tool_calls"]] == RELATION
    told = [message["tool_call_id"] for message in chats[-1]["messages"] if message["role"] == "tool"]
    assert [call["call_id"] for call in result["tool_calls"]] == told
    assert [call["args"] for call in result["tool_calls"]] == [
        {"query": "KelpNet"},
        {"entity_name": "KelpNet", "hops": 1},
    ]
    assert result["total_messages"] == 6
    spent = [call.usage for step in view.steps for call in step.calls]
    prompt, completion = sum(it.prompt_tokens for it in spent), sum(it.completion_tokens for it in spent)
    assert prompt > max(it.prompt_tokens for it in spent) > 0
    assert result["token_usage"] == {"prompt": prompt, "completion": completion, "total": prompt + completion}
    assert view.usage.model_calls == 3
    assert [step.usage.model_calls for step in view.steps] == [1, 0, 1, 0, 1]
    assert result["answer"] == LAST.text
    assert result["kg_stats"] == {"nodes": 40, "edges": 54, "density": pytest.approx(54 / (40 * 39 / 2))}


def test_an_overview_says_what_the_documents_tell_of_its_groups(walked: SystemWorld) -> None:
    walked.library.add("groups.md", "KelpNet, LanternOS and MistralBus keep one clock. Nothing else is said.")
    walked.graph.library = walked.library
    view = run("graph_react", walked, "Give me an overview of the graph")
    assert "belong closely together: “KelpNet, LanternOS and MistralBus keep one clock.”" in view.answer
    assert view.citations


@pytest.mark.parametrize(
    ("question", "call", "sequence", "seen", "named"),
    [
        (
            "Give me an overview of the graph",
            asks("describe_graph"),
            OVERVIEW,
            "Nodes (entities): 40",
            "EskFlow (TECHNOLOGY)",
        ),
        (
            "List all people",
            asks("get_entities_by_type", entity_type="person"),
            LISTING,
            "PERSON entities (6 total):",
            "Ada Wren (PERSON)",
        ),
    ],
)
def test_a_model_needs_one_tool_for_an_overview_or_a_listing(
    walked: SystemWorld, question: str, call: Reply, sequence: list[str], seen: str, named: str
) -> None:
    said = Reply(f"{named} is one of the entities of the graph.")
    view, chats = at_the_wire(walked, [call, said], question)
    assert tools(view) == sequence
    assert path(view) == ["model", "tools", "model"]
    assert seen in chats[-1]["messages"][-1]["content"]
    assert view.answer == said.text


def test_the_last_answer_streams(walked: SystemWorld) -> None:
    at_the_wire(walked, [*WALK, LAST])
    pieces = [event.text for event in walked.events if isinstance(event, AnswerDelta)]
    assert len(pieces) > 3
    assert "".join(pieces) == LAST.text


def test_what_is_said_before_another_tool_is_withdrawn(walked: SystemWorld) -> None:
    aloud = Reply("Let me look.", WALK[1].tool_calls, "tool_calls")
    view, _ = at_the_wire(walked, [WALK[0], aloud, LAST])
    assert view.withdrawn == ("run.reason.tool_first",)
    assert view.answer == LAST.text


def test_several_tools_of_one_turn_are_all_answered(walked: SystemWorld) -> None:
    both = Reply(tool_calls=tuple(call for turn in WALK for call in turn.tool_calls), finish_reason="tool_calls")
    view, chats = at_the_wire(walked, [both, LAST])
    assert tools(view) == RELATION
    assert [message["role"] for message in chats[-1]["messages"]][-3:] == ["assistant", "tool", "tool"]


def test_unknown_tools_and_wrong_arguments_are_told_to_the_model(walked: SystemWorld) -> None:
    broken = Reply(tool_calls=(ToolCall("get_neighbors", '{"entity_name": '),), finish_reason="tool_calls")
    view, chats = at_the_wire(walked, [asks("fly"), asks("search_entities", word="x"), broken, *WALK, LAST])
    said = [message["content"] for message in chats[-1]["messages"] if message["role"] == "tool"]
    assert said[0].startswith("Error: there is no tool 'fly'")
    assert said[1].startswith("Error: the arguments of search_entities do not fit")
    assert said[2].startswith("Error: the arguments of get_neighbors do not fit")
    assert view.answer == LAST.text
    assert not walked.meter.degradations


def written(name: str, /, **arguments: object) -> Reply:
    """A call as small models write it."""
    return Reply(f"```json\n{json.dumps({'name': name, 'arguments': arguments}, indent=2)}\n```")


def shown(world: SystemWorld) -> str:
    return "".join(event.text for event in world.events if isinstance(event, AnswerDelta))


def test_calls_that_a_model_writes_into_its_text_are_calls(walked: SystemWorld) -> None:
    steps = [written("search_entities", query="KelpNet"), written("get_neighbors", entity_name="KelpNet")]
    view, chats = at_the_wire(walked, [*steps, LAST])
    assert tools(view) == RELATION
    assert view.answer == shown(walked) == LAST.text
    assert [message["role"] for message in chats[-1]["messages"]][2:] == ["assistant", "tool"] * 2
    assert not walked.meter.degradations


def test_a_wrong_call_in_the_text_is_told_to_the_model(walked: SystemWorld) -> None:
    wrong = [written("fly"), written("get_neighbors", name="KelpNet")]
    view, chats = at_the_wire(walked, [*wrong, *WALK, LAST])
    said = [message["content"] for message in chats[-1]["messages"] if message["role"] == "tool"]
    assert said[0].startswith("Error: there is no tool 'fly'")
    assert said[1].startswith("Error: the arguments of get_neighbors do not fit")
    assert view.answer == shown(walked) == LAST.text


def test_one_entity_is_not_asked_about_at_several_distances_at_once(walked: SystemWorld) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [("search_entities", {"query": "KelpNet"})]
    calls += [("get_neighbors", {"entity_name": "KelpNet", "hops": hops}) for hops in (1, 2, 3)]
    reply = "\n".join(json.dumps({"name": name, "arguments": given}) for name, given in calls)
    view, _ = at_the_wire(walked, [Reply(f"<tools>\n{reply}\n</tools>"), LAST])
    assert tools(view) == RELATION
    assert view.answer == LAST.text


def test_a_call_that_is_repeated_ends_the_loop(walked: SystemWorld) -> None:
    again = asks("get_neighbors", hops=1, entity_name="KelpNet")
    view, chats = at_the_wire(walked, [*WALK, again, LAST])
    assert tools(view) == RELATION
    assert view.answer == LAST.text
    assert "tools" not in chats[-1]


def test_a_call_where_the_answer_is_due_is_not_shown(walked: SystemWorld) -> None:
    view, _ = at_the_wire(walked, [*WALK, WALK[1], written("search_entities", query="HarborDB")])
    assert walked.meter.degradations == [("graph_walk", "llm.empty")]
    assert "EskFlow, HarborDB and LanternOS" in view.answer
    assert "{" not in shown(walked)


def test_a_model_that_would_answer_before_it_looked_is_made_to_look(walked: SystemWorld) -> None:
    view, _ = at_the_wire(walked, [Reply("KelpNet is a fish."), Reply("KelpNet is a TECHNOLOGY.")])
    assert tools(view) == ["search_entities"]
    assert view.answer == "KelpNet is a TECHNOLOGY."
    assert "fish" not in "".join(event.text for event in walked.events if isinstance(event, AnswerDelta))


FAULTY = {
    "unauthorized": "llm.key_refused",
    "rate_limited": "llm.busy",
    "rate_limited_absurdly": "llm.busy",
    "server_error": "llm.unavailable",
    "html": "llm.malformed",
    "slow_headers": "llm.timeout",
    "keep_alives": "llm.timeout",
    "empty": "llm.empty",
    "endless_tool_calls": "llm.empty",
}


@pytest.mark.parametrize("fault", sorted(FAULTY))
def test_the_planner_takes_over_where_the_model_fails(walked: SystemWorld, fault: str) -> None:
    started = time.monotonic()
    endless = FAULTY[fault] == "llm.timeout"
    view, _ = at_the_wire(walked, lambda _: FAULTS[fault](), seconds=0.5 if endless else 5.0)
    assert time.monotonic() - started < 30
    assert [reason for _, reason in walked.meter.degradations] == [FAULTY[fault]]
    assert view.status is RunStatus.DONE
    assert view.answer.strip()
    assert tools(view)[-2:] == RELATION
    assert "EskFlow, HarborDB and LanternOS" in view.answer


@pytest.mark.parametrize("fault", ["cut", "no_finish_reason", "length"])
def test_an_answer_that_breaks_off_is_kept_and_marked(walked: SystemWorld, fault: str) -> None:
    answers = iter(WALK)
    view, _ = at_the_wire(walked, lambda _: next(answers, None) or FAULTS[fault]())
    assert tools(view) == RELATION
    assert view.outcome == AnswerOutcome.UNCONFIRMED.value
    assert view.answer.startswith("The reservoir")
    assert "interrupted" in view.answer


@pytest.mark.parametrize("fault", ["cut_tool_call", "tool_call_without_end"])
def test_a_tool_call_that_breaks_off_is_tried_again_and_then_left_to_the_planner(
    walked: SystemWorld, fault: str
) -> None:
    view, chats = at_the_wire(walked, lambda _: FAULTS[fault]())
    assert [reason for _, reason in walked.meter.degradations] == ["llm.interrupted"]
    assert len(chats) > 1
    assert tools(view) == RELATION


def test_an_endpoint_without_tools_is_asked_for_steps_in_json_and_that_is_remembered(walked: SystemWorld) -> None:
    steps = [
        step("search_entities", query="KelpNet"),
        step("get_neighbors", entity_name="KelpNet", hops=1),
        ToolStep(tool="answer"),
    ]
    answers = [*(Reply(made.model_dump_json()) for made in steps), LAST]
    with OpenAiServer([*answers, *answers], refuses=["tools"]) as server:
        llm = ChatLlm(impatient(server.base_url))
        for _ in range(2):
            view = run("graph_react", walked, "What is related to KelpNet?", llm=llm)
            assert tools(view) == RELATION
            assert view.answer == LAST.text
            assert not walked.meter.degradations
        llm.close()
        assert sum("tools" in chat for chat in server.chats) == 1


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 8192 tokens. Your messages resulted in 9001 tokens (8001 in the "
        "messages, 1000 in the functions). Please reduce the length of the messages or functions.",
        "the request exceeds the available context size (messages and tools)",
        "prompt is too long: 9001 tokens with tools",
    ],
)
def test_one_question_too_long_for_the_model_does_not_switch_tools_off(walked: SystemWorld, said: str) -> None:
    too_long = Failure(400, said, "context_length_exceeded")
    with OpenAiServer([too_long, *WALK, LAST]) as server:
        llm = ChatLlm(impatient(server.base_url))
        first = run("graph_react", walked, "What is related to KelpNet?", llm=llm)
        view = run("graph_react", walked, "What is related to KelpNet?", llm=llm)
        llm.close()
    assert "EskFlow, HarborDB and LanternOS" in first.answer
    assert walked.meter.degradations == [("graph_walk", "llm.refused")]
    assert (tools(view), view.answer) == (RELATION, LAST.text)


def test_an_endpoint_that_refuses_details_is_asked_without_them(walked: SystemWorld) -> None:
    view, chats = at_the_wire(walked, [*WALK, LAST], refuses=["stream_options", "temperature"])
    assert view.answer == LAST.text
    assert "stream_options" not in chats[-1]
    assert "temperature" not in chats[-1]
    assert view.usage.estimated


def test_no_key_leaves_in_a_trace(walked: SystemWorld) -> None:
    with OpenAiServer([*WALK, Reply("KelpNet and sk-abcdefghijklmnop1234 (TECHNOLOGY).")]) as server:
        llm = ChatLlm(replace(impatient(server.base_url), api_key="my-own-secret"))
        view = run("graph_react", walked, "What is related to KelpNet? my-own-secret", llm=llm)
        llm.close()
    told = "".join(call.prompt + call.response for step in view.steps for call in step.calls)
    assert "my-own-secret" not in told
    assert "sk-abcdefghijklmnop1234" not in told


def test_a_second_question_of_the_thread_walks_again(walked: SystemWorld) -> None:
    with OpenAiServer([*WALK, LAST, *WALK, LAST]) as server:
        llm = ChatLlm(impatient(server.base_url))
        run("graph_react", walked, "What is KelpNet?", llm=llm)
        view = run("graph_react", walked, "and its neighbours?", ("What is KelpNet?", LAST.text), llm=llm)
        llm.close()
        bodies = server.chats
    assert tools(view) == RELATION
    assert all(len(body["tools"]) == 4 for body in bodies)
    told = bodies[3]["messages"]
    assert [(it["role"], it["content"]) for it in told[1:3]] == [("user", "What is KelpNet?"), ("assistant", LAST.text)]
    assert "KelpNet" in told[3]["content"].split("<question>")[1]


def test_a_stop_ends_a_model_in_the_middle(walked: SystemWorld) -> None:
    walked.meter = FakeMeter(stopped=lambda: bool(walked.meter.tools))
    at_the_wire(walked, [*WALK, LAST])
    assert isinstance(walked.events[-1], RunStopped)


def test_answers_lead_to_pages(world: SystemWorld) -> None:
    graph = WalkedGraph(world.library, world.graph.entities)
    graph.connect("KelpNet", "Lena Vogt")
    world.graph = graph
    view = run("graph_react", world, "What is related to KelpNet?")
    assert "KelpNet is mentioned together with Lena Vogt [1]." in view.answer
    assert view.citations[0].document_name == "handbook.pdf"
    assert "KelpNet" in view.citations[0].text
    assert view.unsupported == ()


def test_what_neither_tools_nor_pages_say_is_marked(world: SystemWorld) -> None:
    graph = WalkedGraph(world.library, world.graph.entities)
    graph.connect("KelpNet", "Lena Vogt")
    world.graph = graph
    sold = "KelpNet was sold to a dredging company in 1997."
    said = f"KelpNet (TECHNOLOGY) is a neural network. It was developed by Lena Vogt (PERSON). {sold}"
    view, _ = at_the_wire(world, [*WALK, Reply(said)])
    assert list(view.unsupported) == [sold]
    assert view.outcome == AnswerOutcome.ANSWERED.value
    assert view.citations


def test_a_model_must_call_a_tool_before_it_answers(walked: SystemWorld) -> None:
    walked.llm = FakeLlm(graph_model=ToolStep(tool="answer"), graph_answer=Said("KelpNet is a TECHNOLOGY."))
    assert tools(run("graph_react", walked, "What is related to KelpNet?")) == ["search_entities"]


def test_endless_tool_calls_end_in_a_forced_answer(walked: SystemWorld) -> None:
    walked.llm = FakeLlm(
        graph_model=[step("search_entities", query=f"a{at}") for at in range(30)],
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
    assert "- KelpNet" in view.answer


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
