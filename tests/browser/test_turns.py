"""A turn as it ends: said once to those who do not see it, the next question can be typed, and other tabs show it."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import SLOW
from tests.browser.test_accessibility import settled

pytestmark = [pytest.mark.browser, pytest.mark.sample_library, pytest.mark.timeout(600)]
MOST_SHIFT = 0.02
SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shifted += entry.hadRecentInput ? 0 : entry.value;
}).observe({ type: "layout-shift" });
"""
"""Adds up what moves without the reader's doing."""


def ask(page: Page, question: str) -> None:
    field = page.get_by_test_id("stChatInputTextArea")
    field.fill(question)
    field.press("Enter")


def test_the_end_of_an_answer_is_said_once_and_shown_in_another_tab(page: Page, app_url: str) -> None:
    page.goto(app_url)
    settled(page)
    ask(page, "When was the station founded?")
    said = page.locator("p.gt-hidden[role=status]")
    expect(said).to_have_text("The answer is ready.")
    assert page.evaluate("() => document.activeElement.dataset.testid") == "stChatInputTextArea"
    expect(page).to_have_url(re.compile("thread="))
    other = page.context.new_page()
    other.goto(page.url)
    turns = other.locator(".gt-live.turn")
    expect(turns).to_have_count(1)
    expect(other.locator("p.gt-hidden[role=status]")).to_have_text("")
    ask(page, "Who founded it?")
    expect(turns).to_have_count(2)
    expect(turns.last.locator("[data-ready]")).to_be_attached()
    other.close()
    expect(said).to_have_text("")


def test_what_was_asked_on_another_device_is_shown_once_the_page_is_looked_at_again(page: Page, app_url: str) -> None:
    page.goto(app_url)
    settled(page)
    ask(page, "When was the station founded?")
    expect(page).to_have_url(re.compile("thread="))
    device = page.context.browser.new_context().new_page()  # type: ignore[union-attr]
    device.goto(page.url)
    turns = device.locator(".gt-live.turn")
    expect(turns).to_have_count(1)
    settled(device)
    ask(page, "Who founded it?")
    expect(turns).to_have_count(1)
    device.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    expect(turns).to_have_count(2)
    device.context.close()


@pytest.mark.slow
def test_a_question_below_a_long_answer_is_shown_from_its_beginning_before_it_is_answered(
    page: Page, app_url: str
) -> None:
    page.set_viewport_size({"width": 1400, "height": 600})
    page.goto(app_url)
    settled(page)
    place = """turns => {
        const turn = document.querySelectorAll(".gt-live.turn")[turns - 1];
        return turn && !turn.querySelector("[data-ready]") && Math.abs(turn.getBoundingClientRect().top - 64) < 10;
    }"""
    turns = page.locator(".gt-live.turn")
    for number, question in ((1, "What is KelpNet?"), (2, "When was the station founded?")):
        ask(page, question)
        if number > 1:
            page.wait_for_function(place, arg=number, timeout=20_000)
        expect(turns.nth(number - 1).locator("[data-ready]")).to_be_attached()
    page.wait_for_timeout(1_500)  # while the end of the answer is drawn
    assert turns.last.evaluate("turn => Math.abs(turn.getBoundingClientRect().top - 64)") < 10


def test_an_offered_memory_is_kept_by_keyboard_and_the_offer_goes_in_every_tab(page: Page, app_url: str) -> None:
    page.goto(app_url)
    ask(page, "My favourite tree is the larch.")
    offer = page.locator("[data-once]")
    expect(offer).to_be_visible()
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator("[data-once]")).to_be_visible()
    page.get_by_role("button", name="Remember", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("p.gt-hidden[role=status]")).to_have_text("Remembered.")
    expect(page.get_by_test_id("stChatInputTextArea")).to_be_focused()
    for tab in (page, other):
        expect(tab.locator("[data-settled]")).to_have_text("Remembered.")
        expect(tab.locator("[data-once]")).to_have_count(0)
    other.close()


