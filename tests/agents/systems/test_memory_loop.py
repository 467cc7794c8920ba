"""The self-correcting loop with memory: its worked trace, its corrections, its fall back to the web."""

import pytest

from core.agents.nodes.check.grade_relevance import Relevant
from core.agents.nodes.plan.route_query import RouteChoice, SearchRoute
from core.agents.nodes.search.rewrite_query import SearchTerms
from core.agents.state import Route
from core.agents.workflows.registry import workflow_named
from core.agents.workflows.workflow import compile_workflow, recursion_limit
from core.memory.model import MemoryKind
from core.models.chat.llm import ChatLlm
from core.platform.errors import ServiceError
from core.platform.texts import text
from core.runs.events import AnswerReset, PassagesGraded, ToolCalled
from core.runs.history.view import RunView
from core.runs.model import AnswerOutcome, RunStatus
from core.search.ports import WebResult
from tests.agents.systems.conftest import FakeWeb, SystemWorld, decisions, path, run
from tests.fakes import FakeLlm, Said, memory_of
from tests.loopback.answers import Reply
from tests.loopback.openai_server import OpenAiServer
from tests.models.chat.examples import impatient

COLD_REMEDY = "999感冒灵的商品详情"
QUERIES = ["KelpNet developed", "KelpNet developed maker", "KelpNet network developed"]
"""The model's: the first one, and one for each correction."""
TRACE = [
    "retrieve_memory",
    "route_query",
    "rewrite_query",
    "web_search",
    "generate_response",
    "grade_relevance",
    "consolidate_memory",
]
LOCAL = ["retrieve_memory", "route_query", "rewrite_query", "retrieve", "generate_response", "grade_relevance"]
DIRECT = ["retrieve_memory", "route_query", "direct_response", "grade_relevance", "consolidate_memory"]
FOUND = WebResult(
    "999感冒灵", "https://example.org/999", "999感冒灵的商品详情：每盒九袋，用于感冒引起的头痛发热。", 0.9
)


def ask(world: SystemWorld, question: str, *history: str, **fields: object) -> RunView:
    return run("memory_loop", world, question, history, None, **fields)


def test_the_worked_trace_on_an_empty_corpus(empty: SystemWorld) -> None:
    empty.web = FakeWeb([FOUND])
    view = ask(empty, COLD_REMEDY, use_web=True)
    assert path(view) == TRACE
    memory, route = view.steps[:2]
    assert (memory.outcome, memory.reason) == ("none", "run.reason.memory_none")
    assert (route.outcome, route.reason) == ("web_search", "run.reason.nothing_local")
    assert dict(route.details)["planned"] == "direct_chunk_search"
    assert decisions(view, "grade_relevance") == ["relevant"]
    assert view.outcome == AnswerOutcome.ANSWERED.value
    assert empty.web.asked == [(COLD_REMEDY, 3)]


def test_the_worked_trace_with_a_model_at_the_wire(empty: SystemWorld) -> None:
    empty.web = FakeWeb([FOUND])
    route = RouteChoice(route=SearchRoute.DIRECT_CHUNK_SEARCH, question=COLD_REMEDY, reason="One product.")
    query = SearchTerms(query=COLD_REMEDY)
    answers = [
        Reply(route.model_dump_json()),
        Reply(query.model_dump_json()),
        Reply("999感冒灵每盒九袋，用于感冒引起的头痛发热 [1]。"),
    ]
    with OpenAiServer(answers) as server:
        llm = ChatLlm(impatient(server.base_url))
        view = run("memory_loop", empty, COLD_REMEDY, llm=llm, use_web=True)
        llm.close()
    assert path(view) == TRACE
    assert view.outcome == AnswerOutcome.ANSWERED.value
    assert view.citations[0].url == FOUND.url
    assert view.usage.model_calls == 3


def test_web_evidence_is_kept_apart_and_says_where_it_is_from(empty: SystemWorld) -> None:
    empty.web = FakeWeb([FOUND])
    view = ask(empty, COLD_REMEDY, use_web=True)
    (citation,) = view.citations
    assert (citation.url, citation.document_id, citation.boxes) == (FOUND.url, "", ())
    assert view.answer.startswith("来自网络")
    (called,) = empty.of(ToolCalled)
    assert isinstance(called, ToolCalled)
    assert COLD_REMEDY in called.arguments


