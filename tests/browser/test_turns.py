"""A turn as it ends: said once to those who do not see it, the next question can be typed, and other tabs show it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.timeout(200)]
SLOW = 60_000


def ask(page: Page, question: str) -> None:
    field = page.get_by_test_id("stChatInputTextArea")
    field.fill(question, timeout=SLOW)
    field.press("Enter")


def test_the_end_of_an_answer_is_said_once_and_shown_in_another_tab(page: Page, app_url: str, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# Notes\n\nThe station was founded in 2011.\n", encoding="utf-8")
    page.goto(f"{app_url}/documents")
    page.locator("input[type=file]").set_input_files(notes)
    expect(page.get_by_text("Ready", exact=True).first).to_be_visible(timeout=SLOW)
    page.goto(app_url)
    ask(page, "When was the station founded?")
    said = page.locator("p.gt-hidden[role=status]")
    expect(said).to_have_text("The answer is ready.", timeout=SLOW)
    assert page.evaluate("() => document.activeElement.dataset.testid") == "stChatInputTextArea"
    expect(page).to_have_url(re.compile("thread="))
    other = page.context.new_page()
    other.goto(page.url)
    turns = other.locator(".gt-live.turn")
    expect(turns).to_have_count(1, timeout=SLOW)
    expect(other.locator("p.gt-hidden[role=status]")).to_have_text("")
    ask(page, "Who founded it?")
    expect(turns).to_have_count(2, timeout=SLOW)
    expect(turns.last.locator("[data-ready]")).to_be_attached(timeout=SLOW)
    other.close()
