"""Deleting, undoing, replacing: nothing is found meanwhile, everything is back after, and files go in the end."""

import gzip
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from core.documents.lifecycle.base_removal import BaseRemoval, BaseTrash, deleted_bases
from core.documents.lifecycle.intake import Intake
from core.documents.lifecycle.removal import Removal
from core.documents.lifecycle.trash import DAYS, Trash
from core.documents.model import Chunk, Document, DocumentStatus
from core.documents.pipeline.pipeline import Pipeline
from core.documents.pipeline.spool import SpoolQueue
from core.documents.store.base_archive import SqlBaseArchive
from core.documents.store.documents import SqlDocuments
from core.graph.edits import EditedEntity, EditKind, GraphEdit
from core.graph.store.graph import SqlGraph
from core.graph.store.graph_edits import SqlGraphEdits
from core.platform.errors import InputError, NotFoundError, RetryableServiceError
from tests.canonical_dump import canonical_dump
from tests.fakes.ingestion import run_all, tools_of

START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


class House:
    """Intake, pipeline and removal over one data folder; opened again it finds what was there."""

    def __init__(self, data: Path) -> None:
        made = tools_of(data)
        self.library, self.files = made.library, made.files
        self.indexes = (made.chunk_index, made.lexical_index)
        self.queue = SpoolQueue(data / "spool", self.library.ingest_records)
        self.intake = Intake(self.library.documents, self.files, self.queue)
        self.data, self.time = data, START
        self.reopen()
        self.base = self.library.bases.named("Papers") or self.library.bases.create("Papers")
        tools = replace(made, replacing=lambda document: self.removal.replacing(document))
        self.pipeline = Pipeline(tools, data / "work")

    def reopen(self) -> None:
        """As after a restart."""
        trash = Trash(self.data / "trash", lambda: self.time)
        bases, documents = self.library.bases, self.library.documents
        archive = SqlBaseArchive(documents.engine)  # type: ignore[attr-defined]  # the SQL library of the doubles
        whole = BaseTrash(deleted_bases(self.data / "trash"), archive)
        self.removal = Removal(self.library, self.indexes, self.queue, self.files, trash, whole.files)
        self.edits = SqlGraphEdits(documents.engine)  # type: ignore[attr-defined]  # the SQL library of the doubles
        self.bases = BaseRemoval(bases, documents, self.indexes, self.removal, self.edits, whole)

    def add(self, name: str, text: str, replaces: str = "") -> Document:
        document, _ = self.intake.add(self.base.id, name, text.encode(), replaces)
        run_all(self.pipeline, document.id)
        return self.library.documents.get(document.id)

    def found(self, word: str) -> list[int]:
        """Chunks in all, hits of the word and entities of this name."""
        _, words = self.indexes
        graph = SqlGraph(self.library.documents.engine)  # type: ignore[attr-defined]
        hits = words.search(self.base.id, "chunks", word, 9)
        return [words.count(self.base.id, "chunks"), len(hits), len(graph.search(self.base.id, word, 9))]

    def dump(self) -> str:
        return canonical_dump(self.library.documents.engine, self.base.id)  # type: ignore[attr-defined]

    def names(self) -> list[str]:
        return [deleted.document.name for deleted in self.removal.deleted(self.base.id)]


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def test_a_deleted_document_is_found_nowhere_and_comes_back_whole_after_a_restart(house: House) -> None:
    house.add("other.txt", "Lumen floats near Marlow.")
    document = house.add("a.txt", "KelpNet reads Lumen.\n\nIngrid leads.")
    before, dump, found = house.library.documents.get(document.id), house.dump(), house.found("KelpNet")
    assert found == [2, 1, 1]
    house.removal.document(document.id)
    assert house.found("KelpNet") == [1, 0, 0]
    assert house.names() == ["a.txt"]
    house.reopen()
    assert house.removal.restore(document.id) == before
    assert (house.dump(), house.found("KelpNet"), house.names()) == (dump, found, [])


def test_a_document_that_comes_while_its_base_is_deleted_comes_back_with_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.add("a.txt", "KelpNet reads Lumen.")
    write, coming = SqlBaseArchive.write, ["late.txt"]

    def slow(archive: SqlBaseArchive, base_id: str, file: Path) -> int:
        number = write(archive, base_id, file)
        if coming:
            house.add(coming.pop(), "Ingrid leads the sound.")
        return number

    monkeypatch.setattr(SqlBaseArchive, "write", slow)
    house.bases.remove(house.base.id)
    (deleted,) = house.bases.deleted()
    house.bases.restore(deleted.base.id)
    assert sorted(each.name for each in house.library.documents.of_base(house.base.id)) == ["a.txt", "late.txt"]


