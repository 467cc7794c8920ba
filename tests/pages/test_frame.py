"""The frame: rooms, language, engine, start-up findings, the error boundary, deep links."""

import asyncio
import logging
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import streamlit as st
from streamlit.runtime.caching import cache_utils
from streamlit.testing.v1 import AppTest

from core.app.selfcheck import Finding
from core.platform.errors import ConfigurationError, InputError, RetryableServiceError, ServiceError
from core.platform.texts import LANGUAGES, of_locale
from pages.components.shell import frame
from pages.components.shell import services as services_module
from pages.components.shell.boundary import as_sentence, sentence_of
from pages.components.shell.environment import prepare_environment
from pages.components.shell.language import t, use_language
from pages.components.shell.lifespan import drain_before_ending, lifespan
from pages.components.shell.services import close_services, services
from tests.fakes.services import FakeServices
from tests.pages.conftest import OpenPage

PAGES = Path(__file__).parents[2] / "pages"


def links(app: AppTest) -> list[str]:
    return [link.proto.label for link in app.sidebar.get("page_link")]


def captions(app: AppTest) -> list[str]:
    return [caption.value for caption in app.sidebar.caption]


def test_every_page_file_is_a_room_and_asks_for_the_frame() -> None:
    files = {path.stem for path in PAGES.glob("*.py")} - {"__init__"}
    assert files == {room.name for room in frame.PAGE_ENTRIES}
    assert all("require_frame()" in (PAGES / f"{name}.py").read_text() for name in files)


def test_the_rooms_are_named_in_the_language_of_the_address(open_page: OpenPage) -> None:
    assert links(open_page()) == ["Chat", "Graph", "Documents", "Memory", "Runs", "Settings"]
    assert links(open_page(lang="zh-hans")) == ["对话", "图谱", "文档", "记忆", "运行", "设置"]
    assert links(open_page(lang="zh-hant"))[0] == "對話"


def test_an_unknown_language_in_the_address_is_ignored(open_page: OpenPage) -> None:
    app = open_page(lang="<script>")
    assert links(app)[0] == "Chat"
    assert "lang" not in app.query_params


def test_picking_a_language_keeps_it_in_the_address(open_page: OpenPage) -> None:
    app = open_page()
    app.selectbox(key="language-picker").set_value("zh-hans").run()
    assert links(app)[0] == "对话"
    assert app.query_params["lang"] == "zh-hans"
    assert not app.exception


def test_the_sidebar_says_which_engine_answers(opened: FakeServices, open_page: OpenPage) -> None:
    assert any("no model" in caption for caption in captions(open_page()))
    opened.llm.engine = "model-<b>x</b>"
    assert any("model\\-\\<b\\>x" in caption for caption in captions(open_page()))


def test_the_same_finding_is_said_once(monkeypatch: pytest.MonkeyPatch, open_page: OpenPage) -> None:
    found = Finding(False, "storage.read_only", (("folder", "/srv/data"),))
    frame._problems.clear()
    monkeypatch.setattr(frame, "problems", lambda settings: [found, found])
    app = open_page("memory")
    frame._problems.clear()
    assert app.warning[0].value.count("cannot be written to") == 1


@pytest.mark.parametrize(("folder", "errors"), [("/srv/data", 0), ("/srv/other", 1)])
def test_a_page_that_ends_on_what_was_already_said_does_not_say_it_again(
    monkeypatch: pytest.MonkeyPatch, open_page: OpenPage, folder: str, errors: int
) -> None:
    def failing() -> None:
        raise ServiceError("storage.read_only", folder=folder)

    found = Finding(False, "storage.read_only", (("folder", "/srv/data"),))
    frame._problems.clear()
    monkeypatch.setattr(frame, "problems", lambda settings: [found])
    monkeypatch.setattr("pages.components.memory.list.filter_bar", failing)
    app = open_page("memory")
    frame._problems.clear()
    assert len(app.warning) == 1
    assert len(app.exception) + len(app.error) == errors


