"""`python -m benchmarks graph`: a large graph from the start of a process, and what co-occurrence takes to store."""

import json
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from heapq import nsmallest
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import networkx
from sqlalchemy import Engine

from benchmarks.generated_graph import BASE, ENTITIES, NOW, fill, id_of, mentions_of, name_of
from benchmarks.output import say
from core.graph.edits import EventKind
from core.graph.network.cooccurrence import Cooccurrence
from core.graph.network.incidences import pack
from core.graph.store.graph import SqlGraph
from core.graph.store.graph_events import note
from core.platform.sql.engine import open_engine, writing
from core.platform.sql.migrate import migrate
from core.search.store.index_changes import note_changes

CHANGED = (1, 100)
"""Documents, between two views."""
ROOTS = (60_000, 7, 25_000)
SMALL_DOCUMENTS = 20_000
"""Of one chunk each, with as many entities."""
LIMIT, HOPS = 150, 2
QUERIES = ("station 77", "kel", "haven 123", "gate", "norhaven 4", "9999", "no such name")
PAGES, PER_PAGE, KNOWN = 100, 300, 3_000
"""For what is stored: entities of a page, of as many that there are."""
SAMPLED = 10
"""Of so many pages one is stored as pairs."""


def main(data: Path) -> None:
    del data
    with TemporaryDirectory() as folder:
        path = Path(folder) / "graph.sqlite"
        engine = open_engine(f"sqlite:///{path}")
        migrate(engine)
        fill(engine)
        _touch(engine, 0)
        engine.dispose()
        say(f"{ENTITIES:,} entities, a million pairs\n| | own processor time, ms | peak, MB |\n|---|---|---|\n")
        say(f"| goal: process start to a view of {LIMIT} | 15 | 60 |\n| goal: entity search | 0.15 | |\n")
        for line in (*_child("networkx", path), *_sides(path)):
            say(f"{line}\n")
    _small_documents()
    _storage()


def _small_documents() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "graph.sqlite"
        engine = open_engine(f"sqlite:///{path}")
        migrate(engine)
        fill(engine, SMALL_DOCUMENTS, ENTITIES, 1)
        _touch(engine, 0)
        engine.dispose()
        say(f"\n{SMALL_DOCUMENTS:,} documents of one chunk\n| | own processor time, ms | peak, MB |\n|---|---|---|\n")
        for line in _sides(path):
            say(f"{line}\n")


def _sides(path: Path) -> Iterator[str]:
    yield from _child("changed", path)
    yield from _child("ours", path)
    yield from _child("touched", path)


