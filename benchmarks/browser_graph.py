"""`python -m benchmarks browser_graph`: a graph of 10,000 entities in a browser, beside a page that pyvis makes."""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyvis.network
from playwright.sync_api import Browser, Error, Frame, Page, sync_playwright

from benchmarks.generated_graph import BASE, fill
from benchmarks.output import say
from benchmarks.served_app import Served, serving
from core.graph.model import GraphView
from core.graph.scope import LIMITS, RELATIONS_PER_ENTITY
from core.graph.store.graph import SqlGraph
from core.platform.sql.engine import open_engine
from core.platform.sql.migrate import migrate

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ENTITIES, DOCUMENTS = 10_000, 23
WHOLE = ((1_500, 10), (10_000, 67), (50_000, 120))
"""Entities and documents of the bases whose whole graph is drawn: 45,000, 300,000 and 540,000 relations."""
PYVIS_NODES = (LIMITS[-1], 1_500)
"""As many as our neighbourhood draws, with the same lines; and as the smallest whole graph has."""
WARM_SECONDS = 15.0
"""After which an app has loaded what it loads in the background."""
PATIENCE = 60.0
"""Seconds; a page that has drawn nothing by then is left."""
GOAL_PAINT, GOAL_TASK = 1.5, 100
WIDTH, HEIGHT = 1440, 900
OBSERVE = Path(__file__).with_name("first_paint.js")
TASK, PAGES_THREAD = "ThreadControllerImpl::RunTask", "CrRendererMain"


@dataclass(frozen=True, slots=True)
class Measured:
    painted: float | None
    """Seconds from the request to the first nodes on the screen; nothing when that took longer than PATIENCE."""
    own: float = 0.0
    """Of them the seconds since the drawing's own frame was opened."""
    served: float = 0.0
    """Seconds of processor that the app took meanwhile, in all its threads."""
    opening: float = 0.0
    """Milliseconds of processor of the longest task until then; other work of the machine does not count."""
    moving: float = 0.0
    """The same while the drawing was dragged and zoomed."""


def main(data: Path) -> None:
    del data
    if not CHROMIUM:
        say("Skipped: Chromium is not installed.\n")
        return
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        peers = _prepared(Path(folder))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        say(f"{ENTITIES:,} entities in the base; load {os.getloadavg()[0]:.0f}\n\n| | drawn | first paint, s |")
        say(
            " of it in its own frame | processor of the app, s | longest task, ms of processor | dragged and zoomed |\n"
        )
        say(f"|---|---|---|---|---|---|---|\n| goal | | {GOAL_PAINT} | | | {GOAL_TASK} | {GOAL_TASK} |\n")
        with serving(Path(folder)) as app:
            for name, count, measured in _ours(browser, app):
                _row(f"ours, {name}", count, measured)
        for entities, documents in WHOLE:
            for name, measured in _whole(browser, entities, documents):
                _row(f"whole graph, {name}", entities, measured)
        for count, page in peers.items():
            _row("pyvis, with physics", count, _pyvis(browser, page))
        say(f"\nLoad {os.getloadavg()[0]:.0f}\n")


def _prepared(folder: Path) -> dict[int, Path]:
    """Fills the app's data folder; pages that pyvis makes of the strongest parts, as many lines a node as ours."""
    engine = open_engine(f"sqlite:///{folder / 'graphtalk.sqlite'}")
    migrate(engine)
    fill(engine, DOCUMENTS, ENTITIES)
    graph = SqlGraph(engine)
    views = {count: graph.view(BASE, (), 1, count) for count in PYVIS_NODES}
    engine.dispose()
    return {count: _pyvis_page(view, folder / f"pyvis{count}.html") for count, view in views.items()}


def _pyvis_page(view: GraphView, page: Path) -> Path:
    network: Any = pyvis.network.Network(cdn_resources="in_line")  # type: ignore[no-untyped-call]
    for entity in view.entities:
        network.add_node(entity.id, label=entity.name, value=entity.mentions)
    strongest = sorted(view.relations, key=lambda each: (-each.weight, each.source_id, each.target_id))
    for relation in strongest[: RELATIONS_PER_ENTITY * len(view.entities)]:
        network.add_edge(relation.source_id, relation.target_id, value=relation.weight)
    page.write_text(network.generate_html(), encoding="utf-8")
    return page


def _ours(browser: "Browser", app: Served) -> Iterator[tuple[str, int, Measured]]:
    """The page opened by two people one after the other, come to from another room, and with as much as it draws."""
    for name in ("first visit of an app just started", "first visit of a browser"):
        with _opened(browser) as page:
            yield name, LIMITS[1], _measured(page, partial(_go, page, f"{app.address}/graph"), app)
    with _opened(browser) as page:
        page.goto(f"{app.address}/memory")
        yield "from another room", LIMITS[1], _measured(page, page.get_by_role("link", name="Graph").click, app)
        yield "as many as it draws", LIMITS[-1], _measured(page, partial(_ask_for_all, page), app)