@pytest.mark.parametrize(
    ("question", "words"), [(COLD_REMEDY, "网络搜索未配置"), ("Details of the X200?", "Web search is not configured")]
)
def test_without_a_web_the_fall_back_is_honest(empty: SystemWorld, question: str, words: str) -> None:
    view = ask(empty, question)
    assert path(view) == TRACE[:4]
    assert view.outcome == AnswerOutcome.UNREADY.value
    assert words in view.answer
    assert text("answer.not_found.empty", "zh-hans" if question == COLD_REMEDY else "en", base="Sample") in view.answer


def test_a_failed_web_search_ends_in_a_sentence(empty: SystemWorld) -> None:
    empty.web = FakeWeb(failure=ServiceError("web_search.quota"))
    view = ask(empty, "Details of the X200?", use_web=True)
    assert (view.status, view.outcome) == (RunStatus.DONE, AnswerOutcome.UNREADY.value)
    assert "rate limit" in view.answer


@pytest.mark.parametrize(
    ("question", "words", "route"),
    [
        ("Who developed KelpNet?", "Lena Vogt", "direct_chunk_search"),
        ("Why is each buoy calibrated by the crew every 90 days?", "every 90 days", "hierarchical_search"),
        ("校准层是什么？", "一组参数", "direct_chunk_search"),
        ("谁是站长？", "林雨晴", "direct_chunk_search"),
    ],
)
def test_local_questions_without_a_model(world: SystemWorld, question: str, words: str, route: str) -> None:
    view = ask(world, question)
    assert path(view) == [*LOCAL, "consolidate_memory"]
    assert decisions(view, "route_query") == [route]
    assert view.outcome == AnswerOutcome.ANSWERED.value
    assert words in view.answer
    assert view.citations[0].boxes


@pytest.mark.parametrize(("question", "words"), [("hello", "Hello"), ("你好", "您好"), ("谢谢", "不客气")])
def test_small_talk_is_answered_directly(world: SystemWorld, question: str, words: str) -> None:
    view = ask(world, question)
    assert path(view) == DIRECT
    assert words in view.answer
    assert world.retriever.asked == []


def test_retrieval_comes_after_the_rewrite_and_is_repeated_by_another_route(world: SystemWorld) -> None:
    """The original searched once before the rewrite, so that every correction read the same passages."""
    world.llm = FakeLlm(
        generate=Said("KelpNet was sold in 1997 [1]."),
        grade_relevance=Relevant(is_relevant=False, reason="Made up."),
        rewrite_query=[SearchTerms(query=query) for query in QUERIES],
    )
    ask(world, "Who developed KelpNet?")
    after_probe = world.retriever.asked[1:]
    assert [route for route, _ in after_probe] == ["chunks", "hierarchical", "chunks"]
    assert [query for _, query in after_probe] == QUERIES


def test_two_corrections_really_happen_before_the_breaker(world: SystemWorld) -> None:
    """The original counted before it checked, and made one."""
    world.llm = FakeLlm(
        generate=Said("KelpNet was sold in 1997 [1]."),
        grade_relevance=Relevant(is_relevant=False, reason="Made up."),
        rewrite_query=[SearchTerms(query=query) for query in QUERIES],
    )
    view = ask(world, "Who developed KelpNet?")
    assert decisions(view, "grade_relevance") == ["retry", "retry", "relevant"]
    assert path(view).count("generate_response") == 3
    assert view.answer.endswith(text("answer.by_rules"))
    assert len(world.of(AnswerReset)) == 2


def test_routes_are_tried_in_order_with_the_web_last(world: SystemWorld) -> None:
    world.web = FakeWeb([WebResult("News", "https://example.org", "KelpNet was developed by Lena Vogt.", 0.8)])
    world.llm = FakeLlm(
        generate=Said("KelpNet was sold in 1997 [1]."),
        grade_relevance=Relevant(is_relevant=False, reason="Made up."),
        rewrite_query=[SearchTerms(query=query) for query in QUERIES],
    )
    view = ask(world, "Who developed KelpNet?", use_web=True)
    assert [route for route, _ in world.retriever.asked[1:]] == ["chunks", "hierarchical"]
    assert world.web.asked == [("KelpNet network developed", 3)]
    assert view.answer.endswith(text("answer.by_rules"))


