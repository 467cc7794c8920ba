"""`python -m tests.bench checkpoints`: what keeping a run's state costs, beside LangGraph's saver as it comes."""

from __future__ import annotations

import logging
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from core.domain.passages import Citation, Hit, Rejected
from core.runs.checkpoints import open_checkpoints
from core.runs.graphs import Graphs
from core.runs.runner import Execution, execute
from core.state import State, Update
from core.workflows.workflow import Workflow, compile_workflow
from tests.fakes import World, state_of

if TYPE_CHECKING:
    from core.workflows.workflow import Compiled, Graph

NODES, TURNS, WARM = 10, 60, 10
_HITS = tuple(Hit(f"{n:032x}", 1 - n / 40, ("lexical", "vector")) for n in range(20))
_CITED = tuple(
    Citation(n, f"{n:032x}", "d" * 32, "report.pdf", n, ((n, (1, 2, 3, 4)),), "said " * 40, 0.9) for n in (1, 2, 3)
)
_UPDATES: tuple[Update, ...] = (
    {"hits": _HITS, "query": "who measured the tides"},
    {"kept": _HITS[:5], "rejected": tuple(Rejected(hit.chunk_id, hit.score, "rejected.weak") for hit in _HITS[5:])},
    {"answer": "The tides were measured by Ann Weaver. " * 20, "citations": _CITED, "outcome": "answered"},
)


@dataclass(frozen=True, slots=True)
class Way:
    """One way of keeping state: a turn of it, and the file it leaves."""

    name: str
    turn: Callable[[int], object]
    file: Path | None = None


def main(data: Path) -> None:
    del data
    with TemporaryDirectory() as folder:
        ways = [_without(), _defaults(Path(folder)), _ours(Path(folder))]
        taken: dict[str, list[tuple[float, float]]] = {way.name: [] for way in ways}
        sizes: dict[str, list[int]] = {way.name: [] for way in ways}
        for number in range(TURNS):
            for way in ways:  # in turns, so that a busy moment of the machine counts for all
                cpu, began = time.process_time(), time.perf_counter()
                way.turn(number)
                taken[way.name].append((time.process_time() - cpu, time.perf_counter() - began))
                sizes[way.name].append(_size(way.file))
    _table(ways, taken, sizes)


def _wire(graph: Graph) -> None:
    """A chain of nodes that change what nodes of a question change."""
    names = [f"node_{number}" for number in range(NODES)]
    for number, name in enumerate(names):
        graph.add_node(name, _node(_UPDATES[number % len(_UPDATES)]))
    for before, after in zip(("__start__", *names), names, strict=False):
        graph.add_edge(before, after)


def _node(update: Update) -> Any:
    def change(state: State) -> Update:
        del state
        return update

    return change


CHAIN = Workflow("chain", 0, _wire, (f"node_{NODES - 1}",), "", "", "")


def _without() -> Way:
    graph, world = compile_workflow(CHAIN), World()
    return Way("no checkpoints", lambda number: _execute(graph, world, number))


def _ours(folder: Path) -> Way:
    graphs, world = Graphs(folder / "ours.sqlite"), World()
    saver = open_checkpoints(graphs.path)
    graph = compile_workflow(CHAIN, saver)

    def turn(number: int) -> None:
        _execute(graph, world, number)
        saver.delete_thread(f"r{number}")

    return Way("ours", turn, graphs.path)


def _defaults(folder: Path) -> Way:
    from langgraph.checkpoint.sqlite import SqliteSaver

    logging.getLogger("langgraph.checkpoint.serde.jsonplus").setLevel(
        logging.ERROR
    )  # it warns of types it does not know
    path = folder / "defaults.sqlite"
    graph = compile_workflow(CHAIN, SqliteSaver(sqlite3.connect(path, check_same_thread=False)))
    config: Any = {"configurable": {"thread_id": "t1"}}
    return Way(
        "SqliteSaver, defaults",
        lambda number: list(graph.stream(_state(number), config, stream_mode=["tasks"], version="v2")),
        path,
    )


def _execute(graph: Compiled, world: World, number: int) -> None:
    execute(Execution(lambda: graph, _state(number), world.deps), world.events.append)


def _state(number: int) -> State:
    return state_of(f"Who measured the tides at station {number}?", run_id=f"r{number}")


def _size(path: Path | None) -> int:
    """Bytes of the rows; free pages are used again."""
    if path is None:
        return 0
    with sqlite3.connect(path) as connection:
        pages, free, size = (
            connection.execute(f"PRAGMA {it}").fetchone()[0] for it in ("page_count", "freelist_count", "page_size")
        )
    return int((pages - free) * size)


def _table(ways: list[Way], taken: dict[str, list[tuple[float, float]]], sizes: dict[str, list[int]]) -> None:
    plain = taken[ways[0].name]
    _say(f"{TURNS} turns of {NODES} nodes in one conversation; beyond what the same turns take without checkpoints\n")
    _say("| | processor, ms a node | time, ms a node | growth, bytes a turn |\n|---|---|---|---|\n")
    _say("| goal | | 0.35 | 5,000 |\n")
    for way in ways[1:]:
        beyond = zip(taken[way.name][WARM:], plain[WARM:], strict=True)
        cpu, wall = zip(*((its[0] - none[0], its[1] - none[1]) for its, none in beyond), strict=True)
        grown = (sizes[way.name][-1] - sizes[way.name][WARM]) / (TURNS - 1 - WARM)
        _say(f"| {way.name} | {_a_node(cpu):.2f} | {_a_node(wall):.2f} | {grown:,.0f} |\n")


def _a_node(seconds: tuple[float, ...]) -> float:
    return 1000 * statistics.median(seconds) / NODES


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
