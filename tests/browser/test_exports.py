"""Files that people take away, opened in a real browser: nothing runs and nothing is fetched."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from core.graph.files.exports import (
    EXPORTS,
    ExportFormat,
    drawing,
    edges_json,
    entities_csv,
    nodes_json,
)
from core.graph.model import Entity
from core.runs.model import RunStatus
from pages.components.chat.bundle import bundle_html
from pages.components.run.run_views import ended_view
from tests.fakes.services import FakeServices
from tests.pages.conftest import opened
from tests.pages.marlow import BASE, document
from tests.pages.test_chat_page import answered, with_documents

__all__ = ["opened"]
pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
HOSTILE = (
    "</svg></div><script>document.title='ran'</script><img src=http://127.0.0.1:9/i onerror=\"document.title='ran'\">"
    "<link rel=stylesheet href=http://127.0.0.1:9/s><style>@import 'http://127.0.0.1:9/c';</style>"
    "<iframe src=http://127.0.0.1:9/f></iframe><meta http-equiv=refresh content='0;url=http://127.0.0.1:9/m'>"
    "![x](http://127.0.0.1:9/p) [y](javascript:alert(1)) url(http://127.0.0.1:9/u)"
)


def _bundle(opened: FakeServices) -> str:
    with_documents(opened)
    run_id = answered(opened, f"What drifts? {HOSTILE}")
    view = ended_view(run_id, RunStatus.DONE)
    hostile = tuple(replace(each, text=HOSTILE, document_name=HOSTILE, page=1) for each in view.citations)
    steps = tuple(replace(step, reason=HOSTILE, details=((HOSTILE, HOSTILE),)) for step in view.steps)
    made = replace(view, answer=f"{view.answer} {HOSTILE}", citations=hostile, steps=steps)
    return bundle_html(opened.runs.get(run_id), made)


def _graph(make: Callable[..., str | bytes | Iterator[str]], opened: FakeServices) -> str:
    opened.library.documents.kept["d-handbook.pdf"] = document()
    opened.graph.entities["e-evil"] = Entity("e-evil", BASE.id, HOSTILE, HOSTILE, (HOSTILE,), 99, 1)
    sentences = opened.graph.sentences
    view = next(view for views in sentences.values() for view in views)
    mention = replace(view.mention, id="m-evil", entity_id="e-evil", surface=HOSTILE)
    sentences["e-evil"] = [replace(view, mention=mention, sentence=HOSTILE)]
    services: Any = opened
    made = make(services, BASE.id)
    return made.decode() if isinstance(made, bytes) else "".join(made)


def test_what_is_taken_away_runs_nothing_and_fetches_nothing(
    opened: FakeServices, browser: Browser, tmp_path: Path
) -> None:
    files = {
        "answer.html": _bundle(opened),
        "graph.html": _graph(partial(drawing, ExportFormat.HTML), opened),
        "graph.svg": _graph(partial(drawing, ExportFormat.SVG), opened),
        "graphml.xml": _graph(EXPORTS[ExportFormat.GRAPHML].make, opened),
        "gexf.xml": _graph(EXPORTS[ExportFormat.GEXF].make, opened),
        "nodes.json": _graph(nodes_json, opened),
        "edges.json": _graph(edges_json, opened),
        "linked.json": _graph(EXPORTS[ExportFormat.JSONLD].make, opened),
        "turtle.txt": _graph(EXPORTS[ExportFormat.TURTLE].make, opened),
        "entities.txt": _graph(entities_csv, opened),
    }
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: asked.append(dialog.message))
    for name, written in files.items():
        assert "127.0.0.1:9" in written or name == "edges.json", "the hostile words are in it"
        (tmp_path / name).write_text(written, "utf-8")
        asked.clear()
        address = (tmp_path / name).as_uri()
        page.goto(address, wait_until="load")
        page.wait_for_timeout(150)
        assert [url for url in asked if not url.startswith(("data:", address))] == [], name
        assert page.evaluate("document.title") != "ran"
        assert page.url == address
    page.close()
