"""The way in and the queue: files stored, work submitted, retried, cancelled, dispatched."""

from datetime import timedelta
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from core.documents.lifecycle.file_store import FileStore
from core.documents.lifecycle.intake import Intake
from core.documents.model import DocumentStatus, Stage, StageProgress
from core.documents.pipeline.dispatch import ATTEMPTS, Dispatcher
from core.documents.pipeline.spool import SpoolQueue
from core.platform.errors import NotFoundError
from tests.fakes.ingestion import FakeIngestEngine, open_library


class AgentHost:
    """Intake, queue and dispatcher over one data folder."""

    def __init__(self, data: Path) -> None:
        self.library = open_library(data)
        self.base = self.library.bases.create("Base")
        self.queue = SpoolQueue(data / "spool", self.library.ingest_records)
        self.intake = Intake(self.library.documents, FileStore(data / "files"), self.queue)
        self.engine = FakeIngestEngine()
        self.work = data / "work"
        self.dispatcher = Dispatcher(
            self.library.bases, self.library.documents, self.library.ingest_records, self.queue, self.engine, self.work
        )


@pytest.fixture
def desk(tmp_path: Path) -> AgentHost:
    return AgentHost(tmp_path)


def test_an_upload_is_stored_noted_and_submitted_once(desk: AgentHost) -> None:
    document, is_new = desk.intake.add(desk.base.id, "../a\x00b.pdf", b"%PDF-1.4 x")
    assert (document.name, document.media_type, document.size, is_new) == ("ab.pdf", "application/pdf", 10, True)
    again, is_new = desk.intake.add(desk.base.id, "other.pdf", b"%PDF-1.4 x")
    assert (again.id, is_new) == (document.id, False)
    assert desk.queue.waiting() == [document.id]


def test_a_file_that_cannot_be_read_is_taken_and_left_to_the_pipeline(desk: AgentHost) -> None:
    document, _ = desk.intake.add(desk.base.id, "empty.pdf", b"")
    assert document.media_type == "application/octet-stream"
    assert desk.queue.waiting() == [document.id]


def test_a_package_whose_packed_bytes_are_damaged_is_taken_like_others(desk: AgentHost) -> None:
    book = BytesIO()
    with ZipFile(book, "w", ZIP_DEFLATED) as package:
        package.writestr("mimetype", "application/epub+zip")
    data = book.getvalue()
    start = data.index(b"mimetype") + len(b"mimetype")
    damaged = data[:start] + b"\xff" * 9 + data[start + 9 :]
    document, _ = desk.intake.add(desk.base.id, "book.epub", damaged)
    assert document.media_type == "application/octet-stream"


def test_the_same_bytes_again_revive_a_failed_or_cancelled_document(desk: AgentHost) -> None:
    document, _ = desk.intake.add(desk.base.id, "a.txt", b"text")
    desk.dispatcher.turn()
    desk.library.ingest_records.fail(document.id, "ingest.error.no_text", {"name": "a.txt"})
    revived, is_new = desk.intake.add(desk.base.id, "a.txt", b"text")
    assert (revived.status, is_new) == (DocumentStatus.QUEUED, False)
    assert desk.queue.waiting() == [document.id]


def test_an_answer_that_is_given_again_after_a_kill_replaces_the_old_version_as_well(desk: AgentHost) -> None:
    old, _ = desk.intake.add(desk.base.id, "a.txt", b"first")
    desk.library.documents.add(desk.base.id, "a.txt", sha256(b"second").hexdigest(), 6, "text/plain", "")
    new, is_new = desk.intake.add(desk.base.id, "a.txt", b"second", replaces=old.id)
    assert (new.replaces, is_new) == (old.id, False)


def test_cancel_and_retry_of_what_is_gone_say_so(desk: AgentHost) -> None:
    for act in (desk.intake.cancel, desk.intake.retry):
        with pytest.raises(NotFoundError):
            act("gone")


def test_ids_that_are_paths_are_not_spooled(desk: AgentHost) -> None:
    with pytest.raises(ValueError, match="letters and digits"):
        desk.queue.submit("../x")