def test_a_source_stands_beside_the_conversation_and_covers_none_of_it(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(app_url)
    ask(page, "How often is each buoy calibrated?")
    page.locator(".gt-cite").first.click()
    panel, turn = page.locator("dialog[open]"), page.locator(".gt-live.turn").first
    expect(panel).to_be_visible()
    page.wait_for_timeout(500)  # it slides in
    assert left_of(panel) >= right_of(turn)
    assert panel.evaluate("panel => getComputedStyle(panel, '::backdrop').backgroundColor") == "rgba(0, 0, 0, 0)"


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_an_answer_moves_nothing_that_is_read(page: Page, app_url: str, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.add_init_script(SHIFTS)
    page.goto(app_url)
    for number, question in enumerate(("When was the station founded?", "Who pays for the new roof?")):
        page.evaluate("window.shifted = 0")
        ask(page, question)
        expect(page.locator("[data-ready]").nth(number)).to_be_attached()
        page.wait_for_timeout(1_500)  # while the end of the answer is drawn
    assert page.evaluate("window.shifted") <= MOST_SHIFT


def test_the_choices_are_one_row_as_wide_as_the_field_and_on_a_phone_low(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(app_url)
    ask(page, "How often is each buoy calibrated?")
    expect(page.locator("[data-ready]")).to_be_attached()
    row, field = page.locator(".st-key-composer"), page.get_by_test_id("stChatInput")
    expect(page.locator(".st-key-run-panel .gt-drawing")).to_be_visible()
    last = page.locator(".st-key-uses")
    assert right_of(last) <= right_of(field) + 1
    page.locator(".st-key-scope button").first.click()
    page.get_by_test_id("stPopoverBody").get_by_test_id("stMultiSelect").locator("input").first.click()
    page.get_by_role("option", name="KelpNet technical note.pdf").click()
    expect(page.locator(".st-key-scope-chips button").first).to_be_attached()
    page.set_viewport_size({"width": 390, "height": 844})
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    settled(page)
    assert row.evaluate("row => row.clientHeight") < 60
    assert page.get_by_test_id("stBottom").evaluate("bottom => bottom.clientHeight") <= 0.15 * 844
    for action in ("Copy", "Helpful", "Not helpful"):
        expect(page.locator(".gt-actions").first.get_by_text(action, exact=True)).to_be_visible()


def left_of(element: Locator) -> float:
    return float(element.evaluate("element => element.getBoundingClientRect().left"))


def right_of(element: Locator) -> float:
    return float(element.evaluate("element => element.getBoundingClientRect().right"))


def test_the_lists_of_the_first_page_stand_in_its_middle(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(app_url)
    lines = page.locator(".st-key-home button")
    expect(lines.first).to_be_visible()
    settled(page)
    boxes = [box for line in lines.all() if (box := line.bounding_box())]
    title = page.locator(".gt-welcome").bounding_box()
    assert title
    left, right = min(box["x"] for box in boxes), max(box["x"] + box["width"] for box in boxes)
    assert abs((left + right) / 2 - title["x"] - title["width"] / 2) < 12


def test_a_phone_shows_no_keys_and_no_sidebar_over_the_chosen_page(page: Page, app_url: str) -> None:
    browser = page.context.browser
    assert browser
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    context.set_default_timeout(SLOW)
    phone = context.new_page()
    phone.goto(app_url)
    phone.get_by_test_id("stExpandSidebarButton").click()
    expect(phone.get_by_role("button", name="New chat")).to_be_visible()
    expect(phone.locator(".st-key-keys")).to_be_hidden()
    expect(phone.locator("kbd").first).to_be_hidden()
    phone.get_by_role("link", name="Graph").tap()
    expect(phone.get_by_test_id("stExpandSidebarButton")).to_be_visible()
    context.close()
