"""The pane beside a conversation while its run is under way: what runs now and the drawing are in view, and at rest."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from core.platform.processes.leases import ProcessLease
from core.platform.sql.engine import open_engine
from core.runs.events import NodeFinished, NodeStarted, RunStarted
from core.runs.model import RunRequest
from core.runs.store.run_log import SqlRunLog
from tests.browser.test_tour import open_chat
from tests.browser.test_turns import MOST_SHIFT, SHIFTS

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.sample_library, pytest.mark.timeout(600)]
SEARCH = ("rewrite_query", "retrieve", "grade_evidence")
STEPS = (
    *("guard", "detect_language", "recall_memory", "plan", *SEARCH, *SEARCH),
    *("generate", "check_answer", "evaluate_compliance", "consolidate_memory", "telemetry"),
)
"""A run that searches twice."""
ROOM = 30
"""Pixels."""


@pytest.fixture
def lease(app_folder: Path) -> Iterator[ProcessLease]:
    """This process, as one that answers beside the app."""
    made = ProcessLease(app_folder / "data" / "workers")
    yield made
    made.close()


@pytest.fixture
def begin(app_folder: Path, lease: ProcessLease) -> Iterator[Callable[[], tuple[str, Iterator[int]]]]:
    """Begin a run: the id of its conversation, and its steps, each begun when it is taken from the iterator."""
    engine = open_engine(f"sqlite:///{app_folder}/data/graphtalk.sqlite")
    log = SqlRunLog(engine)

    def begin() -> tuple[str, Iterator[int]]:
        run = log.begin(RunRequest("How deep is it?", "b", "adaptive"), "How deep is it?", "built-in", lease.id)
        log.append(run.id, [RunStarted(run.question, run.workflow, run.engine, lease.id)], lease.id)
        return run.thread_id, steps(run.id)

    def steps(run_id: str) -> Iterator[int]:
        visits: Counter[str] = Counter()
        for index, node in enumerate(STEPS):
            visits[node] += 1
            log.append(run_id, [NodeStarted(node, visits[node])], lease.id)
            yield index
            log.append(run_id, [NodeFinished(node, visits[node], 0.1, "")], lease.id)

    yield begin
    engine.dispose()


def test_the_pane_follows_the_running_step_and_shows_the_whole_drawing_without_moving_it(
    page: Page, app_url: str, request: pytest.FixtureRequest
) -> None:
    open_chat(page, app_url)
    thread, steps = request.getfixturevalue("begin")()
    page.goto(f"{app_url}/?thread={thread}")
    pane = page.locator(".st-key-run-panel")
    drawing = pane.locator(".gt-drawing")
    for index in steps:
        active = pane.locator(".gt-step.is-active")
        expect(active).to_have_attribute("data-key", f"step-{index}")
        if index == 0:
            expect(drawing.locator(".gt-node")).to_have_count(1)
            assert distance(drawing, active) < ROOM, "no empty room between the drawing and the steps"
            page.wait_for_timeout(1_000)
            page.evaluate(SHIFTS)
        if index in (2, len(STEPS) - 1):
            page.wait_for_timeout(300)
            for shown in (active, pane.locator(".gt-node.is-active"), drawing.locator("svg").first):
                expect(shown).to_be_visible()
                assert is_within(shown, pane)
            assert distance(drawing, active) >= 0, "the drawing covers the running step"
    expect(pane.locator(".gt-drawing .gt-node")).to_have_count(len(set(STEPS)))
    assert page.evaluate("window.shifted") <= MOST_SHIFT


def test_a_folded_run_takes_no_room_on_a_narrow_page(page: Page, app_url: str, request: pytest.FixtureRequest) -> None:
    open_chat(page, app_url)
    thread, steps = request.getfixturevalue("begin")()
    next(steps)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{app_url}/?thread={thread}")
    pane = page.locator(".st-key-run-panel")
    head = pane.locator('[data-part="head"]')
    expect(head).to_contain_text("Check the question")
    expect(pane.locator(".gt-drawing")).to_be_hidden()
    assert box_of(pane)["height"] < box_of(head)["height"] + ROOM


def box_of(element: Locator) -> FloatRect:
    box = element.bounding_box()
    assert box is not None
    return box


def is_within(inner: Locator, outer: Locator) -> bool:
    """Vertically."""
    inside, around = box_of(inner), box_of(outer)
    return around["y"] - 1 <= inside["y"] < inside["y"] + inside["height"] <= around["y"] + around["height"] + 1


def distance(above: Locator, below: Locator) -> float:
    first = box_of(above)
    return box_of(below)["y"] - first["y"] - first["height"]