def test_what_is_wrong_with_the_installation_is_said_on_every_page(
    monkeypatch: pytest.MonkeyPatch, open_page: OpenPage
) -> None:
    finding = Finding(False, "selfcheck.library.missing", (("name", "chromadb"),))
    frame._problems.clear()
    monkeypatch.setattr(frame, "problems", lambda settings: [finding])
    app = open_page("memory")
    frame._problems.clear()
    assert "chromadb is not installed" in app.warning[0].value


def test_what_was_wrong_with_the_installation_is_no_longer_said_once_it_is_solved(
    monkeypatch: pytest.MonkeyPatch, open_page: OpenPage
) -> None:
    found = [Finding(False, "storage.read_only", (("folder", "/srv/data"),))]
    seconds = [0.0]
    monkeypatch.setattr(cache_utils, "TTLCACHE_TIMER", lambda: seconds[0])
    st.cache_data.clear()  # made anew with this clock
    monkeypatch.setattr(frame, "problems", lambda settings: [*found])
    app = open_page("memory")
    found.clear()
    assert len(app.run().warning) == 1
    seconds[0] = frame.LOOK_AGAIN_SECONDS
    assert len(app.run().warning) == 0
    st.cache_data.clear()


@pytest.mark.parametrize("page", [room.name for room in frame.PAGE_ENTRIES])
def test_a_page_file_that_runs_without_the_frame_comes_back_through_it(
    opened: FakeServices, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    """Streamlit runs the page file alone for the first deep link after a start."""
    calls: list[str] = []
    monkeypatch.setattr("streamlit.navigation", lambda pages, position: calls.append(position))
    monkeypatch.setattr("streamlit.session_state", {})
    monkeypatch.setattr("streamlit.rerun", lambda: calls.append("rerun"))
    frame.require_frame()
    assert calls == ["hidden", "rerun"]


@pytest.mark.parametrize(
    ("locale", "expected"),
    [
        ("en-GB", "en"),
        ("de", "en"),
        ("", "en"),
        ("zh-CN", "zh-hans"),
        ("zh", "zh-hans"),
        ("zh-Hans-HK", "zh-hant"),
        ("zh-TW", "zh-hant"),
        ("zh_HK", "zh-hant"),
        ("zh-Hant", "zh-hant"),
    ],
)
def test_the_browser_decides_the_first_language(locale: str, expected: str) -> None:
    assert of_locale(locale) == expected
    assert of_locale(locale) in LANGUAGES


def test_a_route_speaks_the_language_it_is_told() -> None:
    with use_language("zh-hans"):
        assert t("frame.rooms.chat") == "对话"


def test_an_app_error_is_said_in_its_own_sentence_and_others_calmly() -> None:
    assert "cannot be empty" in sentence_of(InputError("memory.error.empty", limit=9))
    calm = sentence_of(ZeroDivisionError("secret details"))
    assert "secret" not in calm
    assert "ZeroDivisionError" in calm


def test_an_error_on_a_page_is_shown_without_markup_or_stack_trace(open_page: OpenPage) -> None:
    def script() -> None:
        from core.platform.errors import NotFoundError
        from pages.components.shell.boundary import show_error

        assert show_error(NotFoundError("error.base_missing", name="![x](https://evil.example) <b>"))

    app = AppTest.from_function(script).run()
    assert not app.exception
    assert "There is no knowledge base called" in app.error[0].value
    assert "\\!\\[x\\]" in app.error[0].value


def test_an_expected_error_is_logged_as_a_sentence_and_a_defect_with_its_trace(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = logging.getLogger("streamlit.error_util")
    expected, defect = InputError("error.cancelled"), ValueError("not expected")
    for error in (expected, defect):
        record = log.makeRecord(log.name, logging.ERROR, "", 0, "Uncaught", (), (type(error), error, None))
        assert as_sentence(record)
        caplog.handler.handle(record)
    sentence, trace = caplog.records
    assert (sentence.getMessage(), sentence.exc_info) == (str(expected), None)
    assert trace.exc_info


def test_the_server_starts_what_works_in_the_background_and_stops_it(
    opened: FakeServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    outages = [RetryableServiceError("storage.unavailable", reason="starting up")] * 2

    def recover() -> list[str]:
        if outages:
            raise outages.pop()
        return []

    monkeypatch.setattr(opened.worker, "recover", recover)
    limited = threading.Event()
    monkeypatch.setattr("pages.components.shell.lifespan.AGAIN_SECONDS", 0.0)
    monkeypatch.setattr("pages.components.shell.lifespan.close_slow_requests", limited.set)

    async def life() -> None:
        async with lifespan(st.App(frame.__file__)):
            while not (opened.worker.warmed and opened.ingestion.supervisor.started):
                await asyncio.sleep(0.01)
            assert not opened.closed
            assert not outages
            assert limited.is_set()

    asyncio.run(asyncio.wait_for(life(), 30))
    assert opened.closed


def test_sigterm_first_lets_questions_be_answered_and_a_second_one_ends_at_once(
    opened: FakeServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended, drained, go_on = threading.Event(), threading.Event(), threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: ended.set())

    def drain() -> None:
        drained.set()
        go_on.wait(30)

    monkeypatch.setattr("pages.components.shell.lifespan.drain_services", drain)
    monkeypatch.setattr("pages.components.shell.lifespan.TELLING_SECONDS", 2.0)
    try:
        drain_before_ending()
        os.kill(os.getpid(), signal.SIGTERM)
        assert drained.wait(30)
        assert not ended.is_set()
        go_on.set()
        assert not ended.wait(0.1), "who follows an answer is told its end"
        assert ended.wait(30)
        ended.clear()
        os.kill(os.getpid(), signal.SIGTERM)
        assert ended.wait(30)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_documents_are_worked_on_when_warming_up_fails(opened: FakeServices, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> list[str]:
        raise ImportError("partially initialized module")

    async def life() -> None:
        async with lifespan(st.App(frame.__file__)):
            while not opened.ingestion.supervisor.started:
                await asyncio.sleep(0.01)

    monkeypatch.setattr(opened.worker, "recover", fail)
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    asyncio.run(asyncio.wait_for(life(), 30))


def test_what_the_pages_say_when_the_start_fails_is_one_line_of_the_log(
    opened: FakeServices, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> list[str]:
        raise ConfigurationError("storage.url_unusable")

    async def life() -> None:
        async with lifespan(st.App(frame.__file__)):
            while not any("DATABASE_URL" in line for line in caplog.messages):
                await asyncio.sleep(0.01)

    monkeypatch.setattr(opened.worker, "recover", fail)
    asyncio.run(asyncio.wait_for(life(), 30))
    assert not any(record.exc_info for record in caplog.records)


def test_nothing_is_closed_that_was_never_opened() -> None:
    services.clear()
    services_module.opened.clear()
    close_services()


def test_telemetry_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANGSMITH_TRACING", raising=False)
    prepare_environment()
    assert os.environ["LANGSMITH_TRACING"] == "false"


def test_the_first_page_is_drawn_without_the_heavy_libraries(tmp_path: Path) -> None:
    """They take seconds to load; a thread of the server loads what questions need while the page is looked at."""
    script = (
        "import sys\n"
        "from streamlit.testing.v1 import AppTest\n"
        "from streamlit.runtime.scriptrunner import script_runner\n"
        "from tests.pages.conftest import _run_app\n"
        "script_runner._mpa_v1 = _run_app\n"
        "app = AppTest.from_file('app.py', default_timeout=60).run()\n"
        "assert not app.exception and app.chat_input, app\n"
        "heavy = {'pandas', 'pyarrow', 'langgraph', 'langchain_core', 'chromadb', 'networkx', 'pyvis', 'docvortex'}\n"
        "sys.stdout.write(f'loaded: {sorted(heavy & set(sys.modules))}')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=PAGES.parent,
        env={**os.environ, "GRAPHTALK_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.stdout == "loaded: []", done.stderr[-2000:]
