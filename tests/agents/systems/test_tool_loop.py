"""The tool loop: its tools, its five rounds, its similarity, and the defects of the original mended."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from core.agents.nodes.agent.call_model import ANSWER_NOW, NOTHING_THERE, ToolStepRequest
from core.agents.nodes.agent.think import ToolStep, cut_history
from core.agents.nodes.check.check_answer import AnswerVerdict
from core.agents.tools.knowledge_search import search_passages
from core.agents.tools.registry import session_tools
from core.agents.tools.tool import Toolset
from core.models.chat.llm import ChatLlm
from core.platform.texts import text
from core.runs.events import AnswerDelta, ToolCalled
from core.runs.history.view import RunView
from core.runs.model import AnswerOutcome, RunStatus, Turn
from core.search.model import Hit
from core.search.ports import WebResult
from tests.agents.systems.conftest import FakeWeb, SystemWorld, path, run
from tests.fakes import BASE, FakeLlm, FakeMeter, FakeRetriever, Said, state_of
from tests.loopback.answers import Answer, Cut, Reply, ToolCall
from tests.loopback.openai_server import OpenAiServer
from tests.models.chat.examples import impatient


@dataclass
class Alike(FakeRetriever):
    """Finds what the other does, all of it with one similarity."""

    similarity: float = 0.0

    def chunks(self, base_id: str, query: str, limit: int, documents: Sequence[str] = ()) -> list[Hit]:
        return [replace(hit, score=self.similarity) for hit in super().chunks(base_id, query, limit, documents)]


def step(tool: str, query: str) -> ToolStep:
    return ToolStep(tool=tool, arguments=json.dumps({"query": query}))


ONE_ROUND = ["call_model", "tools", "call_model"]
GOOD = Said("KelpNet was developed by Lena Vogt [1].")


def tools(view: RunView) -> list[str]:
    return [tool.tool for step in view.steps for tool in step.tools]


@pytest.mark.parametrize(
    ("question", "outcome", "words", "nodes"),
    [
        ("Who developed KelpNet?", AnswerOutcome.ANSWERED, "Lena Vogt", ONE_ROUND),
        ("How often is a buoy calibrated?", AnswerOutcome.ANSWERED, "every 90 days", ONE_ROUND),
        ("校准层是什么？", AnswerOutcome.ANSWERED, "一组参数", ONE_ROUND),
        ("谁是站长？", AnswerOutcome.ANSWERED, "林雨晴", ONE_ROUND),
        ("hello", AnswerOutcome.DIRECT, "Hello!", ["call_model"]),
        ("你好", AnswerOutcome.DIRECT, "您好", ["call_model"]),
        ("set an alarm for 7", AnswerOutcome.OUT_OF_SCOPE, "cannot", ["call_model"]),
        ("What is the capital of France?", AnswerOutcome.NOT_FOUND, "found nothing on", ONE_ROUND),
        ("法国的首都在哪里？", AnswerOutcome.NOT_FOUND, "没有", ONE_ROUND),
    ],
)
def test_scenarios_without_a_model(
    world: SystemWorld, question: str, outcome: AnswerOutcome, words: str, nodes: list[str]
) -> None:
    view = run("tool_loop", world, question)
    assert path(view) == nodes
    assert view.outcome == outcome.value
    assert words in view.answer


def asks(query: str, tool: str = "knowledge_search") -> ToolCall:
    return ToolCall(tool, json.dumps({"query": query}))


def wants(*calls: ToolCall) -> Reply:
    return Reply(tool_calls=calls, finish_reason="tool_calls")


def at_the_wire(
    world: SystemWorld, answers: Sequence[Answer], question: str = "Who developed KelpNet?", **more: object
) -> tuple[RunView, list[dict[str, Any]]]:
    """The run, and the bodies of the requests."""
    with OpenAiServer(answers, **more) as server:  # type: ignore[arg-type]  # options of the server
        llm = ChatLlm(impatient(server.base_url))
        view = run("tool_loop", world, question, llm=llm)
        llm.close()
        return view, server.chats


SAID = Reply("KelpNet was developed by Lena Vogt.")


def test_a_model_calls_tools_itself_with_the_system_text_first(world: SystemWorld) -> None:
    view, chats = at_the_wire(world, [wants(asks("KelpNet developed")), SAID])
    assert path(view) == ONE_ROUND
    assert (view.outcome, view.usage.model_calls) == (AnswerOutcome.ANSWERED.value, 2)
    assert view.answer == "KelpNet was developed by Lena Vogt [1]."
    assert view.citations[0].document_name == "handbook.pdf"
    roles = [[message["role"] for message in chat["messages"]] for chat in chats]
    assert roles == [["system", "user"], ["system", "user", "assistant", "tool"]]
    assert chats[1]["messages"][:2] == chats[0]["messages"]
    assert ANSWER_NOW in chats[1]["messages"][-1]["content"]
    assert "similarity" in chats[1]["messages"][-1]["content"]
    assert [tool["function"]["name"] for tool in chats[0]["tools"]] == ["knowledge_search"]
    pieces = [event.text for event in world.events if isinstance(event, AnswerDelta)]
    assert len(pieces) > 2
    assert "".join(pieces) == SAID.text


def test_several_tools_of_one_turn_are_all_answered(world: SystemWorld) -> None:
    view, chats = at_the_wire(world, [wants(asks("KelpNet developed"), asks("buoy calibrated")), SAID])
    assert tools(view) == ["knowledge_search", "knowledge_search"]
    assert path(view) == ONE_ROUND
    roles = [message["role"] for message in chats[-1]["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool"]


def test_endless_native_calls_end_in_an_answer_without_tools(world: SystemWorld) -> None:
    turns = [wants(asks(query)) for query in ("KelpNet developed", "KelpNet", "Lena Vogt", "Lena", "Karenia")]
    view, chats = at_the_wire(world, [*turns, SAID])
    assert len(tools(view)) == 5
    assert "tools" not in chats[-1]
    assert view.answer == "KelpNet was developed by Lena Vogt [1]."
    assert "No more tool" in text(view.steps[-1].reason)


def test_a_round_of_several_tools_counts_as_one(world: SystemWorld) -> None:
    turns = [wants(asks(f"KelpNet {at}"), asks(f"Karenia {at}")) for at in range(5)]
    view, chats = at_the_wire(world, [*turns, SAID])
    assert len(tools(view)) == 10
    assert path(view) == [*["call_model", "tools"] * 5, "call_model"]
    assert "tools" not in chats[-1]
    assert view.outcome == AnswerOutcome.ANSWERED.value


@pytest.mark.parametrize(
    ("question", "words"),
    [("What is the capital of France?", "Paris"), ("法国的首都在哪里？", "巴黎")],
)
def test_after_rounds_that_no_tool_took_the_rules_have_all_of_theirs(
    world: SystemWorld, question: str, words: str
) -> None:
    found = "The capital of France is Paris." if question.isascii() else "法国的首都在巴黎。"
    world.web = FakeWeb([WebResult("Atlas", "https://example.org", found, 0.9)])
    view, _ = at_the_wire(world, [wants(asks(f"x {at}", "fly")) for at in range(5)], question)
    assert tools(view) == [*["fly"] * 5, "knowledge_search", "web_search"]
    assert (view.status, view.outcome) == (RunStatus.DONE, AnswerOutcome.ANSWERED.value)
    assert words in view.answer


def test_calls_that_a_model_writes_into_its_text_are_calls(world: SystemWorld) -> None:
    call = json.dumps({"name": "knowledge_search", "arguments": {"query": "KelpNet developed"}})
    view, _ = at_the_wire(world, [Reply(f"I search.\n<tool_call>{call}</tool_call>"), SAID])
    assert tools(view) == ["knowledge_search"]
    assert path(view) == ONE_ROUND
    assert "{" not in "".join(event.text for event in world.events if isinstance(event, AnswerDelta))


def test_a_call_that_is_repeated_ends_the_loop(world: SystemWorld) -> None:
    view, chats = at_the_wire(world, [wants(asks("KelpNet developed")), wants(asks("KelpNet developed")), SAID])
    assert tools(view) == ["knowledge_search"]
    assert "tools" not in chats[-1]
    assert "already been called" in text(view.steps[-2].reason, tools="knowledge_search")
    assert view.outcome == AnswerOutcome.ANSWERED.value


def test_calls_that_no_tool_takes_are_told_to_the_model(world: SystemWorld) -> None:
    wrong = [wants(asks("x", "fly")), wants(ToolCall("knowledge_search", '{"words": 1}'))]
    view, chats = at_the_wire(world, [*wrong, wants(asks("KelpNet developed")), SAID])
    said = [message["content"] for message in chats[-1]["messages"] if message["role"] == "tool"]
    assert said[0].startswith("Error: there is no tool 'fly'")
    assert said[1].startswith("Error: the arguments of knowledge_search do not fit")
    assert view.outcome == AnswerOutcome.ANSWERED.value


def test_an_answer_before_any_tool_is_not_shown(world: SystemWorld) -> None:
    view, _ = at_the_wire(world, [Reply("KelpNet is a fish."), SAID])
    assert tools(view) == ["knowledge_search"]
    assert view.answer == "KelpNet was developed by Lena Vogt [1]."
    assert "fish" not in "".join(event.text for event in world.events if isinstance(event, AnswerDelta))


def test_a_tool_that_a_model_only_speaks_of_is_called(world: SystemWorld) -> None:
    world.web = FakeWeb([WebResult("Atlas", "https://example.org", "The capital of France is Paris.", 0.9)])
    announced = Reply("To answer this, I will use web_search. The query is the question.")
    view, _ = at_the_wire(world, [announced, Reply("It is Paris [1].")], "What is the capital of France?")
    assert tools(view) == ["web_search"]


def test_an_answer_that_breaks_off_is_kept_and_marked(world: SystemWorld) -> None:
    view, _ = at_the_wire(world, [wants(asks("KelpNet developed")), Cut("KelpNet was developed by Lena")])
    assert view.outcome == AnswerOutcome.UNCONFIRMED.value
    assert view.answer.startswith("KelpNet was developed by Lena")
    assert "interrupted" in view.answer


def test_an_endpoint_without_tools_decides_in_json_and_that_is_remembered(world: SystemWorld) -> None:
    steps = [step("knowledge_search", "KelpNet developed"), ToolStep(tool="answer")]
    answers = [*(Reply(step.model_dump_json()) for step in steps), Reply("KelpNet was developed by Lena Vogt [1].")]
    with OpenAiServer([*answers, *answers], refuses=["tools"]) as server:
        llm = ChatLlm(impatient(server.base_url))
        for _ in range(2):
            view = run("tool_loop", world, "Who developed KelpNet?", llm=llm)
            assert path(view) == ONE_ROUND
            assert (view.outcome, view.usage.model_calls) == (AnswerOutcome.ANSWERED.value, 3)
        llm.close()
        chats = server.chats
    assert sum("tools" in chat for chat in chats) == 1
    assert ANSWER_NOW in chats[2]["messages"][0]["content"]


def test_similarity_decides_the_instruction(world: SystemWorld) -> None:
    world.llm = FakeLlm(call_model=[step("knowledge_search", "zebra"), ToolStep(tool="answer")], generate=GOOD)
    view = run("tool_loop", world, "Who developed KelpNet?")
    asked = [request for _, request in world.llm.requests if isinstance(request, ToolStepRequest)]
    assert [request.instruction for request in asked] == ["", NOTHING_THERE]
    assert view.outcome == AnswerOutcome.NOT_FOUND.value
    assert "found nothing on" in view.answer


@pytest.mark.parametrize(
    ("similarity", "instruction", "outcome"),
    [(0.30, ANSWER_NOW, AnswerOutcome.ANSWERED), (0.29, NOTHING_THERE, AnswerOutcome.CLOSEST)],
)
def test_from_a_similarity_of_three_tenths_on_the_model_is_told_to_answer(
    world: SystemWorld, similarity: float, instruction: str, outcome: AnswerOutcome
) -> None:
    world.retriever = Alike(world.library, similarity=similarity)
    view, chats = at_the_wire(world, [wants(asks("KelpNet developed")), SAID])
    assert chats[1]["messages"][-1]["content"].endswith(instruction)
    assert view.outcome == outcome.value


def test_endless_calls_end_in_a_forced_answer_not_an_empty_one(world: SystemWorld) -> None:
    """The original ended the run when the model asked for one more tool, with an empty answer."""
    queries = ["KelpNet developed", *(f"zebra {at}" for at in range(20))]
    world.llm = FakeLlm(call_model=[step("knowledge_search", it) for it in queries], generate=GOOD)
    view = run("tool_loop", world, "Who developed KelpNet?")
    assert len(tools(view)) == 5
    assert path(view) == [*["call_model", "tools"] * 5, "call_model"]
    assert view.answer == "KelpNet was developed by Lena Vogt [1]."


def test_a_second_question_has_its_tools_again(world: SystemWorld) -> None:
    """The original took any tool result of the session for one of this question."""
    history = ("Who developed KelpNet?", "Lena Vogt [1].")
    view = run("tool_loop", world, "How often is a buoy calibrated?", history)
    assert tools(view) == ["knowledge_search"]
    assert "every 90 days" in view.answer


def test_a_follow_up_is_resolved(world: SystemWorld) -> None:
    view = run("tool_loop", world, "Who developed it?", ("What is KelpNet?", "A network [1]."))
    assert "Lena Vogt" in view.answer


def test_a_bare_name_is_answered_in_the_language_of_the_conversation(world: SystemWorld) -> None:
    english = run("tool_loop", world, "KelpNet?")
    chinese = run("tool_loop", world, "KelpNet?", ("校准层是什么？", "一组参数 [1]。"))
    for view, language in ((english, "en"), (chinese, "zh-hans")):
        scope = text("answer.scope.base", language, base="Sample", count=2)
        assert view.answer == text("answer.closest_one", language, scope=scope)


def test_the_web_is_a_tool_only_when_it_is_on(world: SystemWorld) -> None:
    assert tools(run("tool_loop", world, "What is the capital of France?")) == ["knowledge_search"]
    world.web = FakeWeb([WebResult("Atlas", "https://example.org", "The capital of France is Paris.", 0.9)])
    view = run("tool_loop", world, "What is the capital of France?", use_web=True)
    assert tools(view) == ["knowledge_search", "web_search"]
    assert "Paris" in view.answer
    assert view.citations[0].url == "https://example.org"


def test_a_tool_that_the_session_does_not_have_is_told_to_the_model(world: SystemWorld) -> None:
    world.llm = FakeLlm(
        call_model=[
            step("web_search", "KelpNet"),
            step("knowledge_search", "KelpNet developed"),
            ToolStep(tool="answer"),
        ],
        generate=GOOD,
    )
    view = run("tool_loop", world, "Who developed KelpNet?")
    first = next(event for event in world.events if isinstance(event, ToolCalled))
    assert first.result.startswith("Error: there is no tool 'web_search'")
    assert view.outcome == AnswerOutcome.ANSWERED.value


def test_a_model_may_not_answer_before_a_tool(world: SystemWorld) -> None:
    world.llm = FakeLlm(call_model=ToolStep(tool="answer"), generate=GOOD)
    assert tools(run("tool_loop", world, "Who developed KelpNet?")) == ["knowledge_search"]


def test_a_used_up_budget_forces_the_answer(world: SystemWorld) -> None:
    world.meter = FakeMeter(max_tools=0)
    view = run("tool_loop", world, "Who developed KelpNet?")
    assert path(view) == ONE_ROUND
    assert view.outcome == AnswerOutcome.NOT_FOUND.value
    assert view.answer


def test_where_an_answer_is_unsupported_the_rules_answer(world: SystemWorld) -> None:
    world.llm = FakeLlm(
        call_model=[step("knowledge_search", "KelpNet developed"), ToolStep(tool="answer")],
        generate=Said("KelpNet was sold in 1997 [1]."),
        check_answer=AnswerVerdict(supported=False, answers=True, reason="No."),
    )
    view = run("tool_loop", world, "Who developed KelpNet?")
    assert view.outcome == AnswerOutcome.ANSWERED.value
    assert "1997" not in view.answer
    assert view.answer.endswith(text("answer.by_rules"))


def test_titles_rank_results_and_similarity_chooses_what_the_answer_rests_on(world: SystemWorld) -> None:
    seen = ("gulls", "seals", "kelp", "fog", "barges", "divers", "terns", "swell")
    titled = [
        (f"Harbour watch {n}", f"The harbour watch of day {n} saw {what} near pier {n}.") for n, what in enumerate(seen)
    ]
    world.library.add("log.pdf", *titled, ("Crew", "Ida Holm leads the harbour watch."))
    view = run("tool_loop", world, "Who leads the harbour watch?")
    assert "Ida Holm leads the harbour watch." in view.answer
    assert view.outcome == AnswerOutcome.ANSWERED.value


def test_titles_weigh_more_than_content(world: SystemWorld) -> None:
    """Half of the query in a title wins over all of it in a text: 0.6 * 0.5 + 0.4 * 0.5 against 0.4 * 1."""
    titled = ("Tides and the moon", "Nothing else is said of them.")
    world.library.add("log.pdf", ("Weather", "The tides, the moon, a harbour and a storm."), titled)
    found = search_passages(BASE, "tides moon harbour storm", world.deps())
    assert [(hit.chunk_id, hit.score) for hit in found.hits] == [("d3-1", 0.5), ("d3-0", 1.0)]
    assert found.best == 1.0
    assert found.text.split("\n\n")[0] == (
        "Rank 1 | similarity 0.50 | title: Tides and the moon\nNothing else is said of them.\nSource: log.pdf, page 2"
    )
    assert search_passages(BASE, "zebra", world.deps()).text == "Nothing found for 'zebra'."


def test_at_most_fifteen_passages_are_found(world: SystemWorld) -> None:
    world.library.add("log.pdf", *(f"A storm on day {day}." for day in range(20)))
    found = search_passages(BASE, "storm", world.deps())
    assert len(found.hits) == 15
    assert "Rank 15 |" in found.text
    assert "Rank 16 |" not in found.text


def test_what_is_not_similar_is_not_told_beside_what_is(world: SystemWorld) -> None:
    world.library.add("log.pdf", "A storm broke the pier.", "A storm, a wave, fog, gulls, terns and seals.")
    found = search_passages(BASE, "storm wave fog gulls terns seals", world.deps())
    assert [hit.score >= 0.3 for hit in found.hits] == [True, False]
    assert found.text.count("Rank ") == 1
    assert search_passages(BASE, "storm by night with much hail and rain", world.deps()).text.count("Rank ") == 2


def test_session_tools_name_the_base_and_the_web_where_it_is_on(world: SystemWorld) -> None:
    (only,) = session_tools(Toolset.SEARCH, state_of("?"), world.deps())
    assert (only.name, only.description) == ("knowledge_search", "Searches the documents of Sample")
    world.web = FakeWeb()
    tools = session_tools(Toolset.SEARCH, state_of("?"), world.deps())
    assert [tool.name for tool in tools] == ["knowledge_search", "web_search"]


@pytest.mark.parametrize("length", [4, 25, 26, 27, 28, 31, 60])
def test_long_histories_are_cut_at_a_question(length: int) -> None:
    """A plain cut can leave a tool's result without its call, which servers refuse with 400."""
    roles = ["user", "assistant", "tool", "assistant"]
    turns = [Turn(roles[at % 4], f"message {at}") for at in range(length)]
    kept = cut_history(turns)
    assert kept[0].role == "user"
    assert kept == tuple(turns[-len(kept) :])
    assert len(kept) == length if length <= 25 else 16 < len(kept) <= 20
