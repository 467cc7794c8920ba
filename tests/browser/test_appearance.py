"""What a person sees and where the cursor is, measured in the browser: nothing squeezed, covered or lost."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
SLOW = 90_000


def upload(page: Page, app_url: str, *files: Path) -> None:
    page.goto(f"{app_url}/documents")
    page.locator("input[type=file]").set_input_files(list(files))


def open_settings(page: Page, app_url: str, tab: str) -> None:
    page.goto(f"{app_url}/settings")
    page.get_by_role("tab", name=tab, exact=True).click(timeout=SLOW)


def test_prices_typed_after_one_click_are_kept_and_stay_through_a_second_save(page: Page, app_url: str) -> None:
    open_settings(page, app_url, "Prices")
    table = page.locator("[data-testid=stDataFrame] canvas").first
    table.wait_for(timeout=SLOW)
    box = table.bounding_box()
    assert box is not None
    for share, typed in ((0.12, "small-model"), (0.35, "0.5"), (0.6, "2")):
        page.mouse.click(box["x"] + share * box["width"], box["y"] + 52)
        page.keyboard.type(typed, delay=150)
    save = page.get_by_role("tabpanel", name="Prices").get_by_role("button", name="Save", exact=True)
    for _ in range(2):
        save.click()
        expect(page.get_by_text("Saved.")).to_be_visible(timeout=SLOW)
        page.reload()
        page.get_by_role("tab", name="Prices", exact=True).click(timeout=SLOW)
        cells = page.locator("[data-testid=stDataFrame] table td")
        expect(cells.filter(has_text="small-model")).to_have_count(1, timeout=SLOW)
        expect(cells.filter(has_text=re.compile("^0.5$"))).to_have_count(1)
        expect(cells.filter(has_text=re.compile("^2$"))).to_have_count(1)


def test_a_failed_document_can_be_read_on_a_phone(page: Page, app_url: str, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 nothing more")
    page.set_viewport_size({"width": 390, "height": 844})
    upload(page, app_url, broken)
    reason = page.get_by_text("broken.pdf is damaged")
    expect(reason).to_be_visible(timeout=SLOW)
    assert reason.evaluate("reason => reason.getBoundingClientRect().width") > 220
