"""Without a pointer: Tab reaches every control of every page, and what a question leads to."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.test_accessibility import ADDRESSES, settled
from tests.browser.test_tour import load_sample

pytestmark = [pytest.mark.browser, pytest.mark.sample_library, pytest.mark.timeout(600)]
MOST = 250
"""Elements of one page that Tab reaches."""
CONTROLS = """() => [...document.querySelectorAll(
  'a[href], button:enabled, input:enabled, textarea:enabled, select:enabled, summary, iframe, [tabindex="0"]'
)].filter((each) =>
  each.checkVisibility({ visibilityProperty: true }) && each.tabIndex >= 0 && !each.closest("[inert]")
  && each.type !== "radio" && each.role !== "radio" && !each.dataset.variant
)"""
"""Of radio buttons and toolbars Tab reaches one alone, and arrows the others."""
WATCH = """() => {
  window.reached = new Set([document.activeElement]);
  document.addEventListener("focusin", (event) => window.reached.add(event.target));
}"""
REACHED = "() => window.reached.size"
AT_ONCE = 10
"""Presses of Tab until the elements reached are counted anew."""
MISSED = f"() => ({CONTROLS})().filter((each) => !window.reached.has(each)).map((each) => each.outerHTML.slice(0, 200))"


def test_tab_reaches_every_control_of_every_page(page: Page, app_url: str) -> None:
    load_sample(page, app_url)
    missed = {}
    for address in ADDRESSES:
        page.goto(f"{app_url}/{address}")
        settled(page)
        page.wait_for_timeout(1_000)
        page.evaluate(WATCH)
        reached = 0
        while reached != (reached := page.evaluate(REACHED)) and reached < MOST:
            for _ in range(AT_ONCE):
                page.keyboard.press("Tab")
        missed[address] = page.evaluate(MISSED)
    assert {address: controls for address, controls in missed.items() if controls} == {}


def tab_to(page: Page, control: Locator) -> None:
    expect(control).to_be_visible()
    for _ in range(MOST):
        if control.evaluate("each => each === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{control} is not reached")


def test_a_question_its_proof_the_graph_and_a_memory(page: Page, app_url: str) -> None:
    load_sample(page, app_url)
    field = page.get_by_test_id("stChatInputTextArea")
    expect(field).to_be_enabled()
    tab_to(page, field)
    page.keyboard.insert_text("How often is each buoy calibrated?")
    page.keyboard.press("Enter")
    answer = page.locator(".gt-answer").last
    expect(answer).to_contain_text("90 days")
    expect(page.locator(".gt-actions").last).to_be_visible()
    cite = answer.locator(".gt-cite").first
    tab_to(page, cite)
    page.keyboard.press("Enter")
    expect(page.locator("dialog.gt-panel[open]")).to_contain_text("90 days")
    page.keyboard.press("Escape")
    expect(page.locator("dialog.gt-panel[open]")).to_have_count(0)
    expect(cite).to_be_focused()

    tab_to(page, page.locator(".gt-edit summary").first)
    page.keyboard.press("Enter")
    expect(page.locator(".gt-edit textarea")).to_be_focused()
    page.keyboard.press("Escape")

    tab_to(page, page.locator("select[data-event=retry]"))
    page.keyboard.press("ArrowDown")  # opens the list and asks nothing yet
    expect(page.locator("select[data-event=retry]:open")).to_have_count(1)
    page.keyboard.press("Escape")
    page.wait_for_timeout(1_500)
    expect(page.locator(".gt-arrows")).to_have_count(0)

    tab_to(page, page.get_by_role("link", name="Graph", exact=True))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/graph"))
    expect(page.locator(".st-key-graph-keys")).to_be_attached()
    search = page.get_by_placeholder("Name or alias")
    tab_to(page, search)
    page.keyboard.insert_text("SeaLoom")
    page.keyboard.press("Enter")  # takes the first suggestion
    expect(page.get_by_text(re.compile("time-series database")).first).to_be_visible()

    tab_to(page, page.get_by_role("link", name="Memory", exact=True))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/memory"))