def _go(page: "Page", address: str) -> None:
    page.goto(address, wait_until="commit")


def _whole(browser: "Browser", entities: int, documents: int) -> Iterator[tuple[str, Measured]]:
    """The first click on it when nothing is laid out yet, at once and when the app has warmed up, and a second one."""
    with _filled(entities, documents) as app:
        yield "laid out on the click, app just started", _clicked(browser, app)
    with _filled(entities, documents) as app:
        yield "laid out on the click", _clicked(browser, app, WARM_SECONDS)
        yield "laid out before", _clicked(browser, app)


@contextmanager
def _filled(entities: int, documents: int) -> Iterator[Served]:
    """An app that has just started, in a data folder of its own."""
    with TemporaryDirectory() as folder:
        engine = open_engine(f"sqlite:///{Path(folder) / 'graphtalk.sqlite'}")
        migrate(engine)
        fill(engine, documents, entities)
        engine.dispose()
        with serving(Path(folder)) as app:
            yield app


def _clicked(browser: "Browser", app: Served, after: float = 0.0) -> Measured:
    with _opened(browser) as page:
        page.goto(f"{app.address}/graph")
        choice = page.get_by_text("Whole graph", exact=True)
        choice.wait_for(timeout=PATIENCE * 1000)
        _drawing(page, 1)
        time.sleep(after)
        return _measured(page, choice.click, app)


def _ask_for_all(page: "Page") -> None:
    page.get_by_role("button", name="View").last.click()
    page.get_by_role("slider").focus()
    page.keyboard.press("End")


def _now() -> float:
    """Milliseconds of the wall clock, as the browser counts them."""
    return time.time() * 1000


def _pyvis(browser: "Browser", path: Path) -> Measured:
    with _opened(browser) as page:
        page.route("http*://**", lambda route: route.abort())
        return _measured(page, partial(_go, page, path.as_uri()))


@contextmanager
def _opened(browser: "Browser") -> Iterator["Page"]:
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, locale="en-GB")
    context.add_init_script(path=OBSERVE)
    yield context.new_page()
    context.close()


def _measured(page: "Page", act: Callable[[], None], app: Served | None = None) -> Measured:
    """From the act that leads to a drawing."""
    before = app.processor_seconds() if app else 0.0
    with _tasks(page) as opening:
        began = _now()
        act()
        drawing = _drawing(page, began)
        if drawing is None:
            return Measured(None)
        served = app.processor_seconds() - before if app else 0.0
    painted, opened = drawing.evaluate("[painted, performance.timeOrigin]")
    with _tasks(page) as moving:
        _move(page, drawing)
    return Measured((painted - began) / 1000, (painted - opened) / 1000, served, max(opening), max(moving))


@contextmanager
def _tasks(page: "Page") -> "Iterator[list[float]]":
    """Milliseconds of processor of the tasks that the page's threads do meanwhile; told at the end."""
    found = [0.0]
    browser = page.context.browser
    assert browser is not None
    browser.start_tracing(page=page, categories=["toplevel"])
    try:
        yield found
    finally:
        events = json.loads(browser.stop_tracing())["traceEvents"]
        named = [event for event in events if event["name"] == "thread_name"]
        threads = {(each["pid"], each["tid"]) for each in named if each["args"]["name"] == PAGES_THREAD}
        tasks = [event for event in events if event["name"] == TASK and (event["pid"], event["tid"]) in threads]
        found += [task.get("tdur", task.get("dur", 0)) / 1000 for task in tasks]


def _drawing(page: "Page", began: float) -> "Frame | None":
    """The frame whose canvas was painted since then."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        page.wait_for_timeout(100)
        for frame in page.frames:
            with suppress(Error):  # an older drawing's frame goes when the next is there
                if frame.evaluate("window.painted || 0") > began:
                    return frame
    return None


def _move(page: "Page", drawing: "Frame") -> None:
    """Drags across the drawing, zooms in, drags, zooms out."""
    box = drawing.locator("canvas").first.bounding_box()
    assert box is not None
    left, top, width, height = (box[side] for side in ("x", "y", "width", "height"))
    for zoom in (-240, 240):
        page.mouse.move(left + width * 0.3, top + min(height, 800) * 0.5)
        page.mouse.down()
        page.mouse.move(left + width * 0.7, top + min(height, 800) * 0.6, steps=40)
        page.mouse.up()
        for _ in range(8):
            page.mouse.wheel(0, zoom)
            page.wait_for_timeout(60)


def _row(name: str, count: int, measured: Measured) -> None:
    if measured.painted is None:
        say(f"| {name} | {count:,} | not in {PATIENCE:.0f} | | | | |\n")
        return
    seconds = " | ".join(f"{each:.1f}" for each in (measured.painted, measured.own, measured.served))
    say(f"| {name} | {count:,} | {seconds} | {measured.opening:.0f} | {measured.moving:.0f} |\n")


if __name__ == "__main__":
    main(Path())
