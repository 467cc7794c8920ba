"""A real app on a fresh data folder and a real browser; skipped where Chromium is not installed."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.browser import SLOW

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium") or shutil.which("google-chrome")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
]
START_SECONDS = 60
LOG_CHARACTERS = 6_000
"""Of each log, shown when a test fails."""


@pytest.fixture(scope="module")
def app_folder(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    sample_library: Callable[[Path], None],
) -> Path:
    """Where the app keeps its log and its data, which hold the sample library from the start where a module says so."""
    folder = tmp_path_factory.mktemp("app")
    if request.node.get_closest_marker("sample_library"):
        sample_library(folder / "data")
    return folder


@pytest.fixture(scope="module")
def app_url(app_folder: Path) -> Iterator[str]:
    """`streamlit run app.py` on a port of its own with an empty data folder."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_TOKEN"))}
    environment |= {"GRAPHTALK_DATA": str(app_folder / "data")}
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with (app_folder / "app.log").open("wb") as log:
        app = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            url = f"http://localhost:{port}"
            _wait_for(f"http://127.0.0.1:{port}/_stcore/health", app)
            (app_folder / "app.pid").write_text(str(app.pid), encoding="ascii")
            yield url
        finally:
            app.terminate()
            app.wait(90)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Of this folder, because as long as Playwright is open no other test can run a loop of its own."""
    if not CHROMIUM:
        pytest.skip("Chromium is not installed")
    expect.set_options(timeout=SLOW)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, app_url: str, app_folder: Path) -> Iterator[Page]:
    """Fails on any console error, any error of a script and any request to another origin."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB")
    context.set_default_timeout(SLOW)
    page = context.new_page()
    faults: list[str] = []
    own = urlsplit(app_url).netloc
    page.on("console", lambda message: _note_error(message, faults))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: _note_foreign(request.url, own, faults))
    yield page
    if shots := os.environ.get("GRAPHTALK_SHOTS"):
        page.screenshot(path=Path(shots) / "last.png")
    context.close()
    for log in [app_folder / "app.log", *(app_folder / "data" / "logs").glob("*")]:
        print(f"--- {log.name}\n{log.read_text('utf-8', 'replace')[-LOG_CHARACTERS:]}")
    assert faults == []


def _note_error(message: ConsoleMessage, faults: list[str]) -> None:
    if message.type == "error":
        faults.append(f"{message.text} ({message.location['url']})")


def _note_foreign(url: str, own: str, faults: list[str]) -> None:
    parts = urlsplit(url)
    if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != own:
        faults.append(f"request to {url}")


def _wait_for(url: str, app: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and app.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the app did not start")
