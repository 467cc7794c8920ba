"""Checkpoints: small, only of the state's own types, and a hostile row executes nothing."""

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path

import ormsgpack

from core.domain.passages import Citation, Hit, Rejected
from core.domain.runs import Turn
from core.runs.checkpoints import open_checkpoints
from core.runs.graphs import Graphs
from core.runs.runner import Execution, execute
from core.state import Note
from core.workflows.registry import workflow_named
from core.workflows.workflow import compile_workflow
from tests.fakes import World, state_of

FULL = state_of(
    "Why?",
    history=(Turn("user", "Hi"),),
    hits=(Hit("c", 0.5, ("lexical",)),),
    rejected=(Rejected("c", 0.1, "why"),),
    citations=(Citation(1, "c", "d", "x.pdf", 0, ((0, (1, 2, 3, 4)),), "quote", 0.5),),
    note=Note("x", "y", (("a", "b"),)),
)


@dataclass
class Hostile:
    command: str


def test_the_state_comes_back_whole(tmp_path: Path) -> None:
    saver = open_checkpoints(tmp_path / "c.sqlite")
    for name in FULL.__slots__:
        value = getattr(FULL, name)
        back = saver.serde.loads_typed(saver.serde.dumps_typed(value))
        assert levelled(back) == levelled(value), name
    saver.conn.close()


def levelled(value: object) -> object:
    """Types and values; a list, which the form of storage makes of a tuple, is one."""
    if isinstance(value, list | tuple):
        return tuple(map(levelled, value))
    if is_dataclass(value):
        return type(value), tuple(levelled(getattr(value, field.name)) for field in fields(value))
    return value


def test_types_that_are_not_of_the_state_are_not_made(tmp_path: Path) -> None:
    saver = open_checkpoints(tmp_path / "c.sqlite")
    assert os.environ["LANGGRAPH_STRICT_MSGPACK"] == "true"
    back = saver.serde.loads_typed(saver.serde.dumps_typed(Hostile("rm")))
    assert not isinstance(back, Hostile)
    code, payload = 0, ormsgpack.packb(("os", "system", "true"))
    evil = ormsgpack.packb(ormsgpack.Ext(code, payload))
    assert saver.serde.loads_typed(("msgpack", evil)) != 0
    saver.conn.close()


def rows_of(path: Path) -> list[int]:
    with closing(sqlite3.connect(path)) as connection:
        return [connection.execute(f"SELECT count(*) FROM {it}").fetchone()[0] for it in ("checkpoints", "writes")]


def test_a_checkpoint_is_small_and_gone_when_its_run_is_over(tmp_path: Path) -> None:
    world = World()
    world.library.add("handbook.pdf", "KelpNet was developed by Lena Vogt in 2021." + " More words here." * 200)
    graphs = Graphs(tmp_path / "c.sqlite")
    for turn in ("r1", "r2"):
        state = state_of("Who developed KelpNet?", run_id=turn)
        execute(Execution(lambda: graphs.graph("adaptive"), state, world.deps), world.events.append)
    assert rows_of(graphs.path) == [2, 0]
    with closing(sqlite3.connect(graphs.path)) as connection:
        assert connection.execute("SELECT max(length(checkpoint)) FROM checkpoints").fetchone()[0] <= 8_000
    graphs.settle("r1")
    assert rows_of(graphs.path) == [1, 0]
    graphs.settle("'; DROP TABLE checkpoints; --")
    assert rows_of(graphs.path) == [1, 0]
    graphs.close()


def test_a_turn_starts_without_the_state_of_the_one_before(tmp_path: Path) -> None:
    world, steps = World(), []
    world.library.add("handbook.pdf", "KelpNet was developed by Lena Vogt in 2021.")
    graphs = Graphs(tmp_path / "c.sqlite")
    for turn in ("r1", "r2"):
        state = state_of("Who developed KelpNet?", run_id=turn)
        execute(Execution(lambda: graphs.graph("adaptive"), state, world.deps), world.events.append)
        kept = graphs.graph("adaptive").get_state({"configurable": {"thread_id": turn}})
        steps.append((kept.metadata or {})["step"])
    assert steps[0] == steps[1]
    graphs.close()


def test_what_a_dead_process_left_is_dropped(tmp_path: Path) -> None:
    world = World()
    saver = open_checkpoints(tmp_path / "c.sqlite")
    graph = compile_workflow(workflow_named("adaptive"), saver)
    execute(Execution(lambda: graph, state_of("Hello"), world.deps), world.events.append)
    assert rows_of(tmp_path / "c.sqlite")[0]
    saver.conn.close()
    open_checkpoints(tmp_path / "c.sqlite").conn.close()
    assert rows_of(tmp_path / "c.sqlite") == [0, 0]


def test_the_file_is_written_ahead_and_its_folder_made(tmp_path: Path) -> None:
    saver = open_checkpoints(tmp_path / "new" / "c.sqlite")
    assert saver.conn.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert saver.conn.execute("PRAGMA synchronous").fetchone() == (1,)
    saver.conn.close()
