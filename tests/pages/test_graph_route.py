"""The addresses of drawings: unguessable, cut off from the app's origin, and nothing else is served there."""

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.graph.files.pyvis_view import PyvisDrawing
from pages.components.graph import route as graph_route
from pages.components.graph.route import ASSETS, GRAPH_ROUTES, Drawings, drawings


class OnlyDrawing:
    drawing = PyvisDrawing()


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setattr(graph_route, "services", OnlyDrawing)
    return TestClient(Starlette(routes=list(GRAPH_ROUTES)))


def test_a_drawing_is_served_in_a_sandbox_that_may_only_run_its_own_scripts(browser: TestClient) -> None:
    answer = browser.get(drawings().address("a view", lambda: "<!doctype html>drawn"))
    assert answer.text == "<!doctype html>drawn"
    policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    assert policy["sandbox"] == "allow-scripts"
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == "'self'"
    assert "allow-same-origin" not in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "private, no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("token", ["0" * 32, "..%2f..%2fapp.py", "a%20view", "assets"])
def test_an_address_that_no_page_gave_out_is_not_found(browser: TestClient, token: str) -> None:
    assert browser.get(f"/graph-view/{token}").status_code == 404


@pytest.mark.parametrize("name", ["view.js", "view.css", "vis-network.min.js", "font.woff2"])
def test_scripts_styles_and_the_font_of_the_drawing_can_be_loaded_from_its_opaque_origin(
    browser: TestClient, name: str
) -> None:
    answer = browser.get(f"/graph-view/assets/{name}")
    assert answer.status_code == 200
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert answer.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("name", ["component.js", "..%2f..%2fapp.py", "%2e%2e", "x.js"])
def test_nothing_else_is_served_beside_them(browser: TestClient, name: str) -> None:
    assert browser.get(f"/graph-view/assets/{name}").status_code == 404


def test_the_same_view_has_the_same_address_and_is_made_once() -> None:
    kept, made = Drawings(), []

    def make() -> str:
        made.append(1)
        return "page"

    assert kept.address("one", make) == kept.address("one", make) != kept.address("two", make)
    assert len(made) == 2


def test_old_drawings_make_room() -> None:
    kept = Drawings(capacity=2)
    first, second, third = (kept.address(key, lambda: "page").rsplit("/", 1)[1] for key in ("1", "2", "3"))
    assert [kept.get(token) for token in (first, second, third)] == [None, "page", "page"]


def test_the_drawings_script_makes_no_markup_of_what_it_shows() -> None:
    for script in Path(ASSETS).glob("*.js"):
        source = script.read_text(encoding="utf-8")
        assert "innerHTML" not in source
        assert "insertAdjacentHTML" not in source
        assert "eval(" not in source
