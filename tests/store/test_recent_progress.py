"""Progress of vectors as pages show it: counted again only when it may have changed."""

from threading import Thread
from typing import Any

import pytest
from sqlalchemy import Engine, event, func, select

from core.documents.model import KnowledgeBase
from core.documents.ports.library import Library
from core.documents.store.library import sql_library
from core.platform.sql.engine import reading
from core.platform.sql.schema import entry_vectors
from core.search.ports import LEVELS, MadeVectors, VectorProgress
from core.search.store import vectors
from core.search.store.vectors import SqlVectorStore
from tests.contracts.libraries import base, library
from tests.store.databases import clock, engine, migrated_file
from tests.store.samples import publish

__all__ = ["base", "clock", "engine", "library", "migrated_file"]


def make_all(store: SqlVectorStore, base_id: str) -> None:
    for level in LEVELS:
        pending = store.pending(base_id, level, "words", 99)
        store.keep(level, "words", [MadeVectors(entry, b"", False) for entry in pending])


def test_a_whole_base_is_counted_once_and_again_after_a_change(
    engine: Engine, library: Library, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.search.store.vectors.UNDERWAY_SECONDS", 0.0)
    store, counted = SqlVectorStore(engine), []
    event.listen(engine, "before_cursor_execute", lambda *told: counted.append(told[2]))
    publish(library, base, "a.pdf", "x", "y")
    assert store.recent_progress(base.id, "words") == VectorProgress(0, 3)
    make_all(store, base.id)
    assert store.recent_progress(base.id, "words") == VectorProgress(3, 3)
    before = len(counted)
    assert store.recent_progress(base.id, "words") == VectorProgress(3, 3)
    assert not any("entry_vectors" in statement for statement in counted[before:])
    publish(library, base, "b.pdf", "z")
    assert store.recent_progress(base.id, "words") == VectorProgress(3, 5)


def test_vectors_that_are_being_made_are_counted_once_for_the_pages_of_a_moment(
    engine: Engine, library: Library, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqlVectorStore(engine)
    publish(library, base, "a.pdf", "x", "y")
    monkeypatch.setattr("core.search.store.vectors.UNDERWAY_SECONDS", 99.0)
    assert store.recent_progress(base.id, "words") == VectorProgress(0, 3)
    make_all(store, base.id)
    assert store.recent_progress(base.id, "words") == VectorProgress(0, 3)
    monkeypatch.setattr("core.search.store.vectors.UNDERWAY_SECONDS", 0.0)
    assert store.recent_progress(base.id, "words") == VectorProgress(3, 3)


def test_thrown_away_vectors_show_after_a_while(
    engine: Engine, library: Library, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqlVectorStore(engine)
    publish(library, base, "a.pdf", "x")
    make_all(store, base.id)
    assert store.recent_progress(base.id, "words").is_complete
    store.forget_base(base.id)
    monkeypatch.setattr("core.search.store.vectors.COUNTED_SECONDS", 0.0)
    assert not store.recent_progress(base.id, "words").is_complete


def test_an_unknown_base_has_nothing_to_make(engine: Engine) -> None:
    sql_library(engine)
    assert SqlVectorStore(engine).recent_progress("nowhere", "words") == VectorProgress(0, 0)


def test_vectors_are_forgotten_on_the_disk_before_they_are_deleted(
    engine: Engine, library: Library, base: KnowledgeBase
) -> None:
    if engine.dialect.name != "sqlite":
        pytest.skip("Postgres waits for every commit")
    store, said = SqlVectorStore(engine), []
    event.listen(engine, "before_cursor_execute", lambda *told: said.append(told[2]))
    store.forget_documents(["d"])
    store.forget_base(base.id)
    assert [one for one in said if one.startswith("PRAGMA synchronous")] == ["PRAGMA synchronous = FULL"] * 2


def test_a_document_that_is_deleted_while_its_vectors_are_noted_takes_them_along(
    engine: Engine, library: Library, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = publish(library, base, "a.pdf", "x")
    store, digests = SqlVectorStore(engine), vectors._digests
    deleting = Thread(target=library.documents.delete, args=(document.id,))

    def slow(*given: Any) -> dict[str, str]:
        found = digests(*given)
        if not deleting.ident:
            deleting.start()
            deleting.join(0.5)
        return found

    monkeypatch.setattr(vectors, "_digests", slow)
    make_all(store, base.id)
    deleting.join()
    with reading(engine) as connection:
        assert connection.execute(select(func.count()).select_from(entry_vectors)).scalar_one() == 0
