"""What axe finds on every page: nothing, in three languages, light and dark, on a screen and a phone.

Without a pointer Tab reaches every control of every page, and what a question leads to.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.test_dialogs import choose
from tests.browser.test_tour import ask, open_chat

pytestmark = [pytest.mark.browser, pytest.mark.sample_library, pytest.mark.timeout(600)]
SCREEN, PHONE = ViewportSize(width=1440, height=900), ViewportSize(width=390, height=844)
ADDRESSES = (
    "",
    "graph",
    "graph?view=whole",
    "graph?view=entities",
    "graph?view=relations",
    "documents",
    "memory",
    "runs",
    "settings",
)
OF_STREAMLIT = {
    "presentation-role-conflict",  # the field that takes files
}
"""Rules that Streamlit's own parts break."""


FAULTS_ALONE = {"resultTypes": ["violations"]}
PORTALS = ("data-floating-ui-portal", 'role="menu"')
"""Of Streamlit's popovers, tooltips and menus, which stand outside of its landmarks."""
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


def found_by_axe(page: Page) -> list[str]:
    page.wait_for_timeout(300)  # colours fade in
    return [
        f"{page.url}: {fault['impact']} {fault['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
        for fault in Axe().run(page, options=FAULTS_ALONE).response["violations"]
        if fault["id"] not in OF_STREAMLIT
        for node in fault["nodes"]
        if not any(portal in node["html"] for portal in PORTALS)
    ]


def found_in_both_colours(page: Page) -> list[str]:
    faults = []
    for colours in ("dark", "light"):
        page.emulate_media(color_scheme="dark" if colours == "dark" else "light")
        faults += [f"{colours}: {fault}" for fault in found_by_axe(page)]
    return faults


def settled(page: Page) -> None:
    expect(page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_attached()
    expect(page.locator("[data-testid=stSkeleton]")).to_have_count(0)


def each_page(page: Page, app_url: str, language: str, colours: str, size: ViewportSize) -> Iterator[str]:
    """Open one after the other, a conversation last."""
    open_chat(page, app_url)
    ask(page, "How often is each buoy calibrated?")
    expect(page.locator(".gt-actions").last).to_be_visible()
    chat = page.url.rsplit("/", 1)[1]
    page.emulate_media(color_scheme="dark" if colours == "dark" else "light")
    page.set_viewport_size(size)
    for address in (*ADDRESSES, chat):
        page.goto(f"{app_url}/{address}{'&' if '?' in address else '?'}lang={language}")
        settled(page)
        yield address


def missed_by_tab(page: Page) -> list[str]:
    page.evaluate(WATCH)
    reached = 0
    while reached != (reached := page.evaluate(REACHED)) and reached < MOST:
        for _ in range(AT_ONCE):
            page.keyboard.press("Tab")
    return list(page.evaluate(MISSED))


def test_axe_finds_nothing_and_tab_reaches_every_control_of_every_page(page: Page, app_url: str) -> None:
    faults, missed = [], {}
    for address in each_page(page, app_url, "zh-hant", "dark", SCREEN):
        faults += found_in_both_colours(page)
        missed[address] = missed_by_tab(page)
    assert not faults, "\n".join(dict.fromkeys(faults))
    assert {address: controls for address, controls in missed.items() if controls} == {}


@pytest.mark.slow
@pytest.mark.parametrize(("language", "colours", "size"), [("en", "light", SCREEN), ("zh-hans", "light", PHONE)])
def test_axe_finds_nothing_in_other_looks(
    page: Page, app_url: str, language: str, colours: str, size: ViewportSize
) -> None:
    faults = [fault for _ in each_page(page, app_url, language, colours, size) for fault in found_by_axe(page)]
    assert not faults, "\n".join(dict.fromkeys(faults))


def test_dialogs_menus_panels_and_refusals(page: Page, app_url: str, tmp_path: Path) -> None:
    faults = []
    for open_it in (
        _workflows,
        _saved,
        _citation,
        _folded_parts,
        _rename_chat,
        _rename_base,
    ):
        open_it(page, app_url)
        settled(page)
        faults += [f"{open_it.__name__}: {fault}" for fault in found_by_axe(page)]
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing more")
    (tmp_path / "tide.md").write_text("# Tide tables\n\nThe spring tide at Gannet Point is 4.2 metres.\n", "utf-8")
    page.goto(f"{app_url}/documents")
    page.locator("input[type=file]").set_input_files([tmp_path / "broken.pdf", tmp_path / "tide.md"])
    page.get_by_role("button", name="Into the sample").click()
    faults += found_by_axe(page)
    expect(page.get_by_text("broken.pdf is damaged")).to_be_visible()
    expect(page.get_by_text("tide.md").first).to_be_visible()
    faults += found_by_axe(page)
    assert not faults, "\n".join(dict.fromkeys(faults))


def test_a_question_that_is_too_long_comes_back_and_the_next_one_is_asked_at_once(page: Page, app_url: str) -> None:
    field = open_chat(page, app_url)
    field.fill("How often is each buoy calibrated? " * 300)
    field.press("Enter")
    expect(page.get_by_text("a question can have at most 8,000")).to_be_visible()
    expect(page.locator(".gt-live.refused")).to_be_attached()
    expect(field).to_have_value(re.compile("calibrated"))
    settled(page)
    assert found_by_axe(page) == []
    field.fill("How often is each buoy calibrated?")
    field.press("Enter")
    expect(page.locator(".gt-answer").last).to_contain_text("90 days")


def test_text_stays_readable_while_the_page_is_drawn_anew(page: Page, app_url: str) -> None:
    """Streamlit gives what an earlier run drew a class that fades it, here given to an element without waiting."""
    page.goto(app_url)
    expect(page.get_by_test_id("stChatInputTextArea")).to_be_enabled()
    opacity = page.evaluate(
        """() => {
            const style = document.createElement("style"), old = document.createElement("div");
            style.textContent = ".fading { opacity: 0.33 }";
            Object.assign(old.dataset, { testid: "stElementContainer", stale: "true" });
            old.className = "fading";
            document.body.append(style, old);
            return getComputedStyle(old).opacity;
        }"""
    )
    assert opacity == "1"


def tab_to(page: Page, control: Locator) -> None:
    expect(control).to_be_visible()
    for _ in range(MOST):
        if control.evaluate("each => each === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{control} is not reached")


def test_a_question_its_proof_the_graph_and_a_memory_by_keyboard(page: Page, app_url: str) -> None:
    field = open_chat(page, app_url)
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
    _memory_by_keyboard(page)
    for room in ("Documents", "Runs", "Settings"):
        tab_to(page, page.get_by_role("link", name=room, exact=True))
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name=room, exact=True)).to_be_visible()
        settled(page)
    tab_to(page, page.get_by_role("tab", selected=True))
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Web", exact=True)).to_have_attribute("aria-selected", "true")


