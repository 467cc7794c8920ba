"""A deleted base in a file: everything comes back as it was, from and to every database, or nothing does."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, select

from core.documents.model import Stage, StageProgress
from core.documents.store.base_archive import SqlBaseArchive
from core.documents.store.library import sql_library
from core.graph.edits import EditedEntity, EditKind, GraphEdit
from core.graph.resolution.resolution import documents_at, in_force
from core.graph.store.graph_edits import SqlGraphEdits
from core.people.store.shares import SqlShares
from core.platform.errors import InputError, NotFoundError
from core.platform.identity import Role, group_subject
from core.platform.sql.engine import reading
from core.platform.sql.installation_tables import index_changes
from core.platform.sql.schema import documents, entities, stages
from core.search.ports import Position
from core.search.store.index_changes import SqlIndexChanges
from tests.canonical_dump import canonical_dump
from tests.store.databases import TickingClock, engine, migrated_file
from tests.store.samples import add, publication, publish

__all__ = ["engine", "migrated_file"]


def test_a_base_comes_back_as_it_was_and_leaves_others_alone(engine: Engine, tmp_path: Path) -> None:
    library, archive, file = sql_library(engine), SqlBaseArchive(engine), tmp_path / "archive"
    base, other = library.bases.create("Papers"), library.bases.create("Other")
    library.bases.set_entity_types(base.id, ["REEF"])
    kept = add(library, base, "a.pdf")
    parts = publication(kept, base, ("BERT by Google.", "图书馆 \U0001f419"), stated=[("BERT", "Google", "by")])
    library.publications.publish(parts)
    publish(library, other, "b.pdf", "BERT by Google.")
    waiting, _ = library.documents.add(base.id, "c.pdf", "c" * 64, 1, "application/pdf")
    library.ingest_records.record_stage(waiting.id, StageProgress(Stage.PARSE, "running", 1, 2, "pages", 0.5, ""))
    library.ingest_records.record_stage(kept.id, StageProgress(Stage.PARSE, "done", 2, 2, "pages", 0.5, "ü"))
    base = library.bases.get(base.id)
    before = {id: canonical_dump(engine, id) for id in (base.id, other.id)}
    document, entries = library.documents.get(kept.id), list(library.passages.index_entries(base.id, "chunks"))
    assert archive.write(base.id, file) == 2
    assert archive.files(file) == {kept.sha256, waiting.sha256}
    library.bases.delete(base.id)
    with reading(engine) as connection:
        for table in (documents, entities, index_changes):
            assert set(connection.execute(select(table.c.base_id)).scalars()) == {other.id}
    assert list(archive.entries(base.id, "chunks", file)) == entries
    archive.restore(base, file)
    restored = library.bases.get(base.id)
    assert restored == replace(base, index_version=base.index_version + 1), "what is cached of it is read again"
    assert library.documents.get(kept.id) == document
    with reading(engine) as connection:
        assert set(connection.execute(select(stages.c.document_id)).scalars()) == {kept.id}, "nothing is under way"
    changed = [each.document_id for each in SqlIndexChanges(engine).since(base.id, Position(), 9)]
    assert changed == [kept.id], "replicas of the word index hear of it"
    library.ingest_records.record_stage(waiting.id, StageProgress(Stage.PARSE, "running", 1, 2, "pages", 0.5, ""))
    assert {id: canonical_dump(engine, id) for id in (base.id, other.id)} == before
    assert [(found.name, len(done)) for found, done, _ in archive.documents(base.id, file)] == [
        ("a.pdf", 1),
        ("c.pdf", 0),
    ]


def test_the_edits_of_its_graph_come_back_with_a_base_or_not_at_all(engine: Engine, tmp_path: Path) -> None:
    library, archive, file = sql_library(engine), SqlBaseArchive(engine), tmp_path / "archive"
    edits, base = SqlGraphEdits(engine), library.bases.create("Papers")
    google = EditedEntity("e1", "Google", "ORGANIZATION", "Google", "ORGANIZATION")
    edits.record(base.id, [GraphEdit(EditKind.ALIAS, (google,), "Alphabet")])
    logged = edits.log(base.id, 9)
    archive.write(base.id, file)
    library.bases.delete(base.id)

    def interrupted(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if "INTO graph_edits" in statement:
            raise KeyboardInterrupt

    event.listen(engine, "before_cursor_execute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        archive.restore(base, file, logged)
    event.remove(engine, "before_cursor_execute", interrupted)
    assert library.bases.all() == []
    archive.restore(base, file, logged)
    assert [each.edit for each in edits.log(base.id, 9)] == [each.edit for each in logged]


def test_a_base_comes_back_with_its_past(engine: Engine, tmp_path: Path) -> None:
    clock = TickingClock()
    library, archive, file = sql_library(engine, clock), SqlBaseArchive(engine), tmp_path / "archive"
    edits, base = SqlGraphEdits(engine, clock), library.bases.create("Papers")
    document = publish(library, base, "a.pdf", "BERT by Google.")
    add(library, base, "waiting.pdf")
    google = EditedEntity("e1", "Google", "ORGANIZATION", "Google", "ORGANIZATION")
    edits.record(base.id, [GraphEdit(EditKind.ALIAS, (google,), "Alphabet")])
    logged, then = edits.log(base.id, 9), clock()
    archive.write(base.id, file)
    library.bases.delete(base.id)
    archive.restore(base, file, logged)
    events = edits.events(base.id)
    assert documents_at(events, then) == {document.id: "a.pdf"}
    assert len(in_force(edits.log(base.id, 9), events, then)) == 1


def test_a_base_comes_back_to_those_that_it_was_shared_with(engine: Engine, tmp_path: Path) -> None:
    library, archive, file = sql_library(engine), SqlBaseArchive(engine), tmp_path / "archive"
    shares, base, other = SqlShares(engine), library.bases.create("Papers"), library.bases.create("Other")
    shares.share(base.id, group_subject("reefs"), Role.EDITOR)
    shares.share(other.id, group_subject("tides"), Role.READER)
    shared = shares.of_base(base.id)
    archive.write(base.id, file)
    library.bases.delete(base.id)
    archive.restore(base, file)
    assert (shares.of_base(base.id), len(shares.of_base(other.id))) == (shared, 1)


def test_a_base_of_a_file_without_shares_comes_back(engine: Engine, tmp_path: Path) -> None:
    library, archive, file = sql_library(engine), SqlBaseArchive(engine), tmp_path / "archive"
    base = library.bases.create("Papers")
    archive.write(base.id, file)
    with closing(sqlite3.connect(file)) as earlier:
        earlier.execute("DROP TABLE base_shares")
    library.bases.delete(base.id)
    archive.restore(base, file)
    assert library.bases.all() == [library.bases.get(base.id)]


def test_a_file_is_prepared_for_reading_so_that_a_kill_meanwhile_is_undone(engine: Engine, tmp_path: Path) -> None:
    library, archive, file = sql_library(engine), SqlBaseArchive(engine), tmp_path / "archive"
    base = library.bases.create("Papers")
    publish(library, base, "a.pdf", "BERT by Google.")
    archive.write(base.id, file)
    journals: set[str] = set()

    def look(_connection: object, cursor: sqlite3.Cursor, statement: str, *_: object) -> None:
        if statement.startswith("CREATE INDEX"):
            journals.update(cursor.connection.execute("PRAGMA journal_mode").fetchone())

    event.listen(Engine, "before_cursor_execute", look)
    assert len(list(archive.documents(base.id, file))) == 1
    event.remove(Engine, "before_cursor_execute", look)
    assert journals == {"delete"}


def test_a_base_whose_name_is_taken_meanwhile_stays_in_the_file(engine: Engine, tmp_path: Path) -> None:
    library, archive, file = sql_library(engine), SqlBaseArchive(engine), tmp_path / "archive"
    base = library.bases.create("Papers")
    archive.write(base.id, file)
    library.bases.delete(base.id)
    other = library.bases.create("Notes")
    library.bases.rename(other.id, "papers")
    with pytest.raises(InputError, match="Papers"):
        archive.restore(base, file)
    assert library.bases.all() == [library.bases.get(other.id)]


def test_a_restoration_that_is_interrupted_leaves_nothing(engine: Engine, tmp_path: Path) -> None:
    library, archive, file = sql_library(engine), SqlBaseArchive(engine), tmp_path / "archive"
    base = library.bases.create("Papers")
    publish(library, base, "a.pdf", "BERT by Google.")
    archive.write(base.id, file)
    library.bases.delete(base.id)

    def interrupted(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if "INTO chunks" in statement:
            raise KeyboardInterrupt

    event.listen(engine, "before_cursor_execute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        archive.restore(base, file)
    event.remove(engine, "before_cursor_execute", interrupted)
    assert library.bases.all() == []
    library.bases.create("Papers")
    with pytest.raises(InputError):
        archive.restore(base, file)
    with pytest.raises(NotFoundError):
        archive.restore(base, tmp_path / "none")