def test_a_rejected_direct_answer_goes_on_as_a_search(world: SystemWorld) -> None:
    world.llm = FakeLlm(
        route_query=RouteChoice(route=SearchRoute.DIRECT, question="How often is a buoy calibrated?"),
        direct_answer=Said("Sometimes."),
        rewrite_query=SearchTerms(query="buoy calibrated"),
        grade_relevance=Relevant(is_relevant=False, reason="It looked nothing up."),
        generate=Said("Each buoy is calibrated every 90 days by the crew [1]."),
    )
    view = ask(world, "And that of a buoy?", "How often is it calibrated?", "I do not know.")
    assert path(view)[2:5] == ["direct_response", "grade_relevance", "rewrite_query"]
    assert [route for route, _ in world.retriever.asked] == ["hierarchical"]
    assert view.outcome == AnswerOutcome.ANSWERED.value
    assert view.answer.startswith("Each buoy")


def test_a_local_search_that_turns_out_empty_goes_to_the_web(world: SystemWorld) -> None:
    world.web = FakeWeb([WebResult("Atlas", "https://example.org", "The capital of France is Paris.", 0.8)])
    view = ask(world, "What is the capital of France?", use_web=True)
    assert path(view)[-4:] == ["web_search", "generate_response", "grade_relevance", "consolidate_memory"]
    assert "Paris" in view.answer


def test_counters_begin_anew_with_every_question(world: SystemWorld) -> None:
    ask(world, "What is the capital of France?")
    view = ask(
        world, "Who developed it?", "What is KelpNet?", "A network [1].", corrections=2, tried_routes=(Route.WEB,)
    )
    assert view.outcome == AnswerOutcome.ANSWERED.value
    assert dict(view.steps[1].details)["resolved"] == "Who developed KelpNet?"


@pytest.mark.parametrize("route", [SearchRoute.DIRECT_CHUNK_SEARCH, SearchRoute.HIERARCHICAL_SEARCH])
def test_a_local_search_reads_five_passages(world: SystemWorld, route: SearchRoute) -> None:
    world.library.add("log.pdf", *((f"Day {at}", f"On day {at} the glider Petrel dived.") for at in range(8)))
    world.llm = FakeLlm(
        route_query=RouteChoice(route=route, question="Where did the glider Petrel dive?"),
        rewrite_query=SearchTerms(query="glider Petrel dive"),
        generate=Said("The glider Petrel dived [1]."),
        grade_relevance=Relevant(is_relevant=True),
    )
    ask(world, "Where did the glider Petrel dive?")
    graded = next(event for event in world.events if isinstance(event, PassagesGraded))
    assert len(graded.kept) + len(graded.rejected) == 5


def test_all_memories_are_candidates_and_the_route_is_decided_with_the_best_three(world: SystemWorld) -> None:
    question = "Which days matter for the crew?"
    for at in range(12):
        world.memories.save(memory_of(f"days that matter to crew {at}", MemoryKind.CONCLUSION))
    world.llm = FakeLlm(
        route_query=RouteChoice(route=SearchRoute.DIRECT_CHUNK_SEARCH, question=question),
        rewrite_query=SearchTerms(query="buoy calibrated crew"),
        generate=Said("Each buoy is calibrated every 90 days by the crew [1]."),
        grade_relevance=Relevant(is_relevant=True),
    )
    view = ask(world, question)
    assert dict(view.steps[0].details)["candidates"] == "12"
    asked = next(request for name, request in world.llm.requests if name == "route_query")
    assert [memory.id for memory in asked.memories] == [id for id, _ in view.memories]  # type: ignore[attr-defined]
    assert len(view.memories) == 3
    assert world.memories.touched == []


def test_a_memory_of_an_older_index_loses_weight(world: SystemWorld) -> None:
    """The original let "X needs web search" steer for ever, also after X was ingested."""
    old = memory_of("KelpNet needs web search", MemoryKind.CONCLUSION, base_id="base", index_version=1, importance=6)
    new = memory_of("KelpNet was developed here", MemoryKind.CONCLUSION, base_id="base", index_version=9, importance=5)
    world.memories.save(old)
    world.memories.save(new)
    world.library.reindexed(9)
    view = ask(world, "Who developed KelpNet?")
    assert [text for _, text in view.memories] == [new.text, old.text]
    assert decisions(view, "route_query") == ["direct_chunk_search"]


def test_the_recursion_limit_follows_from_the_loop_limits() -> None:
    compiled = compile_workflow(workflow_named("memory_loop"))
    for corrections in (0, 2, 5):
        assert recursion_limit(compiled, corrections) >= 2 + 4 * (1 + corrections) + 1