def _memory_by_keyboard(page: Page) -> None:
    """Told, and deleted again."""
    settled(page)
    tab_to(page, page.locator(".st-key-memory-add button").filter(visible=True))
    page.keyboard.press("Enter")
    tab_to(page, page.locator(".st-key-text-new textarea"))
    page.keyboard.insert_text("The boat house has a blue door.")
    tab_to(page, page.get_by_role("button", name="Save", exact=True))
    page.keyboard.press("Enter")
    kept = page.locator(".gt-memory", has_text="The boat house has a blue door.")
    expect(kept).to_be_visible()
    settled(page)
    tab_to(page, page.locator("[class*=st-key-delete-] button").filter(visible=True).first)
    page.keyboard.press("Enter")
    expect(kept).to_have_count(0)
    tab_to(page, page.locator(".st-key-undo button").filter(visible=True))
    page.keyboard.press("Enter")
    expect(kept).to_be_visible()


def test_a_chinese_question_by_keyboard_is_answered_in_chinese_and_its_first_citation_opened(
    page: Page, app_url: str
) -> None:
    field = open_chat(page, app_url)
    settled(page)  # the page listens for keys only once all of it is there
    page.keyboard.press("Alt+KeyN")
    expect(field).to_be_focused()
    page.keyboard.insert_text("红色预警由谁批准发布？")
    page.keyboard.press("Enter")
    expect(page.locator(".gt-answer").last).to_contain_text("林雨晴")
    expect(page.locator(".gt-actions").last).to_be_visible()
    page.keyboard.press("Alt+KeyC")
    expect(page.get_by_role("tooltip")).to_contain_text("林雨晴")
    page.keyboard.press("Enter")
    expect(page.locator("dialog.gt-panel[open]")).to_contain_text("林雨晴")


def _workflows(page: Page, app_url: str) -> None:
    page.goto(app_url)
    page.locator(".st-key-workflow").get_by_role("button").first.click()
    expect(page.get_by_role("radiogroup").first).to_be_visible()


def _saved(page: Page, app_url: str) -> None:
    page.goto(app_url)
    page.locator("[class*=st-key-saved-]").get_by_role("button").first.click()
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_visible()


def _citation(page: Page, app_url: str) -> None:
    page.goto(app_url)
    ask(page, "How often is each buoy calibrated?")
    expect(page.locator(".gt-actions").last).to_be_visible()
    page.wait_for_timeout(1_500)
    page.locator(".gt-answer .gt-cite").first.click()
    expect(page.locator("dialog.gt-panel[open]")).to_be_visible()


def _folded_parts(page: Page, _: str) -> None:
    page.keyboard.press("Escape")
    for summary in page.locator(".gt-live details:not([open]) > summary").all():
        if summary.is_visible():
            summary.click()


def _rename_chat(page: Page, _: str) -> None:
    choose(page, "menu-", "Rename")


def _rename_base(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/documents")
    choose(page, "base-menu", "Rename")
