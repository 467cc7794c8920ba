"""Whole graphs in SQL: made once a version, laid out as before, whatever has become of the file of the layout."""

import time
from pathlib import Path

import pytest
from sqlalchemy import Engine

from core.documents.store.library import sql_library
from core.graph.layout import full_layout as whole
from core.graph.resolution import editing
from core.graph.store import drawings as whole_graphs
from core.graph.store.drawings import SqlWholeGraphs
from core.graph.store.graph import SqlGraph
from core.graph.store.graph_edits import SqlGraphEdits
from tests.store.databases import TickingClock, clock, engine, migrated_file
from tests.store.samples import publish

__all__ = ["clock", "engine", "migrated_file"]
TEXTS = ("BERT by Google", "Transformer attention Google London", "BERT Transformer", "Ada Lovelace in London")


@pytest.fixture
def base_id(engine: Engine, clock: TickingClock) -> str:
    library = sql_library(engine, clock)
    base = library.bases.create("B")
    publish(library, base, "a.pdf", *TEXTS)
    return base.id


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "layouts"


def places(engine: Engine, folder: Path, base_id: str) -> dict[str, tuple[float, float]]:
    """As a process that has just started makes them."""
    made = SqlWholeGraphs(SqlGraph(engine), folder).whole(base_id)
    return {entity.name: (made.x[place], made.y[place]) for place, entity in enumerate(made.entities)}


def test_a_version_is_made_once_and_an_edit_makes_the_next(engine: Engine, folder: Path, base_id: str) -> None:
    graph = SqlGraph(engine)
    wholes = SqlWholeGraphs(graph, folder)
    first = wholes.whole(base_id)
    assert wholes.whole(base_id) is first
    bert = graph.search(base_id, "BERT", 1)[0]
    SqlGraphEdits(engine).record(base_id, [editing.rename(bert, "Bidirectional encoder")])
    second = wholes.whole(base_id)
    assert second.version != first.version
    assert "Bidirectional encoder" in {entity.name for entity in second.entities}


def test_entities_stay_where_they_were_after_a_restart(engine: Engine, folder: Path, base_id: str) -> None:
    before = places(engine, folder, base_id)
    assert len(before) > 3
    assert places(engine, folder, base_id) == before
    assert [file.stat().st_mode & 0o777 for file in folder.iterdir()] == [0o600]


@pytest.mark.parametrize("damage", [b"", b"not an archive", b"PK\x03\x04 broken"])
def test_a_damaged_layout_is_made_again(engine: Engine, folder: Path, base_id: str, damage: bytes) -> None:
    before = places(engine, folder, base_id)
    for file in folder.iterdir():
        file.write_bytes(damage)
    assert places(engine, folder, base_id) == before


def test_a_base_that_does_not_exist_is_empty(engine: Engine, tmp_path: Path) -> None:
    assert SqlWholeGraphs(SqlGraph(engine), tmp_path).whole("nobody").entities == ()


def test_a_large_graph_is_drawn_roughly_until_it_is_laid_out(
    engine: Engine, folder: Path, base_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole, "ROUGH_FROM", 2)
    monkeypatch.setattr(whole_graphs, "HEAD_START", 0.0)
    wholes = SqlWholeGraphs(SqlGraph(engine), folder)
    rough = wholes.whole(base_id)
    assert rough.rough
    deadline = time.monotonic() + 30
    while (laid_out := wholes.whole(base_id)).rough and time.monotonic() < deadline:
        time.sleep(0.01)
    assert (laid_out.rough, laid_out.version, laid_out.entities) == (False, rough.version, rough.entities)
    assert (laid_out.x, laid_out.y) != (rough.x, rough.y)
    assert wholes.whole(base_id) is laid_out
    after_a_restart = SqlWholeGraphs(SqlGraph(engine), folder).whole(base_id)
    assert not after_a_restart.rough
    assert (after_a_restart.x, after_a_restart.y) == (laid_out.x, laid_out.y)
