"""The app as Streamlit runs it, over services in memory."""

import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner import script_runner
from streamlit.testing.v1 import AppTest

from pages.components.chat import page as chat_page
from pages.components.chat import welcome as chat_welcome
from pages.components.chat.workflow_choices import prepare_pictures
from pages.components.run import run_views
from pages.components.shell.services import services
from tests.fakes.services import FakeServices

APP = Path(__file__).parents[2] / "app.py"
OpenPage = Callable[..., AppTest]
SECONDS = 100.0


@pytest.fixture(autouse=True, scope="session")
def unhurried() -> Iterator[None]:
    """Each AppTest reads the metadata of every installed package in search of components: a quarter of a second.

    One of a function is given three seconds, which are not always enough beside three other processes.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(AppTest.from_function.__kwdefaults__ or {}, "default_timeout", SECONDS)
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServices]:
    """The services that the pages will get."""
    fake = FakeServices()
    monkeypatch.setattr("core.app.services.Services", lambda settings, **_: fake)
    _forget()
    prepare_pictures()
    yield fake
    _forget()


@pytest.fixture
def open_page(opened: FakeServices, monkeypatch: pytest.MonkeyPatch) -> OpenPage:
    """Opens a page (`memory`) with a query.

    Beside a folder called pages/, AppTest runs page files without app.py in all but the first run of a process; the
    server does so only until the first page was drawn.
    """
    monkeypatch.setattr(script_runner, "_mpa_v1", _run_app)

    def open_it(page: str = "chat", /, **query: str) -> AppTest:
        app = AppTest.from_file(str(APP), default_timeout=SECONDS)
        app.query_params.update(query)
        if page != "chat":
            app.switch_page(f"pages/{page}.py")
        return app.run()

    return open_it


def settings_at(open_page: OpenPage, *tabs: str) -> AppTest:
    """The Settings page after these tabs were opened, one after the other."""
    app = open_page("settings")
    for tab in tabs:
        app.session_state["settings-tabs"] = tab
        app.run()
    return app


def _run_app(path: str) -> None:
    exec(compile(Path(path).read_bytes(), path, "exec"), sys.modules["__main__"].__dict__)


def _forget() -> None:
    services.clear()
    run_views.ended_view.cache_clear()
    chat_page.ended_parts.cache_clear()
    chat_welcome._answered.cache_clear()
