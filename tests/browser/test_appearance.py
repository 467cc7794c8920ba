"""What a person sees and where the cursor is, measured in the browser: nothing squeezed, covered or lost."""

import re
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, ElementHandle, Frame, Page, expect

from core.documents.store.library import sql_library
from core.platform.settings.settings import SQL_FILE
from core.platform.sql.engine import open_engine
from tests.browser import hostile_graph
from tests.browser.test_accessibility import ADDRESSES, found_by_axe, settled
from tests.store.samples import add, publication

COLOURED = """tools => {
    const canvas = document.querySelector("#graph canvas");
    const { left, top, width, height } = tools.getBoundingClientRect();
    const share = canvas.width / canvas.clientWidth;
    const drawn = canvas.getContext("2d").getImageData(left * share, top * share, width * share, height * share).data;
    let coloured = 0;
    for (let at = 0; at < drawn.length; at += 4) {
        const [red, green, blue, alpha] = drawn.slice(at, at + 4);
        coloured += alpha > 200 && Math.max(red, green, blue) - Math.min(red, green, blue) > 60;
    }
    return coloured;
}"""
"""Pixels of nodes beneath the buttons of a drawing: lines are grey."""

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]


def upload(page: Page, app_url: str, *files: Path) -> None:
    page.goto(f"{app_url}/documents")
    page.locator("input[type=file]").set_input_files(list(files))


def open_settings(page: Page, app_url: str, tab: str) -> None:
    page.goto(f"{app_url}/settings")
    page.get_by_role("tab", name=tab, exact=True).click()


def pick_language(page: Page, name: str) -> None:
    page.locator(".st-key-language-picker input").click()
    page.get_by_role("option", name=name).click()


def typed_into(page: Page, share: float, typed: str) -> None:
    """Types into the first row, `share` of the width from the left, once the cell is open: earlier keys are lost."""
    table = page.locator("[data-testid=stDataFrame]").first
    editor = page.locator("#portal textarea, #portal input")

    def open_editor() -> None:
        if not editor.count():
            width = table.evaluate("table => table.getBoundingClientRect().width")
            table.locator("canvas").first.click(position={"x": share * width, "y": 52}, force=True)
            page.keyboard.press("Enter")
        expect(editor).to_have_count(1, timeout=15_000)

    for _ in range(12):
        with suppress(AssertionError):
            open_editor()
            break
    editor.fill(typed)
    editor.press("Enter")
    expect(table.locator("table td").filter(has_text=re.compile(f"^{re.escape(typed)}$"))).to_have_count(1)


def test_axe_finds_nothing_on_the_pages_of_an_empty_installation(page: Page, app_url: str) -> None:
    faults = []
    page.goto(app_url)
    expect(page.get_by_role("button", name="Load the sample")).to_be_visible()
    for address in ADDRESSES:
        if "view=" not in address:  # without a graph they are the same
            page.goto(f"{app_url}/{address}")
            settled(page)
            faults += found_by_axe(page)
    assert faults == []


def test_prices_typed_after_one_click_are_kept_and_stay_through_a_second_save(page: Page, app_url: str) -> None:
    open_settings(page, app_url, "Prices")
    page.locator("[data-testid=stDataFrame] canvas").first.wait_for()
    for share, typed in ((0.12, "small-model"), (0.35, "0.5"), (0.6, "2")):
        typed_into(page, share, typed)
    cells = page.locator("[data-testid=stDataFrame] table td")
    save = page.get_by_role("tabpanel", name="Prices").get_by_role("button", name="Save", exact=True)
    page.wait_for_timeout(10_000)  # the grid hands on what was typed a moment later, and on a busy machine much later
    for _ in range(2):
        save.click()
        expect(page.get_by_text("Saved.")).to_be_visible()
        page.reload()
        page.get_by_role("tab", name="Prices", exact=True).click()
        expect(cells.filter(has_text="small-model")).to_have_count(1)
        expect(cells.filter(has_text=re.compile("^0.5$"))).to_have_count(1)
        expect(cells.filter(has_text=re.compile("^2$"))).to_have_count(1)


