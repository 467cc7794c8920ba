"""The default workflow and the web: planned, as the last resort, refused, failing; never mixed with documents."""

import pytest

from core.agents.nodes.check.check_answer import AnswerVerdict
from core.agents.nodes.plan.plan import Plan
from core.agents.nodes.search.rewrite_query import SearchTerms
from core.agents.state import Route
from core.agents.workflows.registry import workflows
from core.platform.errors import ServiceError
from core.platform.texts import text
from core.runs.execution.consent import Consent, ConsentingWebSearch
from core.runs.model import AnswerOutcome
from core.search.ports import WebResult
from core.search.tavily_search import TavilySearch, outgoing_query
from tests.agents.systems.conftest import FakeWeb, SystemWorld, decisions, run
from tests.agents.systems.models import model_at
from tests.agents.workflows.conftest import Ask, path
from tests.fakes import FakeLlm, FakeMeter, Said
from tests.loopback.answers import Reply
from tests.loopback.openai_server import OpenAiServer
from tests.loopback.tavily_server import Results, TavilyServer

HEAD = ["guard", "detect_language", "recall_memory", "plan"]
SEARCH = ["rewrite_query", "retrieve", "grade_evidence"]
WRITE = ["generate", "check_answer", "evaluate_compliance", "consolidate_memory", "telemetry"]
WEB_FIRST = [*HEAD, "web_search", *WRITE]
WEB_LAST = [*HEAD, *SEARCH, "web_search", *WRITE]
NOT_FOUND = [*HEAD, *SEARCH, "not_found", "telemetry"]
CAPITAL = "What is the capital of France?"
PARIS = WebResult("France", "https://example.org/france", "Paris is the capital of France.", 0.9)
LATER = WebResult("News", "https://example.org/news", "The latest red tide news: a bloom was seen in May.", 0.9)
RAIN = WebResult("Weather", "https://example.org/rain", "The weather in Westhaven today: rain.", 0.9)
RED_TIDE = WebResult("赤潮", "https://example.org/hongchao", "赤潮的最新消息：五月在湾内发现赤潮。", 0.9)


@pytest.mark.parametrize(
    ("question", "query", "found", "reason"),
    [
        ("Search the web for the capital of France", "the capital of France", PARIS, "run.reason.web_wanted"),
        ("Find the capital of France on the internet.", "Find the capital of France", PARIS, "run.reason.web_wanted"),
        ("What is the latest red tide news?", "What is the latest red tide news?", LATER, "run.reason.recent"),
        (
            "What is the weather in Westhaven today?",
            "What is the weather in Westhaven today?",
            RAIN,
            "run.reason.recent",
        ),
        ("上网查一下赤潮的最新消息", "赤潮的最新消息", RED_TIDE, "run.reason.web_wanted"),
        ("赤潮的最新消息是什么？", "赤潮的最新消息是什么？", RED_TIDE, "run.reason.recent"),
    ],
)
def test_what_is_wanted_of_the_web_is_searched_there(
    ask: Ask, world: SystemWorld, question: str, query: str, found: WebResult, reason: str
) -> None:
    world.web = web = FakeWeb([found])
    view = ask(question, use_web=True)
    assert path(view) == WEB_FIRST
    assert web.asked == [(query, 3)]
    assert world.retriever.asked == []
    assert view.steps[3].reason == reason
    assert view.outcome == AnswerOutcome.ANSWERED.value
    assert [citation.url for citation in view.citations] == [found.url]
    assert view.answer.startswith(("From the web", "来自网络"))


def test_a_bare_order_searches_for_the_question_before_it(ask: Ask, world: SystemWorld) -> None:
    world.web = web = FakeWeb([PARIS])
    view = ask("search the web", CAPITAL, "This search found no answer.", use_web=True)
    assert web.asked == [(CAPITAL, 3)]
    assert dict(view.steps[3].details)["resolved"] == CAPITAL
    assert "Paris" in view.answer


@pytest.mark.parametrize("question", ["What is the latest version of the manual?", "What is KelpNet's latest share?"])
def test_what_documents_or_the_graph_know_by_name_is_searched_there_first(
    ask: Ask, world: SystemWorld, question: str
) -> None:
    world.web = FakeWeb([PARIS])
    view = ask(question, use_web=True)
    assert next(node for node in path(view)[len(HEAD) :] if node != "tell_graph") == "rewrite_query"


def test_without_a_web_nothing_is_planned_for_it(ask: Ask) -> None:
    assert "web_search" not in path(ask("What is the latest red tide news?"))
    view = ask("Search the web for the capital of France")
    assert path(view) == NOT_FOUND
    assert text("run.reason.web_off") in view.answer


