"""`python -m benchmarks restart`: the server is killed, or stopped, while a page, a question and an upload are on it.

A real browser stays open on the page all the time; the server comes back on the same port and the same data folder.
"""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, expect, sync_playwright

from benchmarks.ingest import text_of
from benchmarks.output import say
from benchmarks.served_app import free_port, start_app, until_it_answers
from core.app.services import Services
from core.documents.model import DocumentStatus
from core.platform.settings.settings import load_settings
from core.runs.model import RunStatus
from core.runs.run_lists import RunFilter
from tests.loopback.answers import Reply
from tests.loopback.openai_server import OpenAiServer

SLOW = 120_000
SECONDS = 120.0
PARAGRAPHS = 1_500
"""Of the upload: enough that the server is gone before it is read."""
SLOW_ANSWER = Reply("The tide at Gannet is high. " * 60, pause_seconds=0.2)
"""Takes half a minute to be told."""


def main(data: Path) -> None:
    del data
    say("| the server is | page comes back, s | the question ends as | said on the page | upload | kept |\n")
    say("|---|---|---|---|---|---|\n")
    for name, how in (("killed (SIGKILL)", signal.SIGKILL), ("stopped (SIGTERM)", signal.SIGTERM)):
        with TemporaryDirectory() as folder, OpenAiServer(lambda _: SLOW_ANSWER) as model:
            say(f"| {name} | {_measured(Path(folder), model.base_url, how)} |\n")


def _measured(folder: Path, model: str, how: signal.Signals) -> str:
    port, data = free_port(), folder / "data"
    environment = {**os.environ, "GRAPHTALK_DATA": str(data), "LLM_BASE_URL": model, "LLM_MODEL": "slow"}
    with Services(load_settings(data)) as services:
        base = services.library.bases.create("Tides")
        services.lifecycle.intake.add(base.id, "gannet.md", b"# Gannet\n\nThe tide at Gannet is 4.2 metres high.\n")
    app = _serve(port, environment)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            page, other = browser.new_page(locale="en-GB"), browser.new_page(locale="en-GB")
            _ask_and_upload(page, other, port, folder)
            app.send_signal(how)
            app.wait(60)
            began = time.monotonic()
            app = _serve(port, environment)
            expect(page.get_by_test_id("stChatInputTextArea")).to_be_enabled(timeout=SLOW)
            expect(page.get_by_test_id("stConnectionStatus")).to_have_count(0, timeout=SLOW)
            back = time.monotonic() - began
            said = page.locator(".gt-live.turn [data-part=end], .gt-live.turn [role=alert]").last
            expect(said).to_be_visible(timeout=SLOW)
            words = " ".join(said.inner_text().split())
            kept = page.locator(".gt-answer").last.inner_text()
            browser.close()
        return f"{back:.1f} | {_after(data, words)} | {'the text so far' if 'tide' in kept else 'nothing'}"
    finally:
        app.send_signal(signal.SIGTERM)
        app.wait(60)


def _ask_and_upload(page: Page, other: Page, port: int, folder: Path) -> None:
    """On two pages, until both are under way."""
    page.goto(f"http://localhost:{port}")
    field = page.get_by_test_id("stChatInputTextArea")
    expect(field).to_be_enabled(timeout=SLOW)
    upload = folder / "long.md"
    upload.write_text(text_of(1, PARAGRAPHS), "utf-8")
    other.goto(f"http://localhost:{port}/documents")
    expect(other.get_by_text("Ready", exact=True).first).to_be_visible(timeout=SLOW)
    field.fill("How high is the tide at Gannet?")
    field.press("Enter")
    expect(page.locator(".gt-answer").last).to_contain_text("tide", timeout=SLOW)
    other.locator("input[type=file]").set_input_files(upload)
    expect(other.get_by_role("button", name="long.md", exact=True)).to_be_visible(timeout=SLOW)  # a row: it is stored


def _after(data: Path, words: str) -> str:
    with Services(load_settings(data)) as services:
        (base,) = services.library.bases.all()
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            found = {each.name: each.status for each in services.library.documents.of_base(base.id)}
            if found.get("long.md") is DocumentStatus.READY:
                break
            time.sleep(0.5)
        (line,) = services.storage.records.run_lists.lines(RunFilter())
        assert line.status is not RunStatus.RUNNING
    return f"{line.status.value} | {words} | {found.get('long.md', 'missing')}"


def _serve(port: int, environment: dict[str, str]) -> "subprocess.Popen[bytes]":
    app = start_app(port, environment)
    until_it_answers(port, app)
    return app


if __name__ == "__main__":
    main(Path())