def _switch(house: House, chunk: Chunk) -> None:
    house.library.publications.enable_chunk(chunk.id, False)


def _rewrite(house: House, chunk: Chunk) -> None:
    house.library.publications.replace_chunk(replace(chunk, text="Ingrid leads.", original=chunk.text), (), ())


def _edit(house: House, chunk: Chunk) -> None:
    (found,) = SqlGraph(house.edits.engine).search(house.base.id, "KelpNet", 9)
    entities = (EditedEntity(found.id, found.name, found.type),)
    house.edits.record(house.base.id, [GraphEdit(EditKind.ALIAS, entities, chunk.id)])


def _undo(house: House, _: Chunk) -> None:
    house.edits.set_undone(house.base.id, [each.number for each in house.edits.log(house.base.id, 9)], True)


@pytest.mark.parametrize("change", [_switch, _rewrite, _edit, _undo])
def test_what_somebody_edits_while_a_base_is_deleted_comes_back_with_it(
    house: House, monkeypatch: pytest.MonkeyPatch, change: Callable[[House, Chunk], None]
) -> None:
    (chunk,) = house.library.passages.chunks(house.add("a.txt", "KelpNet reads Lumen.").id)
    _edit(house, chunk)
    write, made = SqlBaseArchive.write, list[object]()

    def edited() -> object:
        log = [(each.edit, each.undone) for each in house.edits.log(house.base.id, 9)]
        return log, house.library.passages.chunks(chunk.document_id)

    def slow(archive: SqlBaseArchive, base_id: str, file: Path) -> int:
        number = write(archive, base_id, file)
        if not made:
            change(house, chunk)
            made.append(edited())
        return number

    monkeypatch.setattr(SqlBaseArchive, "write", slow)
    house.bases.remove(house.base.id)
    (deleted,) = house.bases.deleted()
    house.bases.restore(deleted.base.id)
    assert [edited()] == made


@pytest.mark.parametrize("change", [_switch, _rewrite])
def test_what_somebody_edits_while_a_document_is_deleted_comes_back_with_it(
    house: House, monkeypatch: pytest.MonkeyPatch, change: Callable[[House, Chunk], None]
) -> None:
    document = house.add("a.txt", "KelpNet reads Lumen.")
    (chunk,) = house.library.passages.chunks(document.id)
    archive, made = Removal.archive, list[list[Chunk]]()

    def slow(removal: Removal, document: Document, replaced_by: str = "") -> None:
        archive(removal, document, replaced_by)
        if not made:
            change(house, chunk)
            made.append(house.library.passages.chunks(document.id))

    monkeypatch.setattr(Removal, "archive", slow)
    house.removal.document(document.id)
    house.removal.restore(document.id)
    assert [house.library.passages.chunks(document.id)] == made


def test_edits_and_switches_come_back_too(house: House) -> None:
    document = house.add("a.txt", "KelpNet reads Lumen.")
    chunk = house.library.passages.chunks(document.id)[0]
    house.library.publications.enable_chunk(chunk.id, False)
    house.removal.document(document.id)
    house.removal.restore(document.id)
    assert not house.library.passages.chunks(document.id)[0].enabled


def test_a_failed_document_comes_back_failed_and_a_waiting_one_waits_again(house: House) -> None:
    failed, _ = house.intake.add(house.base.id, "failed.txt", b"text")
    house.library.ingest_records.fail(failed.id, "error.unexpected", {"kind": "X"})
    waiting, _ = house.intake.add(house.base.id, "waiting.txt", b"more text")
    for document_id in (failed.id, waiting.id):
        house.queue.taken(document_id)
        house.removal.document(document_id)
    assert house.removal.restore(failed.id).status is DocumentStatus.FAILED
    assert house.removal.restore(waiting.id).status is DocumentStatus.QUEUED
    assert house.queue.waiting() == [waiting.id]


class _KilledError(Exception):
    """Stands for kill -9 at one place."""


