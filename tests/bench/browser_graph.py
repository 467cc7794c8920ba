"""`python -m tests.bench browser_graph`: a graph of 10,000 entities in a browser, beside a page that pyvis makes."""

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from core.adapters.sql.engine import open_engine
from core.adapters.sql.graph import SqlGraph
from core.adapters.sql.migrate import migrate
from pages.components.graph.scope import LIMITS, RELATIONS_PER_ENTITY
from tests.bench.generated_graph import BASE, fill
from tests.bench.served_app import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Frame, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ENTITIES, DOCUMENTS = 10_000, 23
WHOLE = ((10_000, 67), (50_000, 120))
"""Entities and documents of the bases whose whole graph is drawn: 300,000 and 540,000 relations."""
PYVIS_NODES = 1_500
PATIENCE = 60.0
"""Seconds; a page that has drawn nothing by then is left."""
GOAL_PAINT, GOAL_TASK = 2.0, 200
SHORTEST = 50
"""Milliseconds; browsers tell of no shorter task."""
WIDTH, HEIGHT = 1440, 900
OBSERVE = """
window.tasks = [];
new PerformanceObserver((list) => tasks.push(...list.getEntries())).observe({ type: "longtask", buffered: true });
const fill = CanvasRenderingContext2D.prototype.fill;
CanvasRenderingContext2D.prototype.fill = function (...given) {
  CanvasRenderingContext2D.prototype.fill = fill;
  requestAnimationFrame(() => { window.painted = performance.timeOrigin + performance.now(); });
  return fill.apply(this, given);
};
"""
"""In every frame: its long tasks, and when the first shape on a canvas was on the screen (of the wall clock, in ms)."""
LONGEST = """since => Math.max(0, ...tasks
  .filter((task) => performance.timeOrigin + task.startTime + task.duration > since)
  .map((task) => task.duration))"""


@dataclass(frozen=True, slots=True)
class Measured:
    painted: float | None
    """Seconds from the request to the first nodes on the screen; nothing when that took longer than PATIENCE."""
    own: float = 0.0
    """Of them the seconds since the drawing's own frame was opened."""
    opening: float = 0.0
    """Milliseconds of the longest task until then."""
    moving: float = 0.0
    """The same while the drawing was dragged and zoomed."""


def main(data: Path) -> None:
    del data
    if not CHROMIUM:
        _say("Skipped: Chromium is not installed.\n")
        return
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = _prepared(Path(folder))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        _say(f"{ENTITIES:,} entities in the base\n\n")
        _say("| | drawn | first paint, s | of it in its own frame | longest task, ms | while dragged and zoomed |\n")
        _say(f"|---|---|---|---|---|---|\n| goal | | {GOAL_PAINT:.0f} | | | {GOAL_TASK} |\n")
        with serving(Path(folder)) as app:
            for name, count, measured in _ours(browser, app.address):
                _row(f"ours, {name}", count, measured)
        for entities, documents in WHOLE:
            for name, measured in _whole(browser, entities, documents):
                _row(f"whole graph, {name}", entities, measured)
        _row("pyvis, with physics", PYVIS_NODES, _pyvis(browser, page))


def _prepared(folder: Path) -> Path:
    """Fills the app's data folder; the page that pyvis makes of the strongest part, as many lines a node as ours."""
    engine = open_engine(f"sqlite:///{folder / 'graphtalk.sqlite'}")
    migrate(engine)
    fill(engine, DOCUMENTS, ENTITIES)
    view = SqlGraph(engine).view(BASE, (), 1, PYVIS_NODES)
    engine.dispose()
    import pyvis.network

    network: Any = pyvis.network.Network(cdn_resources="in_line")  # type: ignore[no-untyped-call]
    for entity in view.entities:
        network.add_node(entity.id, label=entity.name, value=entity.mentions)
    strongest = sorted(view.relations, key=lambda each: (-each.weight, each.source_id, each.target_id))
    for relation in strongest[: RELATIONS_PER_ENTITY * PYVIS_NODES]:
        network.add_edge(relation.source_id, relation.target_id, value=relation.weight)
    page = folder / "pyvis.html"
    page.write_text(network.generate_html(), encoding="utf-8")
    return page


def _ours(browser: "Browser", address: str) -> Iterator[tuple[str, int, Measured]]:
    """The page opened by two people one after the other, come to from another room, and with as much as it draws."""
    for name in ("first visit of an app just started", "first visit of a browser"):
        with _opened(browser) as page:
            page.goto(f"{address}/graph", wait_until="commit")
            yield name, LIMITS[1], _measured(page, page.evaluate("performance.timeOrigin"))
    with _opened(browser) as page:
        page.goto(f"{address}/memory")
        page.get_by_role("link", name="Graph").click()
        yield "from another room", LIMITS[1], _measured(page, _now())
        _ask_for_all(page)
        yield "as many as it draws", LIMITS[-1], _measured(page, _now())


def _whole(browser: "Browser", entities: int, documents: int) -> Iterator[tuple[str, Measured]]:
    """The first click on it, when nothing is laid out yet, and that of a second reader."""
    with TemporaryDirectory() as folder:
        engine = open_engine(f"sqlite:///{Path(folder) / 'graphtalk.sqlite'}")
        migrate(engine)
        fill(engine, documents, entities)
        engine.dispose()
        with serving(Path(folder)) as app:
            for name in ("laid out on the click", "laid out before"):
                with _opened(browser) as page:
                    page.goto(f"{app.address}/graph")
                    choice = page.get_by_text("Whole graph", exact=True)
                    choice.wait_for(timeout=PATIENCE * 1000)
                    _drawing(page, 1)
                    choice.click()
                    yield name, _measured(page, _now())


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
        page.goto(path.as_uri(), wait_until="commit")
        return _measured(page, page.evaluate("performance.timeOrigin"))


@contextmanager
def _opened(browser: "Browser") -> Iterator["Page"]:
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, locale="en-GB")
    context.add_init_script(OBSERVE)
    yield context.new_page()
    context.close()


def _measured(page: "Page", began: float) -> Measured:
    drawing = _drawing(page, began)
    if drawing is None:
        return Measured(None)
    painted, opened = drawing.evaluate("[painted, performance.timeOrigin]")
    opening = _longest(page, began)
    moved = _now()
    _move(page, drawing)
    return Measured((painted - began) / 1000, (painted - opened) / 1000, opening, _longest(page, moved))


def _drawing(page: "Page", began: float) -> "Frame | None":
    """The frame whose canvas was painted since then."""
    from playwright.sync_api import Error

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


def _longest(page: "Page", since: float) -> float:
    """Milliseconds of the longest task of any frame; 0 when none was as long as SHORTEST."""
    return max(float(frame.evaluate(LONGEST, since)) for frame in page.frames)


def _row(name: str, count: int, measured: Measured) -> None:
    if measured.painted is None:
        _say(f"| {name} | {count:,} | not in {PATIENCE:.0f} | | | |\n")
        return
    tasks = (f"{task:.0f}" if task else f"under {SHORTEST}" for task in (measured.opening, measured.moving))
    _say(f"| {name} | {count:,} | {measured.painted:.1f} | {measured.own:.1f} | {' | '.join(tasks)} |\n")


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path())
