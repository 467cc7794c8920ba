"""A question that is sent with a file: it stands as a turn, shows the reading, and is answered by itself."""

import os
import re
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import found_by_axe
from tests.browser.test_tour import open_chat

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.sample_library, pytest.mark.timeout(600)]
QUESTION = "How high is the spring tide at Gannet Point?"


def send_with(page: Page, question: str, *files: Path) -> None:
    """Into the reader's own knowledge base."""
    page.locator("[data-testid=stChatInput] input[type=file]").set_input_files(list(files))
    expect(page.get_by_test_id("stFileChip")).to_have_count(len(files))
    field = page.get_by_test_id("stChatInputTextArea")
    field.fill(question)
    # A chip is there while its file is still on its way; Enter does nothing until then.
    expect(page.get_by_test_id("stChatInputSubmitButton")).to_be_enabled()
    field.press("Enter")


def test_a_question_sent_with_a_file_is_answered_from_it_after_a_reload(
    page: Page, app_url: str, tmp_path: Path
) -> None:
    (tmp_path / "tide.md").write_text("# Tides\n\nThe spring tide at Gannet Point is 4.2 metres high.\n", "utf-8")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing more")
    open_chat(page, app_url)
    send_with(page, QUESTION, tmp_path / "tide.md", tmp_path / "broken.pdf")
    page.get_by_role("button", name="Into my own knowledge base").click()
    page.locator("[data-part] .gt-question", has_text=QUESTION).wait_for()
    expect(page.locator(".gt-attached")).to_contain_text("tide.md")
    expect(page).to_have_url(re.compile("thread="))
    page.reload()
    expect(page.locator(".gt-answer").last).to_contain_text("4.2 metres")
    attached = page.locator(".gt-attached")
    expect(attached.locator(".is-ready")).to_contain_text("tide.md")
    expect(attached.locator(".is-failed")).to_contain_text("broken.pdf could not be read")
    expect(page.get_by_text("The question was asked of the documents that are there.")).to_be_visible()


def test_a_stop_ends_the_reading_and_says_so(page: Page, app_url: str, app_folder: Path, tmp_path: Path) -> None:
    """The reading is held up by a process that is stopped for a while."""
    (tmp_path / "late.md").write_text("# Ebb\n\nThe ebb at Gannet Point lasts 6 hours.\n", "utf-8")
    open_chat(page, app_url)
    readers = ingestion_processes(int((app_folder / "app.pid").read_text("ascii")))
    for process in readers:
        os.kill(process, signal.SIGSTOP)
    try:
        send_with(page, "How long is the ebb?", tmp_path / "late.md")
        expect(page.locator(".gt-attached")).to_contain_text("late.md: waiting to be read")
        assert found_by_axe(page) == [], "while a run is under way"
        field = page.get_by_test_id("stChatInputTextArea")
        field.fill("And the flood?")
        field.press("Escape")
        expect(page.locator(".gt-step.is-stopped .gt-chip")).to_have_text("stopped")
        expect(field).to_have_value("And the flood?")
    finally:
        for process in readers:
            os.kill(process, signal.SIGCONT)


def ingestion_processes(app: int) -> list[int]:
    """The app's child that reads documents; threads and processes may end while they are looked at."""
    children: set[int] = set()
    for thread in Path(f"/proc/{app}/task").iterdir():
        with suppress(OSError):
            children |= {int(child) for child in (thread / "children").read_text("ascii").split()}
    reading = []
    for child in children:
        with suppress(OSError):
            if "ingestion_process" in Path(f"/proc/{child}/cmdline").read_text("utf-8"):
                reading.append(child)
    return reading
