"""`python -m benchmarks page_loads`: pages opened at once and one after the other, and the app's memory meanwhile.

Baseline: the same app with Streamlit's own setting, a full collection of garbage after each script run. What the
warm-up loaded is frozen in both.
"""

import asyncio
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.output import say
from benchmarks.page_client import Visitor
from benchmarks.served_app import Served, serving

PAGES = ("", "graph", "documents", "memory", "settings")
AT_ONCE = (20, 50, 100)
CLICKS = 2_000
TOLD = 500
BASELINE = {"STREAMLIT_RUNNER_POST_SCRIPT_GC": "true"}


def main(data: Path) -> None:
    del data
    say("| | a page, ms of processor | a click | ")
    say(" | ".join(f"{count} at once, p95, s | ms of processor each" for count in AT_ONCE) + " |\n")
    say("|---|---|---|" + "---|---|" * len(AT_ONCE) + "\n")
    memory = {}
    for name, changes in (("collecting after each run", BASELINE), ("ours", {})):
        with TemporaryDirectory() as folder, serving(Path(folder), changes) as app:
            asyncio.run(_measure(name, app))
            if name == "ours":
                memory = asyncio.run(_long_run(app))
    say("\n| clicks | resident, MB |\n|---|---|\n")
    for clicks, megabytes in memory.items():
        say(f"| {clicks:,} | {megabytes:.0f} |\n")


async def _measure(name: str, app: Served) -> None:
    await _loads(app, 1)
    await app.settled()
    for page in PAGES:
        await _load(app, page)
    one = await _taken(app, 20)
    columns = [f"{one:.1f}", f"{await _clicks(app, 50):.1f}"]
    for count in AT_ONCE:
        before = app.processor_seconds()
        seconds = await _loads(app, count)
        columns += [f"{_p95(seconds):.2f}", f"{(app.processor_seconds() - before) * 1000 / count:.1f}"]
        await asyncio.sleep(1)
    say(f"| {name} | {' | '.join(columns)} |\n")


async def _taken(app: Served, count: int) -> float:
    """Milliseconds of processor a first load, one after the other."""
    before = app.processor_seconds()
    for number in range(count):
        await _load(app, PAGES[number % len(PAGES)])
    return (app.processor_seconds() - before) * 1000 / count


async def _clicks(app: Served, count: int) -> float:
    """Milliseconds of processor a change of the page in an open session."""
    async with Visitor(app) as visitor:
        await visitor.open(PAGES[0])
        before = app.processor_seconds()
        for number in range(count):
            await visitor.open(PAGES[number % len(PAGES)])
        return (app.processor_seconds() - before) * 1000 / count


async def _loads(app: Served, count: int) -> list[float]:
    """Seconds of each of so many first loads that begin at the same moment."""
    return await asyncio.gather(*(_load(app, PAGES[number % len(PAGES)]) for number in range(count)))


async def _load(app: Served, page: str) -> float:
    began = time.perf_counter()
    async with Visitor(app) as visitor:
        await visitor.open(page)
        return time.perf_counter() - began


async def _long_run(app: Served) -> dict[int, float]:
    """Resident megabytes by the number of clicks; every hundredth is made in a new session."""
    resident = {0: app.megabytes()}
    for done in range(0, CLICKS, 100):
        async with Visitor(app) as visitor:
            for number in range(100):
                await visitor.open(PAGES[number % len(PAGES)])
        if (done + 100) % TOLD == 0:
            resident[done + 100] = app.megabytes()
    return resident


def _p95(seconds: Sequence[float]) -> float:
    return statistics.quantiles(seconds, n=20, method="inclusive")[-1]


if __name__ == "__main__":
    main(Path())