@pytest.mark.parametrize("of_base", [False, True], ids=["document", "base"])
def test_a_deletion_that_is_killed_before_it_is_done_leaves_unread_documents_waiting(
    house: House, monkeypatch: pytest.MonkeyPatch, of_base: bool
) -> None:
    document, _ = house.intake.add(house.base.id, "a.txt", b"KelpNet reads Lumen.")

    def killed(*_: object) -> None:
        raise _KilledError

    monkeypatch.setattr(house.library.bases if of_base else house.library.documents, "delete", killed)
    with pytest.raises(_KilledError):
        house.bases.remove(house.base.id) if of_base else house.removal.document(document.id)
    run_all(house.pipeline, document.id)
    assert house.library.documents.get(document.id).status is DocumentStatus.READY


def test_after_some_days_the_archive_and_the_file_go(house: House) -> None:
    document = house.add("a.txt", "KelpNet")
    house.removal.document(document.id)
    path = house.files.path(document.sha256)
    house.time = START + timedelta(days=DAYS) - timedelta(seconds=1)
    house.removal.expire(house.time)
    assert path.is_file()
    house.time = START + timedelta(days=DAYS)
    assert house.names() == []
    house.removal.expire(house.time)
    assert not path.exists()
    with pytest.raises(NotFoundError):
        house.removal.restore(document.id)


def test_a_file_that_is_used_elsewhere_stays(house: House) -> None:
    document = house.add("a.txt", "KelpNet")
    other = house.library.bases.create("Other")
    house.intake.add(other.id, "a.txt", b"KelpNet")
    house.removal.document(document.id)
    house.removal.forget([document.id])
    assert house.files.path(document.sha256).is_file()


def test_a_file_that_is_dropped_while_it_is_added_again_is_stored_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = house.add("a.txt", "KelpNet")
    house.removal.document(gone.id)
    add = SqlDocuments.add

    def slow(*told: Any) -> tuple[Document, bool]:
        house.removal.forget([gone.id])
        assert not house.files.path(gone.sha256).is_file()
        return add(*told)

    monkeypatch.setattr(SqlDocuments, "add", slow)
    added, _ = house.intake.add(house.base.id, "a.txt", b"KelpNet")
    assert house.files.path(added.sha256).read_bytes() == b"KelpNet"


def test_a_file_added_again_is_not_offered_for_undo(house: House) -> None:
    document = house.add("a.txt", "KelpNet")
    house.removal.document(document.id)
    house.add("a.txt", "KelpNet")
    assert house.names() == []
    house.removal.forget([document.id])
    assert house.files.path(document.sha256).is_file()


def test_a_document_whose_file_was_added_again_stays_as_it_is(house: House) -> None:
    document = house.add("a.txt", "KelpNet")
    house.removal.document(document.id)
    house.intake.add(house.base.id, "a.txt", b"KelpNet")
    assert house.removal.restore(document.id).status is DocumentStatus.QUEUED
    assert house.found("KelpNet") == [0, 0, 0]
    house.library.documents.delete(document.id)
    assert house.removal.restore(document.id) == document


