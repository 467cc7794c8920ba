"""Checkpoints: small, only of the state's own types, and a hostile row executes nothing."""

import os
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path

import ormsgpack
import pytest

from core.domain.passages import Citation, Hit, Rejected
from core.domain.runs import Turn
from core.runs.checkpoints import KEPT, open_checkpoints, prune
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


def test_a_turn_costs_few_bytes_and_old_turns_are_dropped(tmp_path: Path) -> None:
    world = World()
    world.library.add("handbook.pdf", "KelpNet was developed by Lena Vogt in 2021." + " More words here." * 200)
    saver = open_checkpoints(tmp_path / "c.sqlite")
    graph = compile_workflow(workflow_named("adaptive"), saver)
    for _ in range(6):
        execute(Execution(lambda: graph, state_of("Who developed KelpNet?"), world.deps), world.events.append)
        prune(saver, "t1")
    rows, size = saver.conn.execute("SELECT count(*), max(length(checkpoint)) FROM checkpoints").fetchone()
    assert rows <= KEPT
    assert size <= 8_000
    saver.conn.close()


def test_the_file_is_written_ahead_and_its_folder_made(tmp_path: Path) -> None:
    saver = open_checkpoints(tmp_path / "new" / "c.sqlite")
    assert saver.conn.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert saver.conn.execute("PRAGMA synchronous").fetchone() == (1,)
    saver.conn.close()


@pytest.mark.parametrize("thread_id", ["t1", "'; DROP TABLE checkpoints; --"])
def test_pruning_takes_any_thread_id(tmp_path: Path, thread_id: str) -> None:
    saver = open_checkpoints(tmp_path / "c.sqlite")
    prune(saver, thread_id)
    assert saver.conn.execute("SELECT count(*) FROM checkpoints").fetchone() == (0,)
    saver.conn.close()
