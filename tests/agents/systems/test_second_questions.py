"""A conversation over the real worker, database and indexes: a later question fares as well as the first."""

from collections.abc import Iterator

import pytest

from core.agents.workflows.registry import workflows
from core.app.services import Services
from core.documents.model import KnowledgeBase
from core.platform.settings.preferences import FilePreferences
from core.platform.settings.settings import load_settings
from core.runs.events import BudgetSet
from core.runs.history.view import RunView, fold
from core.runs.model import AnswerOutcome, RunRequest
from tests.agents.systems.conftest import HANDBOOK, MANUAL, every_pair, path
from tests.agents.systems.models import ENGINES, sensible
from tests.loopback.openai_server import OpenAiServer
from tests.store.samples import add, publication

FOLLOW_UPS = [
    ("What is KelpNet?", "Who developed it?", "Who developed KelpNet?", "Lena Vogt"),
    ("校准层是什么？", "它是什么？", "校准层是什么？", "KelpNet"),
]
NEIGHBOURS = [
    ("What is KelpNet?", "and its neighbours?", "What is related to KelpNet?"),
    ("校准层是什么？", "它的邻居呢？", "与校准层相关的有哪些？"),
]
AFTER_NOTHING = [
    ("What is Zebra Fish?", "Who developed KelpNet?"),
    ("什么是量子引力？", "校准层是什么？"),
]
NAMES = {"KelpNet": "TECHNOLOGY", "Lena Vogt": "PERSON", "校准层": "CONCEPT"}
LOG = (("", "On the third of May the glider Petrel was lost in a storm off the northern cape."),)
MAX_CALLS = 9
UNSET = dict.fromkeys(["LLM_BASE_URL", "LLM_MODEL", "LLM_API_KEY", "OPENAI_API_KEY", "DEEPSEEK_API_KEY"], "")
"""Whatever the machine has set."""


class AgentHost:
    """The services, and the conversations that are held with them."""

    def __init__(self, services: Services, server: OpenAiServer) -> None:
        self.services = services
        self.server = server
        self.base = self._base("Sample", handbook=HANDBOOK, manual=MANUAL)
        self._base("Logs", log=LOG)

    def _base(self, name: str, **documents: tuple[tuple[str, str], ...]) -> KnowledgeBase:
        library = self.services.library
        base = library.bases.create(name)
        for title, pages in documents.items():
            document = add(library, base, f"{title}.pdf")
            library.publications.publish(publication(document, base, [text for _, text in pages], NAMES))
        self.services.search.rebuild(base.id)
        return base

    def ask(self, workflow: str, *questions: str) -> RunView:
        """The run of the last one, all asked one after another in one conversation; the server forgets the others."""
        thread_id = run_id = ""
        for question in questions:
            self.server.requests.clear()
            request = RunRequest(question, self.base.id, workflow, thread_id, use_memory=False)
            run_id = self.services.worker.start(request)
            self.events = [event for _, event in self.services.worker.follow(run_id)]
            thread_id = self.services.runs.get(run_id).thread_id
        return fold(self.events)

    @property
    def bound(self) -> list[list[str]]:
        """The names of the tools in each request that gives the model any."""
        return [[tool["function"]["name"] for tool in chat["tools"]] for chat in self.server.chats if "tools" in chat]


@pytest.fixture(scope="module", params=ENGINES)
def desk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentHost]:
    data = tmp_path_factory.mktemp("desk")
    with OpenAiServer(sensible) as server:
        model = {"LLM_BASE_URL": server.base_url, "LLM_MODEL": "loopback-model"} if request.param == "model" else {}
        FilePreferences(data).write({**UNSET, "MAX_MODEL_CALLS": str(MAX_CALLS), **model})
        with Services(load_settings(data)) as services:
            yield AgentHost(services, server)


def behaviour(view: RunView) -> object:
    """All that a reader sees of a run but its times."""
    steps = [(step.node, step.attempt, step.outcome, [tool.tool for tool in step.tools]) for step in view.steps]
    return steps, view.outcome, view.answer, view.citations, view.usage.model_calls


