"""Keys are in the environment or in a file of their owner's alone: in no database, log, trace, page or export."""

import os
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.graph.files.exports import EXPORTS
from core.runs.history.view import fold
from core.runs.model import Run, RunRequest, RunStatus
from pages.components.chat.export import chat_markdown
from pages.components.run.citation_html import CitedPlaces
from pages.components.run.run_html import run_parts
from pages.components.run.turn_html import turn_parts
from pages.components.shell.services import close_services, services
from tests.loopback.answers import Answer, Cut, Failure, Page, Reply
from tests.loopback.openai_server import OpenAiServer
from tests.loopback.tavily_server import Refusal, TavilyServer
from tests.pages.conftest import OpenPage, settings_at
from tests.store.samples import publish

KEPT = "canary of the settings file 7731"
"""Without the form of a key: only by comparing is it known for one."""
SET = {name: f"canary-{name.lower()}-9915" for name in ("TAVILY_API_KEY", "MINERU_API_TOKEN", "LANGFUSE_SECRET_KEY")}
QUESTION = "Who was with Ada Lovelace when BERT met the Transformer?"
WORKFLOWS = ("adaptive", "planner", "tool_loop")
FAULTS: dict[str, Callable[[], Answer]] = {
    "unauthorized": lambda: Failure(401, f"Incorrect API key provided: {KEPT}.", "invalid_api_key"),
    "refused": lambda: Failure(400, f"Nothing fits 'Authorization: Bearer {KEPT}'."),
    "busy": lambda: Failure(429, f"Rate limit of {KEPT} reached.", headers={"Retry-After": "0"}),
    "broken": lambda: Failure(500, f"Traceback: client({KEPT!r})"),
    "page": lambda: Page(html=f"<html><body>{KEPT}</body></html>"),
    "echo": lambda: Reply(f"The key {KEPT} was refused [1]."),
    "no json": lambda: Reply(f'{{"key": "{KEPT}", '),
    "cut": lambda: Cut(f"Ada Lovelace was there [1]. The key {KEPT} was"),
}
WRITTEN = ("echo", "cut")
"""Faults that leave an answer, which each workflow handles in its own way; the others meet one workflow each."""


@pytest.fixture
def opened() -> Iterator[None]:
    """The real services."""
    services.clear()
    yield
    close_services()
    services.clear()


@pytest.fixture
def tavily(monkeypatch: pytest.MonkeyPatch) -> Iterator[TavilyServer]:
    for name, key in SET.items():
        monkeypatch.setenv(name, key)
    with TavilyServer(lambda _: Refusal(401, f"Unknown key {SET['TAVILY_API_KEY']}.")) as server:
        monkeypatch.setenv("TAVILY_BASE_URL", server.url)
        yield server


def asked(workflow: str, base_id: str) -> Run:
    request = RunRequest(QUESTION, base_id, workflow, use_web=True, web_agreed=True)
    run_id = services().worker.start(request)
    assert list(services().worker.follow(run_id))
    return services().runs.get(run_id)


def written(data: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in data.rglob("*") if path.is_file()}


def shown(app: AppTest) -> str:
    """All that a page sends to the browser."""
    return str(app) + "".join(element.proto.json for element in app.get("bidi_component"))


def test_no_key_is_stored_logged_shown_or_exported_whatever_a_service_says_of_it(
    open_page: OpenPage, tavily: TavilyServer, data_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    with OpenAiServer(lambda request: FAULTS[request["model"]]()) as server:
        base = services().library.bases.create("Papers")
        publish(services().library, base, "a.pdf", "Ada Lovelace saw BERT and the Transformer in London.")
        services().search.rebuild(base.id)
        runs = []
        for fault, workflow in zip(FAULTS, cycle(WORKFLOWS), strict=False):
            services().configuration.keep({"LLM_BASE_URL": server.base_url, "LLM_MODEL": fault, "LLM_API_KEY": KEPT})
            runs += [asked(each, base.id) for each in (WORKFLOWS if fault in WRITTEN else (workflow,))]
        assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEPT}"}
    assert tavily.requests
    assert {run.status for run in runs} == {RunStatus.DONE}

    views = [fold(event for _, event in services().runs.events(run.id, 0)) for run in runs]
    pages = [shown(open_page("chat", thread=run.thread_id)) for run in runs[-len(WORKFLOWS) :]]
    assert all("Ada Lovelace" in page for page in pages)
    pages += [shown(open_page(name)) for name in ("graph", "documents", "memory")]
    pages.append(shown(settings_at(open_page, "Web", "Documents", "Prices", "API", "This installation")))
    parts = [str([run_parts(view), turn_parts(view, CitedPlaces())]) for view in views]
    files = [
        chat_markdown("Chat", list(zip(runs, views, strict=True))),
        *(str(each.whole(services(), base.id)) for each in EXPORTS.values()),
    ]
    stored = written(data_folder)
    own = data_folder / "settings.json"
    assert KEPT.encode() in stored.pop(str(own))
    assert os.name == "nt" or own.stat().st_mode & 0o777 == 0o600

    assert QUESTION.encode() in b"".join(stored.values())
    for key in (KEPT, *SET.values()):
        assert [name for name, content in stored.items() if key.encode() in content] == []
        assert not any(key in text for text in (*pages, *parts, *files, caplog.text))
