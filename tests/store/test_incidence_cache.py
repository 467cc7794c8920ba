"""What shares a chunk, kept in a file: the next process reads no document, but does after a change or damage."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine, update

from core.documents.model import KnowledgeBase
from core.documents.ports.library import Library
from core.documents.store.library import sql_library
from core.graph.model import GraphView
from core.graph.network.cooccurrence import Cooccurrence
from core.graph.network.incidences import Packed
from core.graph.store import incidence_cache as kept_incidences
from core.graph.store import networks
from core.graph.store.graph import SqlGraph
from core.platform.sql.engine import writing
from core.platform.sql.schema import graph_events
from tests.store.databases import TickingClock, clock, engine, migrated_file
from tests.store.samples import add, publish

__all__ = ["clock", "engine", "migrated_file"]
TEXTS = ("BERT by Google", "Transformer attention Google London", "BERT Transformer", "Ada Lovelace in London")


@pytest.fixture
def library(engine: Engine, clock: TickingClock) -> Library:
    return sql_library(engine, clock)


@pytest.fixture
def base(library: Library, monkeypatch: pytest.MonkeyPatch) -> KnowledgeBase:
    monkeypatch.setattr(kept_incidences, "LEAST", 1)
    base = library.bases.create("B")
    publish(library, base, "a.pdf", *TEXTS)
    return base


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "networks"


def viewed(engine: Engine, folder: Path, base: KnowledgeBase) -> GraphView:
    """By a process that has just started."""
    graph = SqlGraph(engine, folder=folder)
    root = graph.search(base.id, "London", 1)[0]
    return graph.view(base.id, [root.id], 2, 10)


def test_the_next_process_reads_no_document(
    engine: Engine, folder: Path, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = viewed(engine, folder, base)
    assert first.relations
    (file,) = folder.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    monkeypatch.setattr(networks, "_read_shared", lambda *_: pytest.fail("a document was read"))
    assert viewed(engine, folder, base) == first


def test_a_change_is_seen(engine: Engine, folder: Path, base: KnowledgeBase, library: Library) -> None:
    before = viewed(engine, folder, base)
    publish(library, base, "b.pdf", "Ada Lovelace in London", "BERT by Ada Lovelace")
    after = viewed(engine, folder, base)
    assert after != before
    assert after == viewed(engine, folder / "another", base)


def test_after_a_change_only_what_changed_is_read(
    engine: Engine, folder: Path, base: KnowledgeBase, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(9):
        publish(library, base, f"{number}.pdf", TEXTS[number % 4])
    viewed(engine, folder, base)
    read = read_documents(monkeypatch)
    changed = publish(library, base, "0.pdf", "Ada Lovelace in London", "Google Transformer")
    library.documents.delete(add(library, base, "1.pdf").id)
    after = viewed(engine, folder, base)
    assert read == [changed.id]
    assert after == viewed(engine, folder / "another", base)


def test_where_many_changed_everything_is_read(
    engine: Engine, folder: Path, base: KnowledgeBase, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    viewed(engine, folder, base)
    read = read_documents(monkeypatch)
    publish(library, base, "b.pdf", "Ada Lovelace in London")
    viewed(engine, folder, base)
    assert len(read) == 2


def test_what_another_database_left_is_not_built_upon(
    engine: Engine, folder: Path, base: KnowledgeBase, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(9):
        publish(library, base, f"{number}.pdf", TEXTS[number % 4])
    viewed(engine, folder, base)
    with writing(engine) as connection:
        connection.execute(update(graph_events).values(made_at=datetime(2020, 1, 1, tzinfo=UTC)))
    publish(library, base, "b.pdf", "Ada Lovelace in London")
    read = read_documents(monkeypatch)
    viewed(engine, folder, base)
    assert len(read) == 11


def read_documents(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids, as they are read from now on."""
    read: list[str] = []
    plain = Cooccurrence.__init__

    def noting(self: Cooccurrence, documents: Iterable[tuple[str, Packed]]) -> None:
        known = [*documents]
        read.extend(id for id, _ in known)
        plain(self, known)

    monkeypatch.setattr(Cooccurrence, "__init__", noting)
    return read


@pytest.mark.parametrize("damage", [b"", b"not an archive", b"PK\x03\x04 broken"])
def test_a_damaged_file_is_made_anew(engine: Engine, folder: Path, base: KnowledgeBase, damage: bytes) -> None:
    whole = viewed(engine, folder, base)
    (file,) = folder.iterdir()
    file.write_bytes(damage)
    assert viewed(engine, folder, base) == whole
    assert file.stat().st_size > 100


def test_a_small_base_leaves_no_file(
    engine: Engine, folder: Path, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_incidences, "LEAST", 1_000)
    assert viewed(engine, folder, base).relations
    assert not folder.exists()