def _child(side: str, path: Path) -> list[str]:
    command = [sys.executable, "-m", "benchmarks.graph", side, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def changed(path: Path) -> Iterator[str]:
    """Nothing is kept yet."""
    yield _first_view(_graph(path), "ours, first view of the first process")


def touched(path: Path) -> Iterator[str]:
    """Something is kept, and documents changed since."""
    for number in CHANGED:
        graph = _graph(path)
        _touch(graph.engine, number)
        yield _first_view(graph, f"ours, first view of another process after {number} documents changed")


def _first_view(graph: Any, name: str) -> str:
    first = id_of("entity", ROOTS[0])
    return _row(name, _taken(lambda: graph.view(BASE, [first], HOPS, LIMIT)))


def _touch(engine: Engine, documents: int) -> None:
    """Notes that the first documents changed, and that somebody was here."""
    with writing(engine) as connection:
        note(connection, BASE, EventKind.PUBLISHED, [f"after {documents}"], NOW)
        note_changes(connection, BASE, [id_of("document", number) for number in range(documents)])


def _graph(path: Path) -> Any:
    return SqlGraph(open_engine(f"sqlite:///{path}"), folder=path.parent / "networks")


def ours(path: Path) -> Iterator[str]:
    """Imports are not our own time."""
    graph = _graph(path)
    yield _row("ours, a process that imported what it takes", None)
    first, *others = (id_of("entity", number) for number in ROOTS)
    yield _row("ours, first view of another process", _taken(lambda: graph.view(BASE, [first], HOPS, LIMIT)))
    later = [_taken(partial(graph.view, BASE, [root], HOPS, LIMIT)) for root in others for _ in range(5)]
    yield _row("ours, further views", statistics.median(later))
    central = [_taken(lambda: graph.view(BASE, [], 1, LIMIT)) for _ in range(5)]
    yield _row("ours, the most connected entities", statistics.median(central))
    yield _row("ours, first search", _taken(lambda: graph.search(BASE, "oskprobe", 10)))
    searches = [_taken(partial(graph.search, BASE, query, 10)) for query in QUERIES for _ in range(5)]
    yield _row("ours, further searches, with the ten entities found", statistics.median(searches))


def networkx_like(path: Path) -> Iterator[str]:
    """Everything in one NetworkX graph, names in a list."""
    graph: Any = networkx.Graph()

    def load() -> None:
        with sqlite3.connect(path) as connection:
            for (packed,) in connection.execute("SELECT packed FROM incidences"):
                graph.add_edges_from(_edges(json.loads(packed)))

    yield _row("NetworkX, loaded", _taken(load))
    view = _taken(lambda: list(networkx.ego_graph(graph, id_of("entity", ROOTS[1]), 1))[:LIMIT])
    yield _row("NetworkX, one hop", view)
    names = [name_of(number).casefold() for number in range(ENTITIES)]
    searches = [_taken(partial(_among, names, query)) for query in QUERIES]
    yield _row("a list of names gone through", statistics.median(searches))


def _among(names: Sequence[str], query: str) -> list[str]:
    return [name for name in names if query in name][:10]


def _edges(packed: dict[str, Any]) -> Iterator[tuple[str, str]]:
    start = 0
    for size in packed["sizes"]:
        yield from combinations([packed["entities"][place] for place in packed["members"][start : start + size]], 2)
        start += size


def _storage() -> None:
    """Every entity of a page with every other, beside the pages of every entity."""
    pages = [[(31 * page + 7 * place) % KNOWN for place in range(PER_PAGE)] for page in range(PAGES)]
    packed = pack(mention for page, members in enumerate(pages) for mention in mentions_of(0, page, page, members))
    stored = len(json.dumps(packed, separators=(",", ":")))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.sqlite"
        count = SAMPLED * _store_pairs(path, pages[::SAMPLED])
        size = SAMPLED * path.stat().st_size
    found = Cooccurrence({"d": packed})
    hub = max(found.degrees().items(), key=lambda pair: (pair[1], pair[0]))[0]
    near = statistics.median(_taken(lambda: _nearest(found, hub)) for _ in range(9))
    say(f"\n{PAGES} pages of {PER_PAGE} entities\n| | rows | stored, MB |\n|---|---|---|\n| goal | | 2 |\n")
    say(f"| pairs with their page, counted on a tenth of the pages | {count:,} | {size / 1e6:.0f} |\n")
    say(f"| ours | {len(packed['members']):,} | {stored / 1e6:.2f} |\n")
    say(f"\nThe 20 nearest of the hub: {near:.1f} ms of processor\n")


def _nearest(found: Cooccurrence, hub: str) -> list[tuple[str, float]]:
    return nsmallest(20, found.ring([hub], [hub]).items(), key=lambda each: (-each[1], each[0]))


def _store_pairs(path: Path, pages: list[list[int]]) -> int:
    ids = [id_of("entity", number) for number in range(KNOWN)]
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE pairs (source TEXT, target TEXT, page INTEGER)")
        for page, members in enumerate(pages):
            rows = ((ids[one], ids[other], page) for one, other in combinations(sorted(set(members)), 2))
            connection.executemany("INSERT INTO pairs VALUES (?, ?, ?)", rows)
        return int(connection.execute("SELECT count(*) FROM pairs").fetchone()[0])


def _taken(work: Callable[[], object]) -> float:
    """Milliseconds of the processor."""
    began = time.process_time()
    work()
    return 1000 * (time.process_time() - began)


def _row(name: str, milliseconds: float | None) -> str:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    return f"| {name} | {'' if milliseconds is None else f'{milliseconds:,.2f}'} | {peak / 1024:.0f} |"


if __name__ == "__main__":
    side = {"ours": ours, "changed": changed, "touched": touched, "networkx": networkx_like}[sys.argv[1]]
    for told in side(Path(sys.argv[2])):
        say(f"{told}\n")