def test_the_documents_answer_for_a_web_that_is_off_and_say_so(ask: Ask) -> None:
    view = ask("Search the web for who developed KelpNet")
    assert view.outcome == AnswerOutcome.ANSWERED.value
    assert "Lena Vogt" in view.answer
    assert view.answer.endswith(text("run.reason.web_off"))


def test_a_model_cannot_plan_what_is_off(ask: Ask, world: SystemWorld) -> None:
    for route in (Route.WEB, Route.FORM):
        world.llm = FakeLlm(
            plan=Plan(route=route, question="Who developed KelpNet?"),
            generate=Said("KelpNet was developed by Lena Vogt [1]."),
        )
        view = ask("and the maker of it?", "What is KelpNet?", "A network [1].")
        assert decisions(view, "plan") == ["chunks"]
        assert view.outcome == AnswerOutcome.ANSWERED.value


def test_a_model_cannot_plan_against_the_users_wish(ask: Ask, world: SystemWorld) -> None:
    world.web = web = FakeWeb([WebResult("K", "https://example.org/k", "The maker of KelpNet is Lena Vogt.", 0.9)])
    world.llm = FakeLlm(
        plan=Plan(route=Route.CHUNKS, question="Who is the maker of KelpNet?"),
        generate=Said("The maker of KelpNet is Lena Vogt [1]."),
    )
    view = ask("Search online: and the maker of it?", "What is KelpNet?", "A network [1].", use_web=True)
    assert web.asked == [("Who is the maker of KelpNet?", 3)]
    assert view.citations[0].url == "https://example.org/k"


def test_the_web_is_the_last_resort_where_the_documents_do_not_answer(ask: Ask, world: SystemWorld) -> None:
    world.web = web = FakeWeb([PARIS])
    view = ask(CAPITAL, use_web=True)
    assert path(view) == WEB_LAST
    assert decisions(view, "grade_evidence") == ["web"]
    assert web.asked == [(CAPITAL, 3)]
    assert view.outcome == AnswerOutcome.ANSWERED.value
    assert [(citation.document_id, citation.url) for citation in view.citations] == [("", PARIS.url)]


def test_the_web_is_asked_with_a_model_at_the_wire(world: SystemWorld) -> None:
    world.web = FakeWeb([PARIS])
    with OpenAiServer([Reply("Paris is the capital of France [1].")]) as server, model_at(server) as llm:
        view = run("adaptive", world, "Search the web for the capital of France", llm=llm, use_web=True)
    assert path(view) == WEB_FIRST
    assert view.usage.model_calls == 1
    assert view.citations[0].url == PARIS.url


def test_an_answer_that_is_rejected_to_the_end_leads_to_the_web(ask: Ask, world: SystemWorld) -> None:
    world.web = FakeWeb(
        [WebResult("Team", "https://example.org/team", "A calibration costs what Anna Berg says.", 0.9)]
    )
    world.llm = FakeLlm(
        generate=[*[Said("The passages do not say.")] * 3, Said("A calibration costs what Anna Berg says [1].")],
        check_answer=AnswerVerdict(supported=True, answers=False),
        rewrite_query=[SearchTerms(query="buoy calibrated every 90 days"), SearchTerms(query="calibrated buoy two")],
    )
    view = ask("What does a calibration cost?", use_web=True)
    assert decisions(view, "check_answer") == ["retry", "retry", "web", "fine"]
    assert view.citations[0].url == "https://example.org/team"


def test_the_web_is_asked_once_and_what_it_said_in_vain_is_put_away(ask: Ask, world: SystemWorld) -> None:
    world.web = web = FakeWeb([WebResult("Cats", "https://example.org/cats", "Cats sleep for most of the day.", 0.9)])
    view = ask(CAPITAL, use_web=True)
    assert path(view) == [*WEB_LAST[:-3], *SEARCH, "not_found", "telemetry"]
    assert len(web.asked) == 1
    assert text("run.reason.web_beside") in view.answer
    assert not any(citation.url for citation in view.citations)


def test_after_a_web_that_does_not_answer_the_documents_do(ask: Ask, world: SystemWorld) -> None:
    world.web = FakeWeb([WebResult("Cats", "https://example.org/cats", "Cats sleep for most of the day.", 0.9)])
    view = ask("Search the web for who developed KelpNet", use_web=True)
    assert path(view) == [*HEAD, "web_search", "generate", "check_answer", *SEARCH, *WRITE]
    assert "Lena Vogt" in view.answer
    assert text("run.reason.web_beside") in view.answer
    assert {citation.document_name for citation in view.citations} == {"handbook.pdf"}