class TestBases:
    def test_a_deleted_base_is_found_nowhere_and_comes_back_whole_after_a_restart(self, house: House) -> None:
        house.library.bases.set_entity_types(house.base.id, ["PERSON", "REEF"])
        earlier = house.add("earlier.txt", "Marlow sings.")
        house.add("a.txt", "KelpNet reads Lumen.\n\nIngrid leads.")
        failed, _ = house.intake.add(house.base.id, "failed.txt", b"text")
        house.library.ingest_records.fail(failed.id, "error.unexpected", {"kind": "X"})
        house.removal.document(earlier.id)
        base, documents = house.library.bases.get(house.base.id), house.library.documents.of_base(house.base.id)
        dump, found = house.dump(), house.found("KelpNet")
        edit = GraphEdit(EditKind.ALIAS, (EditedEntity("e", "KelpNet", "TECHNOLOGY"),), "Kelp")
        house.edits.record(base.id, [edit])
        house.bases.remove(base.id)
        assert house.library.bases.all() == []
        assert house.found("KelpNet") == [0, 0, 0]
        house.reopen()
        assert [(kept.base, kept.documents) for kept in house.bases.deleted()] == [(base, 2)]
        restored = house.bases.restore(base.id)
        assert restored.index_version >= base.index_version
        assert replace(restored, index_version=0) == replace(base, index_version=0)
        assert house.library.documents.of_base(base.id) == documents
        assert (house.dump(), house.found("KelpNet")) == (dump, found)
        assert [logged.edit for logged in house.edits.log(base.id, 9)] == [edit]
        assert (house.bases.deleted(), house.names()) == ([], ["earlier.txt"])
        with pytest.raises(NotFoundError):
            house.bases.restore(base.id)

    def test_words_stay_if_the_base_may_be_back_although_the_database_did_not_say_so(
        self, house: House, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        house.add("a.txt", "KelpNet reads Lumen.")
        found, restore = house.found("KelpNet"), SqlBaseArchive.restore

        def restored(*given: Any) -> None:
            restore(*given)
            raise RetryableServiceError("storage.unavailable", reason="gone")

        house.bases.remove(house.base.id)
        monkeypatch.setattr(SqlBaseArchive, "restore", restored)
        with pytest.raises(RetryableServiceError):
            house.bases.restore(house.base.id)
        assert house.found("KelpNet") == found

    def test_work_goes_on_when_the_base_is_back(self, house: House) -> None:
        waiting, _ = house.intake.add(house.base.id, "waiting.txt", b"text")
        house.queue.taken(waiting.id)
        house.bases.remove(house.base.id)
        house.bases.restore(house.base.id)
        assert house.library.documents.get(waiting.id).status is DocumentStatus.QUEUED
        assert house.queue.waiting() == [waiting.id]

    def test_after_some_days_the_base_its_documents_and_their_files_go(self, house: House) -> None:
        document = house.add("a.txt", "KelpNet")
        house.bases.remove(house.base.id)
        path = house.files.path(document.sha256)
        house.bases.expire(house.time)
        assert path.is_file()
        house.time = START + timedelta(days=DAYS)
        assert house.bases.deleted() == []
        house.bases.expire(house.time)
        assert not path.exists()
        assert list((house.data / "trash").iterdir()) == []

    def test_a_name_that_was_given_away_is_told(self, house: House) -> None:
        house.library.bases.rename(house.base.id, "Reefs")
        house.bases.remove(house.base.id)
        house.library.bases.create("reefs")
        with pytest.raises(InputError, match="Reefs"):
            house.bases.restore(house.base.id)
        assert [kept.base.name for kept in house.bases.deleted()] == ["Reefs"]

    @pytest.mark.parametrize("damage", [b"broken" * 1_000, b""])
    def test_a_damaged_archive_is_told_and_restores_nothing(self, house: House, damage: bytes) -> None:
        house.add("a.txt", "KelpNet")
        house.bases.remove(house.base.id)
        (archive,) = (house.data / "trash").glob("*.base.sqlite")
        archive.write_bytes(damage)
        with pytest.raises(NotFoundError):
            house.bases.restore(house.base.id)
        assert house.library.bases.all() == []
        assert house.found("KelpNet") == [0, 0, 0]

    def test_a_base_made_anew_with_the_name_gets_the_documents_of_the_deleted_one(self, house: House) -> None:
        document, waiting = (
            house.add("a.txt", "KelpNet reads Lumen."),
            house.intake.add(house.base.id, "b.txt", b"b")[0],
        )
        house.bases.remove(house.base.id)
        house.time += timedelta(hours=1)
        assert house.library.bases.create("Papers").id == house.base.id
        other = house.add("c.txt", "SeaLoom")
        assert [kept.documents for kept in house.bases.deleted()] == [2]
        house.bases.restore(house.base.id)
        assert {each.id for each in house.library.documents.of_base(house.base.id)} == {
            document.id,
            waiting.id,
            other.id,
        }
        assert (house.found("KelpNet"), house.found("SeaLoom"), house.bases.deleted()) == ([2, 1, 1], [2, 1, 1], [])

    def test_a_base_stays_in_the_trash_when_one_of_its_documents_was_added_again(self, house: House) -> None:
        old, other = house.add("a.txt", "KelpNet"), house.add("b.txt", "Lumen")
        house.bases.remove(house.base.id)
        house.library.bases.create("Papers")
        new, _ = house.intake.add(house.base.id, "a.txt", b"KelpNet")
        house.bases.restore(house.base.id)
        assert house.library.documents.of_base(house.base.id) == [other, new]
        house.library.documents.delete(new.id)
        house.bases.restore(house.base.id)
        assert house.library.documents.get(old.id) == old

    def test_two_deleted_bases_of_one_name_are_both_kept(self, house: House) -> None:
        for name in ("a.txt", "b.txt"):
            house.base = house.library.bases.named("Papers") or house.library.bases.create("Papers")
            house.add(name, f"KelpNet in {name}")
            house.bases.remove(house.base.id)
            house.time += timedelta(hours=1)
        newer, older = house.bases.deleted()
        assert (newer.documents, older.documents) == (1, 1)
        house.bases.restore(house.base.id, older.file)
        assert [each.name for each in house.library.documents.of_base(house.base.id)] == ["a.txt"]
        house.bases.restore(house.base.id)
        assert {each.name for each in house.library.documents.of_base(house.base.id)} == {"a.txt", "b.txt"}

    def test_a_file_of_a_deleted_base_stays_as_long_as_that_can_be_restored(self, house: House) -> None:
        document = house.add("a.txt", "KelpNet")
        other = house.library.bases.create("Other")
        twin, _ = house.intake.add(other.id, "a.txt", b"KelpNet")
        house.bases.remove(house.base.id)
        house.removal.document(twin.id)
        house.removal.forget([twin.id])
        assert house.files.path(document.sha256).is_file()
        house.bases.forget([house.base.id])
        assert not house.files.path(document.sha256).exists()

    def test_a_base_that_is_gone_cannot_be_deleted_again(self, house: House) -> None:
        house.bases.remove(house.base.id)
        with pytest.raises(NotFoundError):
            house.bases.remove(house.base.id)


@pytest.mark.parametrize(
    ("ending", "damage"),
    [
        (".head.json", b"broken"),
        (".parts.json.gz", b"\x1f\x8b broken"),
        (".parts.json.gz", gzip.compress(b"null", mtime=0)[:10] + b"\xff" * 20),
    ],
)
def test_a_damaged_archive_is_said_to_be_gone(house: House, ending: str, damage: bytes) -> None:
    document = house.add("a.txt", "KelpNet")
    house.removal.document(document.id)
    (house.data / "trash" / f"{document.id}{ending}").write_bytes(damage)
    with pytest.raises(NotFoundError):
        house.removal.restore(document.id)
    assert house.library.documents.of_base(house.base.id) == []


class TestChangedFiles:
    def test_another_content_under_a_ready_name_is_recognised(self, house: House) -> None:
        old = house.add("a.txt", "KelpNet")
        assert house.intake.earlier(house.base.id, "C:\\files\\a.txt", "0" * 64) == old
        assert house.intake.earlier(house.base.id, "a.txt", old.sha256) is None
        assert house.intake.earlier(house.base.id, "b.txt", "0" * 64) is None

    def test_the_new_one_takes_the_place_of_the_old_and_both_can_be_had(self, house: House) -> None:
        old = house.add("a.txt", "KelpNet reads Lumen.")
        new = house.add("a.txt", "SeaLoom reads Lumen.", replaces=old.id)
        assert [d.id for d in house.library.documents.of_base(house.base.id)] == [new.id]
        assert (house.found("KelpNet"), house.found("SeaLoom")) == ([1, 0, 0], [1, 1, 1])
        assert [d.replaced_by for d in house.removal.deleted(house.base.id)] == [new.id]
        house.removal.restore(old.id)
        assert house.found("KelpNet") == house.found("SeaLoom") == [2, 1, 1]

    def test_the_old_one_stays_while_the_new_one_is_not_ready(self, house: House) -> None:
        old = house.add("a.txt", "KelpNet")
        house.add("a.txt", "   ", replaces=old.id)
        assert house.library.documents.get(old.id).status is DocumentStatus.READY
        assert (house.found("KelpNet"), house.names()) == ([1, 1, 1], [])

    def test_the_one_to_be_replaced_may_become_known_while_the_new_one_is_read(self, house: House) -> None:
        old = house.add("a.txt", "KelpNet")
        new, _ = house.intake.add(house.base.id, "b.txt", b"Lumen")
        house.library.documents.mark_replacement(new.id, old.id)
        with house.removal.replacing(new):
            house.library.documents.delete(old.id)
        assert (house.found("KelpNet"), house.names()) == ([0, 0, 0], ["a.txt"])

    def test_an_old_one_that_was_deleted_meanwhile_is_no_trouble(self, house: House) -> None:
        old = house.add("a.txt", "KelpNet")
        new, _ = house.intake.add(house.base.id, "a.txt", b"Lumen", old.id)
        house.removal.document(old.id)
        assert len(run_all(house.pipeline, new.id)) == 6
        assert house.library.documents.get(new.id).status is DocumentStatus.READY
