"""Every failure of the web search in every workflow that searches it, offline and with a model: told, in time."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from core.agents.workflows.registry import workflows
from core.models.ports import BUILT_IN, Llm
from core.platform.language.detect import detect_language
from core.platform.texts import text
from core.runs.events import Degraded, ToolCalled
from core.runs.execution.consent import Consent, ConsentingWebSearch
from core.runs.history.view import RunView
from core.runs.model import AnswerOutcome, RunStatus
from core.search.tavily_search import TavilySearch
from tests.agents.systems.conftest import FakeWeb, SystemWorld, every_pair, half_slow, run
from tests.agents.systems.models import ENGINES, engine, sensible
from tests.loopback.answers import Reply, ToolCall
from tests.loopback.tavily_server import FAILURES, TavilyServer

SEARCHING = [name for name, workflow in workflows().items() if workflow.searches_web]
SECONDS, SLOW_SECONDS = 20.0, 0.4
"""Time limit of a search, and of one whose answer does not come: a busy machine answers late."""
NOT_THERE = ["What is the capital of France?", "法国的首都在哪里？"]
LATEST, IN_CHINESE = (
    "What is the latest on how often each buoy is lifted, cleaned and calibrated?",
    "现在的青屿海洋观测站站长是谁？",
)
IN_THE_DOCUMENTS = {LATEST: "every 90 days", IN_CHINESE: "林雨晴"}
WRITTEN = {
    "every 90 days by the crew": "Each buoy is lifted, cleaned and calibrated every 90 days by the crew [1].",
    "站长为林雨晴教授": "青屿海洋观测站成立于2016年，站长为林雨晴教授 [1]。",
}


def curious(request: dict[str, Any]) -> Reply:
    """A model that asks the web first wherever it may choose, and the documents after it."""
    read = "\n".join(message["content"] or "" for message in request["messages"])
    asked = read.split("<question>")[-1].split("</question>")[0].strip()
    if form := request.get("response_format"):
        choice = {"route": "web_search", "question": asked, "reason": ""}
        return Reply(json.dumps(choice)) if form["json_schema"]["name"] == "route_query" else sensible(request)
    tools = {tool["function"]["name"] for tool in request.get("tools", ())}
    used = sum(message["role"] == "tool" for message in request["messages"])
    if tools and used < 2:
        call = ToolCall(("web_search", "knowledge_search")[used], json.dumps({"query": asked}))
        return Reply(tool_calls=(call,), finish_reason="tool_calls")
    told = (answer for words, answer in WRITTEN.items() if words in read)
    return Reply(next(told, "The passages do not say."))


@pytest.fixture
def llm(request: pytest.FixtureRequest) -> Iterator[Llm]:
    with engine(request.param, curious) as made:
        yield made


@contextmanager
def failing_web(world: SystemWorld, failure: str) -> Iterator[TavilyServer]:
    with TavilyServer(lambda _: FAILURES[failure][0]) as server:
        world.web = TavilySearch("tvly-key", server.url, seconds=SLOW_SECONDS if failure == "slow" else SECONDS)
        yield server


def searched(world: SystemWorld) -> bool:
    """Whether the web was asked, with or without success."""
    failed = any(event.task == "web_search" for event in world.of(Degraded) if isinstance(event, Degraded))
    called = [event for event in world.of(ToolCalled) if isinstance(event, ToolCalled) and event.tool == "web_search"]
    return failed or any(not event.result.startswith("Error") for event in called)


def told(view: RunView, key: str) -> bool:
    """Whether the answer says in the user's language why the web did not help."""
    language = detect_language(view.answer)
    nothing = key == "run.reason.web_nothing" and text("answer.not_found.web_nothing", language) in view.answer
    return nothing or text(key, language) in view.answer


def is_shown(words: str, view: RunView) -> bool:
    """Whether the answer or a passage below it has these words."""
    return any(words in shown for shown in (view.answer, *(passage.text for passage in view.passages)))


@pytest.mark.parametrize(
    ("workflow", "failure", "question", "llm"),
    half_slow(every_pair(SEARCHING, FAILURES, NOT_THERE, ENGINES)),
    indirect=["llm"],
)
def test_what_neither_documents_nor_web_tell_is_said_with_the_reason(
    walked: SystemWorld, llm: Llm, workflow: str, failure: str, question: str
) -> None:
    key = FAILURES[failure][1]
    with failing_web(walked, failure) as server:
        view = run(workflow, walked, question, llm=llm, use_web=True)
        assert len(server.requests) == 1
    assert (view.status, view.outcome) == (RunStatus.DONE, AnswerOutcome.NOT_FOUND.value)
    assert told(view, key)
    assert not view.citations or view.citations[0].document_id


@pytest.mark.parametrize(
    ("workflow", "failure", "question", "llm"),
    half_slow(every_pair(SEARCHING, FAILURES, IN_THE_DOCUMENTS, ENGINES)),
    indirect=["llm"],
)
def test_the_documents_answer_for_a_web_that_fails(
    walked: SystemWorld, llm: Llm, workflow: str, failure: str, question: str
) -> None:
    key = FAILURES[failure][1]
    with failing_web(walked, failure):
        view = run(workflow, walked, question, llm=llm, use_web=True)
    unsure = [AnswerOutcome.CLOSEST.value] if llm.engine == BUILT_IN else []  # "the latest" is in no document
    assert view.status is RunStatus.DONE
    assert view.outcome in [AnswerOutcome.ANSWERED.value, *unsure]
    assert is_shown(IN_THE_DOCUMENTS[question], view)
    assert {citation.url for citation in view.citations} == {""}
    assert told(view, key) is searched(walked)
    assert searched(walked) or (workflow, llm.engine) == ("tool_loop", "built-in")


@pytest.mark.parametrize(
    ("workflow", "consent", "question", "llm"),
    every_pair(SEARCHING, [Consent.NO, Consent.UNANSWERED], [*NOT_THERE, *IN_THE_DOCUMENTS], ENGINES),
    indirect=["llm"],
)
def test_without_consent_nothing_leaves_and_the_answer_says_so(
    walked: SystemWorld, llm: Llm, workflow: str, consent: Consent, question: str
) -> None:
    behind, asked = FakeWeb(), []

    def decide(query: str, is_own: bool) -> Consent:
        asked.append(query)
        return consent

    walked.web = ConsentingWebSearch(behind, decide, walked.events.append, (question,))
    view = run(workflow, walked, question, llm=llm, use_web=True)
    assert behind.asked == []
    assert view.status is RunStatus.DONE
    assert told(view, f"web_search.{'declined' if consent is Consent.NO else 'unanswered'}") is bool(asked)
    assert is_shown(IN_THE_DOCUMENTS.get(question, ""), view)


@pytest.mark.parametrize(
    ("workflow", "question", "llm"),
    every_pair(workflows(), [*NOT_THERE, *IN_THE_DOCUMENTS], ENGINES),
    indirect=["llm"],
)
def test_without_a_web_configured_nothing_is_searched_there(
    walked: SystemWorld, llm: Llm, workflow: str, question: str
) -> None:
    view = run(workflow, walked, question, llm=llm, use_web=True)
    assert view.status is RunStatus.DONE
    assert view.answer.strip()
    assert not searched(walked)
