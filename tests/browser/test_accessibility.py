"""What axe finds in every state of every page: nothing, in three languages, light and dark, on a screen and a phone."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.test_dialogs import choose
from tests.browser.test_tour import ask, load_sample

pytestmark = [pytest.mark.browser, pytest.mark.sample_library, pytest.mark.timeout(600)]
SCREEN, PHONE = ViewportSize(width=1440, height=900), ViewportSize(width=390, height=844)
LOOKS = [
    ("zh-hant", "dark", SCREEN),
    *(pytest.param(*look, marks=pytest.mark.slow) for look in (("en", "light", SCREEN), ("zh-hans", "light", PHONE))),
]
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
PORTAL = "data-floating-ui-portal"
"""Of Streamlit's popovers and tooltips, which stand outside of its landmarks for as long as they open and close."""


def found_by_axe(page: Page) -> list[str]:
    page.wait_for_timeout(300)  # colours fade in
    return [
        f"{page.url}: {fault['impact']} {fault['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
        for fault in Axe().run(page, options=FAULTS_ALONE).response["violations"]
        if fault["id"] not in OF_STREAMLIT
        for node in fault["nodes"]
        if PORTAL not in node["html"]
    ]


def settled(page: Page) -> None:
    expect(page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_attached()
    expect(page.locator("[data-testid=stSkeleton]")).to_have_count(0)


@pytest.mark.parametrize(("language", "colours", "size"), LOOKS)
def test_every_page(page: Page, app_url: str, language: str, colours: str, size: ViewportSize) -> None:
    load_sample(page, app_url)
    ask(page, "How often is each buoy calibrated?")
    expect(page.locator(".gt-actions").last).to_be_visible()
    chat = page.url.rsplit("/", 1)[1]
    page.emulate_media(color_scheme="dark" if colours == "dark" else "light")
    page.set_viewport_size(size)
    faults = []
    for address in (*ADDRESSES, chat):
        page.goto(f"{app_url}/{address}{'&' if '?' in address else '?'}lang={language}")
        settled(page)
        faults += found_by_axe(page)
    assert not faults, "\n".join(dict.fromkeys(faults))


def test_dialogs_menus_panels_and_refusals(page: Page, app_url: str, tmp_path: Path) -> None:
    load_sample(page, app_url)
    faults = []
    for open_it in (
        _workflows,
        _saved,
        _citation,
        _folded_parts,
        _refusal,
        _rename_chat,
        _rename_base,
    ):
        open_it(page, app_url)
        settled(page)
        faults += [f"{open_it.__name__}: {fault}" for fault in found_by_axe(page)]
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing more")
    page.goto(f"{app_url}/documents")
    page.locator("input[type=file]").set_input_files(tmp_path / "broken.pdf")
    page.get_by_role("button", name="Into the sample").click()
    faults += found_by_axe(page)
    expect(page.get_by_text("broken.pdf is damaged")).to_be_visible()
    faults += found_by_axe(page)
    assert not faults, "\n".join(dict.fromkeys(faults))


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


def _refusal(page: Page, _: str) -> None:
    field = page.get_by_test_id("stChatInputTextArea")
    field.fill("How often is each buoy calibrated? " * 300)
    field.press("Enter")
    expect(page.get_by_text("a question can have at most 8,000")).to_be_visible()


def _rename_chat(page: Page, _: str) -> None:
    choose(page, "menu-", "Rename")


def _rename_base(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/documents")
    choose(page, "base-menu", "Rename")
