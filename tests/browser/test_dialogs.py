"""The dialogs of Documents and Chat, used as a person does: what is seen afterwards, and that none ends in an error."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog")


def button(page: Page | Locator, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def ended_well(page: Page) -> None:
    expect(dialog(page)).to_have_count(0)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.locator("[data-testid=stAlertContentError]")).to_have_text([])  # says what it reads otherwise


def choose(page: Page, key: str, item: str) -> None:
    pick(page, key, item)
    expect(dialog(page)).to_be_visible()


def pick(page: Page, key: str, item: str) -> None:
    page.locator(f"[class*=st-key-{key}]").get_by_role("button").first.click()
    page.get_by_role("option", name=item).or_(page.get_by_role("menuitem", name=item)).first.click()


def upload(page: Page, folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_text(f"# {name}\n\nThe tide at {name} is 4.2 metres high.\n", "utf-8")
    page.locator("input[type=file]").set_input_files([folder / name for name in names])
    for name in names:
        expect(button(page, name)).to_be_visible()


def test_documents_are_deleted_one_and_all_and_brought_back(page: Page, app_url: str, tmp_path: Path) -> None:
    page.goto(f"{app_url}/documents")
    upload(page, tmp_path, "north.md", "south.md")
    page.locator("[class*=st-key-delete-]").first.get_by_role("button").click()
    dialog(page).get_by_role("button", name="Delete").click()
    ended_well(page)
    expect(page.get_by_text("was deleted")).to_be_visible()
    expect(page.locator("[class*=st-key-open-]")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("[class*=st-key-open-]")).to_have_count(2)
    for place in range(2):
        page.locator("[data-testid=stCheckbox] label").nth(place).click()
        expect(page.get_by_role("checkbox", checked=True)).to_have_count(place + 1)
    page.locator(".st-key-delete-selected").get_by_role("button").click()
    dialog(page).get_by_role("button", name="Delete").click()
    ended_well(page)
    expect(page.locator("[class*=st-key-open-]")).to_have_count(0)


def test_a_knowledge_base_is_made_renamed_given_classes_and_deleted(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/documents")
    page.locator("input[type=file]").wait_for(state="attached")
    choose(page, "base-menu", "New knowledge base")
    dialog(page).get_by_role("textbox").fill("Harbours")
    dialog(page).get_by_role("textbox").press("Enter")
    ended_well(page)
    expect(page.get_by_role("combobox", name="Knowledge base")).to_have_value("Harbours")
    choose(page, "base-menu", "Rename")
    dialog(page).get_by_role("textbox").fill("Ports")
    button(dialog(page), "Rename").click()
    ended_well(page)
    expect(page.get_by_role("combobox", name="Knowledge base")).to_have_value("Ports")
    choose(page, "base-menu", "Delete")
    dialog(page).get_by_role("button", name="Delete the knowledge base").click()
    ended_well(page)
    expect(page.get_by_text("was deleted")).to_be_visible()


def test_a_conversation_is_renamed_exported_deleted_and_brought_back(page: Page, app_url: str, tmp_path: Path) -> None:
    page.goto(f"{app_url}/documents")
    upload(page, tmp_path, "gannet.md")
    expect(page.get_by_text("Ready", exact=True).first).to_be_visible()
    page.get_by_role("link", name="Chat", exact=True).click()
    box = page.get_by_test_id("stChatInputTextArea")
    expect(box).to_be_enabled()
    box.fill("How high is the tide?")
    box.press("Enter")
    expect(page.locator(".gt-answer").last).to_contain_text("4.2")
    expect(page.locator("[data-ready]").last).to_be_attached()  # drawn anew, it would close the dialog
    choose(page, "menu-", "Rename")
    dialog(page).get_by_role("textbox").fill("Tides")
    button(dialog(page), "Save").click()
    ended_well(page)
    expect(button(page, "Tides")).to_be_visible()
    choose(page, "menu-", "Save as Markdown")
    with page.expect_download() as download:
        dialog(page).get_by_role("button", name="This chat (Markdown)").click()
    assert "4.2" in download.value.path().read_text("utf-8")
    dialog(page).get_by_role("button", name="Close").click()
    ended_well(page)
    pick(page, "menu-", "Delete")
    expect(button(page, "Tides")).to_have_count(0)
    button(page, "Undo").click()
    expect(page.locator(".gt-answer").last).to_contain_text("4.2")
    expect(button(page, "Tides")).to_be_visible()