def test_a_web_that_finds_nothing_is_told(ask: Ask, world: SystemWorld) -> None:
    world.web = FakeWeb([])
    view = ask(CAPITAL, use_web=True)
    assert path(view) == [*HEAD, *SEARCH, "web_search", "not_found", "telemetry"]
    assert view.outcome == AnswerOutcome.NOT_FOUND.value
    assert text("run.reason.web_nothing") in view.answer


@pytest.mark.parametrize("consent", [Consent.NO, Consent.UNANSWERED])
def test_without_consent_the_documents_answer_and_the_answer_says_so(
    ask: Ask, world: SystemWorld, consent: Consent
) -> None:
    behind = FakeWeb([PARIS])
    key = "web_search.declined" if consent is Consent.NO else "web_search.unanswered"
    asked: list[str] = []

    def decide(query: str, is_own: bool) -> Consent:
        asked.append(query)
        return consent

    world.web = ConsentingWebSearch(behind, decide, world.events.append, (CAPITAL,))
    planned = ask("Search the web for who developed KelpNet", use_web=True)
    assert path(planned) == [*HEAD, "web_search", *SEARCH, *WRITE]
    assert "Lena Vogt" in planned.answer
    assert planned.answer.endswith(text(key))
    world.web = ConsentingWebSearch(behind, decide, world.events.append, (CAPITAL,))
    resort = ask(CAPITAL, use_web=True)
    assert resort.outcome == AnswerOutcome.NOT_FOUND.value
    assert text(key) in resort.answer
    assert asked == ["who developed KelpNet", CAPITAL]
    assert behind.asked == []


def test_a_web_out_of_reach_is_told_in_the_users_language(ask: Ask, world: SystemWorld) -> None:
    world.web = TavilySearch("tvly-key", "http://127.0.0.1:9", seconds=0.5)
    view = ask("上网查一下谁是站长", use_web=True)
    assert "林雨晴" in view.answer
    assert view.answer.endswith(text("web_search.unreachable", "zh-hans"))


def test_the_query_that_leaves_is_in_the_trace(ask: Ask, world: SystemWorld) -> None:
    with TavilyServer(lambda _: Results([{"title": "F", "url": PARIS.url, "content": PARIS.text}])) as server:
        behind = TavilySearch("tvly-key", server.url)
        decide = lambda query, is_own: Consent.THREAD  # noqa: E731
        world.web = ConsentingWebSearch(behind, decide, world.events.append, (CAPITAL,), outgoing_query)
        view = ask(CAPITAL, use_web=True)
    (step,) = (step for step in view.steps if step.node == "web_search")
    assert step.queries == (CAPITAL,)
    assert [tool.tool for tool in step.tools] == ["web_search"]
    assert [request.body["query"] for request in server.requests] == [CAPITAL]


def test_a_used_up_budget_of_tools_is_told(ask: Ask, world: SystemWorld) -> None:
    world.web, world.meter = FakeWeb([PARIS]), FakeMeter(max_tools=0)
    assert text("llm.budget_tool_calls") in ask(CAPITAL, use_web=True).answer


def test_a_web_that_found_nothing_is_not_asked_again_after_the_documents(ask: Ask, world: SystemWorld) -> None:
    world.web = web = FakeWeb([])
    view = ask("Search the web for the capital of France", use_web=True)
    assert path(view) == [*HEAD, "web_search", *SEARCH, "not_found", "telemetry"]
    assert len(web.asked) == 1


def test_used_up_seconds_do_not_lead_to_the_web(ask: Ask, world: SystemWorld) -> None:
    world.web, world.meter = FakeWeb([PARIS]), FakeMeter(seconds=0)
    assert path(ask(CAPITAL, use_web=True))[-2:] == ["not_found", "telemetry"]


def test_the_second_question_of_a_thread_goes_the_same_way(ask: Ask, world: SystemWorld) -> None:
    world.web = web = FakeWeb([PARIS], failure=ServiceError("web_search.quota"))
    first = ask(CAPITAL, use_web=True)
    web.failure = None
    again = ask(CAPITAL, CAPITAL, first.answer, use_web=True)
    assert path(again) == WEB_LAST
    assert "quota" not in again.answer


@pytest.mark.parametrize("name", list(workflows()))
def test_a_workflow_searches_the_web_exactly_where_it_says_so(walked: SystemWorld, name: str) -> None:
    walked.web = web = FakeWeb([PARIS])
    run(name, walked, CAPITAL, use_web=True)
    assert bool(web.asked) is workflows()[name].searches_web