@pytest.mark.parametrize(
    ("desk", "workflow", "questions"), every_pair(ENGINES, workflows(), AFTER_NOTHING), indirect=["desk"]
)
def test_after_a_question_that_tried_everything_the_next_one_has_all_its_tries_and_tools(
    desk: AgentHost, workflow: str, questions: tuple[str, str]
) -> None:
    vain, question = questions
    alone = behaviour(desk.ask(workflow, question))
    tools = desk.bound
    view = desk.ask(workflow, vain, vain, question)
    assert behaviour(view) == alone
    assert desk.bound == tools
    assert view.outcome in {AnswerOutcome.ANSWERED.value, AnswerOutcome.CLOSEST.value}
    assert [event.model_calls for event in desk.events if isinstance(event, BudgetSet)] == [MAX_CALLS]


@pytest.mark.parametrize(
    ("desk", "workflow", "questions"), every_pair(ENGINES, workflows(), FOLLOW_UPS), indirect=["desk"]
)
def test_a_follow_up_is_answered_as_the_question_that_it_stands_for(
    desk: AgentHost, workflow: str, questions: tuple[str, str, str, str]
) -> None:
    first, follow_up, standing, words = questions
    alone = desk.ask(workflow, standing)
    tools = desk.bound
    view = desk.ask(workflow, first, follow_up)
    assert (view.outcome, view.answer, view.citations) == (alone.outcome, alone.answer, alone.citations)
    assert words in view.answer
    assert [node for node in path(view) if node != "followup_transform"] == path(alone)
    assert desk.bound == tools


@pytest.mark.parametrize(("first", "follow_up", "standing"), NEIGHBOURS)
def test_a_follow_up_walks_the_graph_as_the_question_that_it_stands_for(
    desk: AgentHost, first: str, follow_up: str, standing: str
) -> None:
    alone = behaviour(desk.ask("graph_react", standing))
    tools = desk.bound
    view = desk.ask("graph_react", first, follow_up)
    assert behaviour(view) == alone
    assert [tool.tool for step in view.steps for tool in step.tools] == ["search_entities", "get_neighbors"]
    assert desk.bound == tools


@pytest.mark.parametrize("desk", ["built-in"], indirect=True)
def test_each_set_of_documents_is_a_tool_of_its_own(desk: AgentHost) -> None:
    view = desk.ask("tool_loop", "Where was the glider Petrel lost?")
    assert [tool.tool for step in view.steps for tool in step.tools] == ["knowledge_search", "search_documents_1"]
    assert "northern cape" in view.answer
    assert {citation.document_name for citation in view.citations} == {"log.pdf"}


@pytest.mark.parametrize("desk", ["model"], indirect=True)
def test_a_model_is_given_a_tool_for_each_set_of_documents(desk: AgentHost) -> None:
    desk.ask("tool_loop", "Who developed KelpNet?")
    assert desk.bound[0] == ["knowledge_search", "search_documents_1"]
    assert [tool["function"]["description"] for tool in desk.server.chats[0]["tools"]] == [
        "Searches the documents of Sample",
        "Searches the documents of Logs",
    ]


@pytest.mark.parametrize(("earlier", "told"), [(12, 24), (13, 20)])
@pytest.mark.parametrize("desk", ["model"], indirect=True)
def test_a_long_conversation_is_told_to_the_tool_loop_without_its_beginning(
    desk: AgentHost, earlier: int, told: int
) -> None:
    desk.ask("tool_loop", *["hello"] * earlier, "Who developed KelpNet?")
    speakers = [message["role"] for message in desk.server.chats[0]["messages"][1:-1]]
    assert speakers == ["user", "assistant"] * (told // 2)


@pytest.mark.parametrize("desk", ["built-in"], indirect=True)
@pytest.mark.parametrize(
    ("limits", "searches", "rounds"), [((None, None), 3, 2), (("0", "1"), 1, 1), (("5", "20"), 6, 2)]
)
def test_the_limits_of_the_loops_are_set_in_the_app_and_hold_from_the_next_question_on(
    desk: AgentHost, limits: tuple[str | None, str | None], searches: int, rounds: int
) -> None:
    desk.services.configuration.keep(dict(zip(("MAX_CORRECTIONS", "MAX_TOOL_ROUNDS"), limits, strict=True)))
    assert path(desk.ask("guarded", "What is Zebra Fish?")).count("retrieve") == searches
    assert path(desk.ask("tool_loop", "What is Zebra Fish?")).count("tools") == rounds
    desk.services.configuration.keep({"MAX_CORRECTIONS": None, "MAX_TOOL_ROUNDS": None})
