"""`python -m benchmarks several_apps`, or `python -m benchmarks.several_apps 1 2`: what several apps bring.

Questions and page loads a second with 1, 2 and 4 apps, and what it costs to keep people apart.

The apps share a Postgres and a Chroma server, each with a data folder of its own; the built-in engine answers.
"""

import asyncio
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import httpx2

from benchmarks.output import say
from benchmarks.page_client import Visitor
from benchmarks.processes import installation
from core.app.services import Services
from core.documents.model import KnowledgeBase
from core.people.api_keys import KeyScope
from core.platform.clock import utc_now
from core.platform.identity import SYSTEM, Person, acting_as
from core.platform.settings.settings import Settings
from core.runs.model import RunRequest
from core.runs.run_lists import RunFilter
from tests.processes.installation import free_port, wait_for
from tests.store.samples import publish

APPS = (1, 2, 4)
DONE, AT_ONCE = 24, 8
"""Questions and page loads that are measured, and how many of them at once."""
PAGES = ("", "graph", "documents", "memory")
QUESTION = {"question": "Who works in London?"}
TEXT = "Ada Lovelace worked in London on the Analytical Engine. BERT was described by Google in 2018."
ALONE = {"database_url": "", "chroma_url": "", "files_url": ""}
_OTHERS = "others"
_PARTS = {"apps": " serve ", "Postgres": "postgres", "Chroma": "chroma run", _OTHERS: "\0"}
"""What the processes are, by a part of their command."""
KEPT, REPEATED = 200, 60


def main(data: Path, counts: Sequence[int] = ()) -> None:
    del data
    spent: list[str] = []
    say("| apps | questions a second | median, s | longest, s | pages a second | median, s | longest, s | load |\n")
    say("|---|---|---|---|---|---|---|---|\n")
    for count in counts or APPS:
        say(f"| {count} | {_measured(count, spent)} | {os.getloadavg()[0]:.0f} |\n")
    say(f"\n| milliseconds of processor | {' | '.join(_PARTS)} |\n|---|---|---|---|---|\n{''.join(spent)}")
    say("\n| milliseconds of processor | one desk | people apart |\n|---|---|---|\n")
    for name, (alone, apart) in _isolation().items():
        say(f"| {name} | {alone:.2f} | {apart:.2f} |\n")


def _measured(count: int, spent: list[str]) -> str:
    with installation() as place, place.made.services("here") as here:
        base = here.library.bases.create("Papers")
        publish(here.library, base, "models.pdf", TEXT)
        headers = {"Authorization": f"Bearer {here.storage.access.api_keys.make('bench', KeyScope.ADMIN)[1]}"}
        ports = [free_port() for _ in range(count)]
        for port in ports:
            place.made.start_app(port)
        wait_for(lambda: all(place.made.serves(port) for port in ports))

        def ask(port: int) -> None:
            answer = httpx2.post(f"http://127.0.0.1:{port}/api/v1/ask", json=QUESTION, headers=headers, timeout=120)
            answer.raise_for_status()

        def look(port: int, page: str = "") -> None:
            asyncio.run(_opened(port, page))

        for port in ports:  # what is loaded with the first of each
            ask(port)
            look(port)
        before = _processor()
        asked = _at_once(lambda at: ask(ports[at % count]))
        between = _processor()
        seen = _at_once(lambda at: look(ports[at % count], PAGES[at % len(PAGES)]))
        spent += [
            _row(f"a question, {count} apps", before, between),
            _row(f"a page, {count} apps", between, _processor()),
        ]
    return f"{_told(*asked)} | {_told(*seen)}"


def _row(name: str, before: Mapping[str, float], after: Mapping[str, float]) -> str:
    return f"| {name} | {' | '.join(f'{1000 * (after[part] - before[part]) / DONE:.0f}' for part in _PARTS)} |\n"


def _processor() -> Mapping[str, float]:
    """Seconds that the processes below this one have taken so far, by what they are."""
    found = dict.fromkeys(_PARTS, 0.0)
    processes = dict(_processes())
    for process, (parent, seconds, command) in processes.items():
        above = parent
        while above in processes and above != os.getpid():
            above = processes[above][0]
        if above == os.getpid() and process != above:
            found[next((part for part, sign in _PARTS.items() if sign in command), _OTHERS)] += seconds
    return found


def _processes() -> Iterator[tuple[int, tuple[int, float, str]]]:
    """Parent, seconds of processor with those of children that ended, and command of each."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            fields = (folder / "stat").read_text("utf-8", "replace").rsplit(")", 1)[1].split()
            ticks = sum(map(int, fields[11:15]))
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            yield int(folder.name), (int(fields[1]), ticks / os.sysconf("SC_CLK_TCK"), command)


async def _opened(port: int, page: str) -> None:
    async with Visitor(SimpleNamespace(port=port)) as visitor:  # type: ignore[arg-type]
        await visitor.open(page)


def _at_once(do: Callable[[int], None]) -> tuple[float, list[float]]:
    """Seconds in all, and of each."""

    def taken(at: int) -> float:
        began = time.monotonic()
        do(at)
        return time.monotonic() - began

    began = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        each = list(pool.map(taken, range(DONE)))
    return time.monotonic() - began, each


def _told(seconds: float, each: Sequence[float]) -> str:
    return f"{DONE / seconds:.1f} | {statistics.median(each):.2f} | {max(each):.2f}"


def _isolation() -> dict[str, tuple[float, float]]:
    """The same reads of the database, without and with the rules that keep people apart."""
    ann = Person("ann", "Ann", "ann@example.org")
    with TemporaryDirectory() as folder:
        settings = Settings().model_copy(update={"data": Path(folder), **ALONE})
        with Services(settings, shared=True) as services:
            services.storage.access.people.enter(ann, utc_now())
            with acting_as(ann):
                base = _filled(services)
                apart = _reads(services, base)
        with Services(settings) as services, acting_as(SYSTEM):
            alone = _reads(services, base)
    return {name: (alone[name], apart[name]) for name in alone}


def _filled(services: Services) -> KnowledgeBase:
    base = services.library.bases.create("Papers")
    for number in range(KEPT):
        publish(services.library, base, f"{number}.pdf", f"{TEXT} Number {number}.")
        thread = services.threads.create(f"Thread {number}", base.id, "adaptive")
        services.runs.start(RunRequest("Why?", base.id), thread.id, "built-in")
    return base


def _reads(services: Services, base: KnowledgeBase) -> dict[str, float]:
    calls: dict[str, Callable[[], object]] = {
        "all bases": services.library.bases.all,
        "fifty documents": lambda: services.library.documents.find(base.id, limit=50),
        "all threads": services.threads.find,
        "fifty runs": lambda: services.storage.records.run_lists.find(RunFilter(), 50),
        "an entity by name": lambda: services.storage.graph.search(base.id, "Ada Lovelace", 10),
    }
    return {name: _median(call) for name, call in calls.items()}


def _median(call: Callable[[], object]) -> float:
    taken = []
    for _ in range(REPEATED):
        began = time.process_time()
        call()
        taken.append(1000 * (time.process_time() - began))
    return statistics.median(taken)


if __name__ == "__main__":
    main(Path(), [int(each) for each in sys.argv[1:]])