def test_submitted_documents_reach_the_engine_in_their_order(desk: AgentHost) -> None:
    ids = [desk.intake.add(desk.base.id, f"{n}.txt", f"text {n}".encode())[0].id for n in range(3)]
    assert desk.dispatcher.turn() == 3
    assert desk.engine.enqueued == ids
    assert desk.queue.waiting() == []
    desk.dispatcher.turn()
    assert desk.engine.enqueued == ids


def test_a_document_submitted_while_its_cancelled_run_goes_down_is_run_again(desk: AgentHost) -> None:
    document, _ = desk.intake.add(desk.base.id, "a.txt", b"text")
    desk.dispatcher.turn()
    desk.intake.cancel(document.id)
    desk.intake.retry(document.id)
    desk.dispatcher.turn()
    desk.engine.stands[document.id] = "ended"
    desk.dispatcher.turn()
    assert desk.engine.standing(document.id) == "active"


def test_a_document_that_is_interrupted_without_end_is_set_aside_with_a_sentence(desk: AgentHost) -> None:
    document, _ = desk.intake.add(desk.base.id, "a.txt", b"text")
    desk.dispatcher.turn()
    desk.engine.stands[document.id] = "broken"
    assert desk.dispatcher.turn() == 0
    failed = desk.library.documents.get(document.id)
    assert failed.error_key == "ingest.error.interrupted"
    assert ("attempts", str(ATTEMPTS)) in failed.error_params


def test_a_document_that_was_stored_and_not_submitted_is_read_after_a_while(
    desk: AgentHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, _ = desk.intake.add(desk.base.id, "a.txt", b"text")
    desk.queue.taken(document.id)
    desk.dispatcher.turn()
    assert desk.engine.enqueued == []
    monkeypatch.setattr("core.documents.pipeline.dispatch.LOST_AFTER", timedelta())
    desk.dispatcher.turn()
    desk.dispatcher.turn()
    assert desk.engine.enqueued == [document.id]


def test_a_new_process_finds_unfinished_documents_and_clears_what_is_gone(desk: AgentHost) -> None:
    lost, _ = desk.intake.add(desk.base.id, "lost.txt", b"lost")
    desk.queue.taken(lost.id)
    desk.library.ingest_records.record_stage(lost.id, StageProgress(Stage.PARSE, "running"))
    failed, _ = desk.intake.add(desk.base.id, "failed.txt", b"failed")
    desk.queue.taken(failed.id)
    desk.library.ingest_records.fail(failed.id, "ingest.error.no_text", {"name": "failed.txt"})
    read = "read/scan"  # pages that a parser recognised before it was killed
    for name in (lost.id, failed.id, "gone", read):
        (desk.work / name).mkdir(parents=True)
    desk.dispatcher.sweep()
    desk.dispatcher.recover()
    assert desk.engine.enqueued == [lost.id]
    assert sorted(path.name for path in desk.work.iterdir()) == sorted([lost.id, failed.id, "read"])
    assert (desk.work / read).is_dir()


def test_finished_and_deleted_documents_are_let_go(desk: AgentHost) -> None:
    document, _ = desk.intake.add(desk.base.id, "a.txt", b"text")
    desk.dispatcher.turn()
    desk.library.documents.delete(document.id)
    desk.engine.stands[document.id] = "ended"
    assert desk.dispatcher.turn() == 0


def test_the_same_bytes_under_a_new_name_are_a_new_try(desk: AgentHost) -> None:
    wrong, _ = desk.intake.add(desk.base.id, "notes.pdf", b"Tides are high.")
    desk.library.ingest_records.fail(wrong.id, "ingest.error.mislabelled", {"name": "notes.pdf"})
    desk.queue.taken(wrong.id)
    again, is_new = desk.intake.add(desk.base.id, "notes.txt", b"Tides are high.")
    assert (again.id, is_new, again.name, again.media_type) == (wrong.id, False, "notes.txt", "text/plain")
    assert again.status is DocumentStatus.QUEUED
    assert desk.queue.waiting() == [wrong.id]
