"""The whole way: sample, question, run, citation on the page, graph, memory; with nothing but the embedded default."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


def ask(page: Page, question: str) -> None:
    box = page.get_by_test_id("stChatInputTextArea")
    expect(box).to_be_enabled()
    box.fill(question)
    box.press("Enter")
    page.get_by_role("heading", name=question).wait_for()


def send_two_at_once(page: Page, first: str, second: str) -> None:
    """The second stays in the field until the server has taken the first."""
    box = page.get_by_test_id("stChatInputTextArea")
    expect(box).to_be_enabled()
    for question in (first, second):
        expect(box).to_have_value("")  # the field is emptied after what was sent, and nobody types before that
        box.fill(question)
        box.press("Enter")
    page.locator("[data-part] .gt-question", has_text=first).wait_for()
    asked = page.locator("[data-part] .gt-question", has_text=second)
    while not asked.count():  # an empty field sends nothing
        box.press("Enter")
        page.wait_for_timeout(1_000)


def open_chat(page: Page, app_url: str) -> Locator:
    """The field for questions, where the app has documents."""
    page.goto(app_url)
    field = page.get_by_test_id("stChatInputTextArea")
    expect(field).to_be_enabled()
    return field


def open_room(page: Page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).click()


def load_sample(page: Page, app_url: str) -> None:
    page.goto(app_url)
    button = page.get_by_role("button", name="Load the sample")
    button.click()
    expect(button).to_have_count(0)
    open_room(page, "Documents")
    expect(page.get_by_text("Ready", exact=True)).to_have_count(4)
    open_room(page, "Chat")


def test_from_the_first_start_to_a_cited_answer_the_graph_and_the_memory(
    page: Page, app_url: str, app_folder: Path
) -> None:
    load_sample(page, app_url)
    ask(page, "How often is each buoy calibrated?")
    answer = page.locator(".gt-answer").last
    expect(answer).to_contain_text("90 days")
    for node in ("Check the question", "Plan", "Retrieve", "Generate"):
        expect(page.get_by_text(re.compile(node, re.I)).first).to_be_attached()

    expect(page.locator(".gt-actions").last).to_be_visible()
    page.wait_for_timeout(1_500)  # what does not fit is scrolled to its question, away from under the pointer
    answer.locator(".gt-cite").first.hover()
    card = page.get_by_role("tooltip")
    expect(card).to_contain_text("90 days")
    expect(card.locator(".gt-quoted").first).to_be_visible()
    answer.locator(".gt-cite").first.click()
    expect(card).to_have_count(0)
    panel = page.locator("dialog.gt-panel[open]")
    expect(panel).to_contain_text("90 days")
    image = panel.locator("img").first
    expect(image).to_have_js_property("complete", True)
    assert image.evaluate("image => image.naturalWidth") > 300
    outline = panel.locator(".gt-box").first.bounding_box()
    whole = image.bounding_box()
    assert outline is not None
    assert whole is not None
    assert whole["x"] <= outline["x"] < outline["x"] + outline["width"] <= whole["x"] + whole["width"] + 1
    page.keyboard.press("Escape")

    page.reload()
    expect(page.locator(".gt-answer").last).to_contain_text("90 days")

    if (loaded := Path("/proc") / (app_folder / "app.pid").read_text("ascii") / "maps").exists():
        assert "libarrow" not in loaded.read_text("ascii"), "documents and chat need no tables, 70 MB of memory"

    send_two_at_once(page, "Please remember that I prefer metric units.", "What is KelpNet?")
    expect(page.locator("[data-ready]")).to_have_count(3)
    open_room(page, "Memory")
    expect(page).to_have_url(re.compile("/memory"))
    expect(page.get_by_text("metric units").first).to_be_visible()

    open_room(page, "Graph")
    expect(page).to_have_url(re.compile("/graph"))
    drawing = page.frame_locator("iframe").first
    expect(drawing.locator("canvas").first).to_be_visible()
    search = page.get_by_placeholder("Name or alias")
    search.fill("SeaLoom")
    search.press("Enter")
    page.get_by_role("button", name=re.compile("SeaLoom")).first.click()
    expect(page.get_by_text(re.compile("time-series database")).first).to_be_visible()


def test_no_room_scrolls_sideways_on_a_phone(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    widths = {}
    for room in ("", "graph", "documents", "memory", "runs"):
        page.goto(f"{app_url}/{room}")
        page.get_by_test_id("stAppViewContainer").wait_for()
        expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
        widths[room] = page.evaluate("document.documentElement.scrollWidth")
    assert {room: width for room, width in widths.items() if width > 390} == {}