def test_a_failed_document_can_be_read_on_a_phone(page: Page, app_url: str, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 nothing more")
    page.set_viewport_size({"width": 390, "height": 844})
    upload(page, app_url, broken)
    reason = page.get_by_text("broken.pdf is damaged")
    expect(reason).to_be_visible()
    assert reason.evaluate("reason => reason.getBoundingClientRect().width") > 220


def test_hostile_names_are_inert_in_every_view_of_the_graph(
    page: Page, app_url: str, app_folder: Path, tmp_path: Path
) -> None:
    page.goto(f"{app_url}/graph")
    page.get_by_role("heading").first.wait_for()
    graph = hostile_graph.written(app_folder / "data")
    dialogs: list[str] = []

    def note(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", note)

    def nothing_ran(view: str) -> None:
        page.wait_for_timeout(300)
        alive = [each.evaluate("each => each.outerHTML") for frame in page.frames for each in _alive(frame)]
        assert (view, dialogs, alive) == (view, [], [])

    today, entity = datetime.now(UTC).date().isoformat(), graph.ids[0]
    touched = ",".join(graph.ids[:5])
    for view, shown in {
        f"entity={entity}&colour=community": "iframe",
        f"path={graph.ids[0]},{graph.ids[3]}&view=whole&fold=all": ".whole-canvas",
        f"entity={entity}&view=entities": "[data-testid=stDataFrame]",
        f"entity={entity}&view=relations&until={today}": "[class*=st-key-graph-past]",
        f"entities={touched}&run={graph.run_id}&step=1": "[data-testid=stSlider]",
    }.items():
        page.goto(f"{app_url}/graph?{view}")
        drawn = page.locator(shown).first
        drawn.wait_for()
        expect(page.get_by_text("Evil").first).to_be_visible()
        drawn.hover()
        nothing_ran(view)

    page.get_by_role("button", name="Duplicates").click()
    expect(page.get_by_role("dialog").get_by_text("Evil0").first).to_be_visible()
    nothing_ran("suggestions")
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Documents", exact=True).click()
    page.locator("input[type=file]").set_input_files(hostile_graph.files(tmp_path))
    expect(page.locator("[class*=st-key-graph-preview]").get_by_text("Evil0").first).to_be_visible()
    nothing_ran("preview of an import")


def _alive(frame: Frame) -> list[ElementHandle]:
    return frame.query_selector_all(hostile_graph.ALIVE)


def test_a_picked_language_stays_at_every_address_of_this_browser(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/settings")
    pick_language(page, "繁體中文")
    expect(page.get_by_role("link", name="文件")).to_be_visible()
    page.wait_for_function("() => document.cookie.includes('zh-hant')")
    page.goto(f"{app_url}/memory")
    expect(page.get_by_role("link", name="文件")).to_be_visible()
    pick_language(page, "English")
    expect(page.get_by_role("link", name="Documents")).to_be_visible()
    page.wait_for_function("() => document.cookie.includes('language=en')")
    page.goto(f"{app_url}/runs")
    expect(page.get_by_role("link", name="Documents")).to_be_visible()


def test_a_drawing_of_many_leaves_room_for_its_buttons(page: Page, app_url: str, app_folder: Path) -> None:
    page.goto(f"{app_url}/graph")
    page.get_by_role("heading").first.wait_for()
    engine = open_engine(f"sqlite:///{app_folder}/data/{SQL_FILE}")
    library = sql_library(engine)
    base = library.bases.create("Alone")
    names = {f"Harbour{number}": "PERSON" for number in range(10, 60)}
    library.publications.publish(publication(add(library, base, "a.md"), base, list(names), names))
    engine.dispose()
    page.set_viewport_size({"width": 1400, "height": 900})
    page.goto(f"{app_url}/graph?base={base.id}")
    tools = page.frame_locator("iframe").locator("#tools")
    tools.locator("button").first.wait_for()
    page.wait_for_timeout(1_500)
    assert tools.evaluate(COLOURED) == 0
