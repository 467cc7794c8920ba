"""Folding communities in the drawing of the whole graph, and unfolding them."""

import re
from hashlib import sha256
from itertools import combinations
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.documents.store.library import sql_library
from core.platform.settings.settings import SQL_FILE
from core.platform.sql.engine import open_engine
from tests.store.samples import publication

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]
TIMES = 3
GROUPS = ("Harbour", "Lantern", "Kelp", "Tern", "Buoy")
SIZE = 14


_ONE_STEP_A_FRAME = """
const now = performance.now.bind(performance);
let asked = 0;
performance.now = () => now() + 4 * (asked += 1);
"""
"""A slow machine: the clock goes on by more than half of what a frame may take, each time that it is looked at."""


def write_groups(data: Path) -> None:
    """One base whose graph falls into groups of entities."""
    engine = open_engine(f"sqlite:///{data / SQL_FILE}")
    library = sql_library(engine)
    base = library.bases.create("Groups")
    for group in GROUPS:
        names = [f"{group} {number}" for number in range(SIZE)]
        texts = [f"{one} knows {other}." for one, other in combinations(names, 2)]
        document, _ = library.documents.add(base.id, group, sha256(group.encode()).hexdigest(), 1, "text/markdown")
        library.publications.publish(publication(document, base, texts, dict.fromkeys(names, "CONCEPT")))
    engine.dispose()


def drawn(page: Page, before: str = "nothing") -> tuple[str, str]:
    """Address and picture of what is drawn, once another graph than the one before is drawn and nothing moves."""
    canvas = page.locator(".whole-canvas")
    expect(canvas).to_have_attribute("data-drawn", re.compile(f"^(?!{re.escape(before)}$)."))
    picture = ""
    while picture != (picture := str(canvas.evaluate("canvas => canvas.toDataURL()"))):
        page.wait_for_timeout(1_000)
    return str(canvas.get_attribute("data-drawn")), picture


def test_communities_fold_and_unfold_with_every_name_at_its_place(page: Page, app_url: str, app_folder: Path) -> None:
    page.add_init_script(_ONE_STEP_A_FRAME)
    page.goto(f"{app_url}/graph")
    page.get_by_role("heading").first.wait_for()
    write_groups(app_folder / "data")
    page.goto(f"{app_url}/graph?view=whole")
    source, unfolded = drawn(page)
    fold = page.locator(".st-key-graph-fold label")
    folded = ""
    for _ in range(TIMES):
        fold.click()
        source, picture = drawn(page, source)
        assert picture not in (unfolded, "")
        folded = folded or picture
        assert picture == folded
        fold.click()
        source, picture = drawn(page, source)
        assert picture == unfolded
    page.goto(f"{app_url}/graph?view=whole&fold=all")
    expect(page.locator(".whole-canvas")).to_be_visible()
    assert drawn(page)[1] == folded
    page.get_by_role("button", name="Full screen, and back").click()
    page.wait_for_function("() => document.fullscreenElement !== null")
    page.get_by_role("button", name="Full screen, and back").click()
    page.wait_for_function("() => document.fullscreenElement === null")
