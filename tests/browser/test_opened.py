"""What axe finds in what a click opens on every page, in a run under way and in one that failed: nothing."""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.platform.processes.leases import ProcessLease
from core.platform.settings.settings import SQL_FILE
from core.platform.sql.engine import open_engine
from core.runs.events import NodeStarted, RunFailed, RunStarted
from core.runs.model import RunRequest, RunStatus
from core.runs.store.run_log import SqlRunLog
from tests.browser.test_accessibility import found_in_both_colours, settled
from tests.browser.test_tour import ask, open_chat

pytestmark = [pytest.mark.browser, pytest.mark.sample_library, pytest.mark.timeout(600)]
TOLD = ("How often is each buoy calibrated?", "Remember that the spare key hangs behind the red door.")
POPOVERS, TABS = "[data-testid=stPopoverButton]", "[role=tab]"
CLICKED = {
    "": (".st-key-keys button", f".st-key-scope {POPOVERS}"),
    "documents": (
        ".st-key-base-menu button",
        "[class*=st-key-delete-] button",
        "[class*=st-key-open-] button",
        TABS,
        ".st-key-document-delete button",
    ),
    "graph": (
        f".st-key-graph-header {POPOVERS}",
        ".st-key-graph-duplicates button",
        "[class*=st-key-graph-chips] button",
        ".st-key-graph-edit button",
        ".st-key-graph-path button",
        "[class*=st-key-page-] button",
    ),
    "memory": (
        ".st-key-memory-add button",
        ".st-key-memory-transfer button",
        "[class*=st-key-story-] button",
        "[class*=st-key-edit-] button",
    ),
    "runs": (
        f".st-key-runs-bar {POPOVERS}",
        ".st-key-runs-remove button",
        ".gt-runs > li > .gt-icon",
        ".st-key-runs-marked-bar button[kind=primary]",
    ),
    "runs?view=evaluation": (),
    "runs?view=arena": (),
    "settings": (TABS,),
}
"""Selectors of what is clicked on a page, one after the other; each of several popovers, tabs or marks."""


def opened(page: Page, selector: str) -> list[str]:
    """Faults of what a click on each of them opens."""
    faults, found = [], page.locator(selector).filter(visible=True)
    found.first.wait_for()
    for place in range(found.count() if selector.endswith((POPOVERS, TABS, ".gt-icon")) else 1):
        found.nth(place).click()
        settled(page)
        faults += [f"{selector} {place}: {fault}" for fault in found_in_both_colours(page)]
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    return faults


def test_axe_finds_nothing_in_what_opens(page: Page, app_url: str) -> None:
    open_chat(page, app_url)
    for question in TOLD:
        ask(page, question)
        expect(page.locator("[data-ready]").last).to_be_attached()
    faults = []
    for address, selectors in CLICKED.items():
        page.goto(f"{app_url}/{address}{'&' if '?' in address else '?'}lang=zh-hans")
        settled(page)
        faults += [f"{address}: {fault}" for fault in found_in_both_colours(page)]
        for selector in selectors:
            faults += [f"{address}: {fault}" for fault in opened(page, selector)]
    assert not faults, "\n".join(dict.fromkeys(faults))


def test_axe_finds_nothing_in_a_run_under_way_and_one_that_failed(page: Page, app_url: str, app_folder: Path) -> None:
    engine = open_engine(f"sqlite:///{app_folder}/data/{SQL_FILE}")
    log, lease = SqlRunLog(engine), ProcessLease(app_folder / "data" / "workers")
    run = log.begin(RunRequest("How deep is it?", "b", "adaptive"), "How deep is it?", "built-in", lease.id)
    log.append(
        run.id, [RunStarted(run.question, run.workflow, run.engine, lease.id), NodeStarted("guard", 1)], lease.id
    )
    page.goto(f"{app_url}/?thread={run.thread_id}")
    expect(page.locator(".gt-step.is-active")).to_be_attached()
    faults = found_in_both_colours(page)
    failed = RunFailed("error.unexpected", (("kind", "OSError"),), 1.0)
    log.finish(replace(run, status=RunStatus.FAILED, error=failed.message), lease.id, [failed])
    expect(page.locator(".gt-failure")).to_be_visible()
    faults += found_in_both_colours(page)
    lease.close()
    engine.dispose()
    assert not faults, "\n".join(dict.fromkeys(faults))
