"""Encrypted PDFs are opened once with a password that is found nowhere afterwards."""

from pathlib import Path

import pypdfium2
import pytest

from core.documents.estimating.forecast import Forecaster
from core.documents.lifecycle.intake import Intake
from core.documents.lifecycle.pending_uploads import PendingUploads, UploadQuestion
from core.documents.lifecycle.removal import Removal
from core.documents.lifecycle.trash import Trash
from core.documents.lifecycle.unlocking import Unlocking
from core.documents.lifecycle.uploads import Uploads
from core.documents.model import Document, DocumentStatus
from core.documents.parsing.pdf import child_tasks
from core.documents.parsing.pdf.child_tasks import measure_file, unlocked_pdf
from core.documents.pipeline.spool import SpoolQueue
from core.documents.reading.inspection import is_decrypted_copy
from core.platform.errors import InputError, NotFoundError, ServiceError
from tests.documents import made_files
from tests.fakes.ingestion import tools_of

PASSWORD = "correct horse battery"


class Desk:
    def __init__(self, data: Path) -> None:
        self.data = data
        made = tools_of(data)
        self.library, self.files = made.library, made.files
        documents, records = self.library.documents, self.library.ingest_records
        self.queue, self.by_model = SpoolQueue(data / "spool", records), False
        self.intake = Intake(documents, self.files, self.queue)
        self.uploads = Uploads(self.intake, PendingUploads(data / "held"), records, self.forecaster)
        indexes = (made.chunk_index, made.lexical_index)
        self.removal = Removal(self.library, indexes, self.queue, self.files, Trash(data / "trash"))
        ways = (unlocked_pdf, measure_file)
        self.unlocking = Unlocking(documents, self.files, self.uploads, self.removal.drop_files, ways)
        self.base = self.library.bases.create("Base")

    def forecaster(self) -> Forecaster:
        return Forecaster(measure_file, "built-in", self.by_model, 0)

    def opened(self, document_id: str) -> Document:
        found = self.unlocking.open_document(document_id, PASSWORD)
        assert found
        return found

    def refused(self, replaces: str = "") -> str:
        """Id of an encrypted document that failed."""
        document, _ = self.intake.add(self.base.id, "secret.pdf", made_files.encrypted(PASSWORD), replaces)
        self.library.ingest_records.fail(document.id, "ingest.error.encrypted", {"name": document.name})
        return document.id


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "data")


def test_the_copy_without_password_takes_the_documents_place(desk: Desk) -> None:
    locked = desk.library.documents.get(desk.refused())
    assert desk.unlocking.waits(locked)
    opened = desk.opened(locked.id)
    assert (opened.name, opened.status) == ("secret.pdf", DocumentStatus.QUEUED)
    with pytest.raises(NotFoundError):
        desk.library.documents.get(locked.id)
    assert not desk.files.path(locked.sha256).exists()
    copy = desk.files.path(opened.sha256)
    assert is_decrypted_copy(copy)
    assert "secret" in pypdfium2.PdfDocument(copy)[0].get_textpage().get_text_range()  # type: ignore[no-untyped-call]


def test_the_password_is_nowhere_in_the_data_folder(desk: Desk) -> None:
    desk.unlocking.open_document(desk.refused(), PASSWORD)
    for path in desk.data.rglob("*"):
        assert not path.is_file() or PASSWORD.encode() not in path.read_bytes(), path


def test_a_wrong_password_is_told_and_changes_nothing(desk: Desk) -> None:
    locked = desk.refused()
    for wrong in ("nope", "", "x" * 600):
        with pytest.raises(InputError, match="does not open") as refused:
            desk.unlocking.open_document(locked, wrong)
        assert refused.value.key == "ingest.error.password"
    assert desk.unlocking.waits(desk.library.documents.get(locked))


def test_a_time_that_is_over_is_told_and_changes_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_tasks, "_UNLOCK_SECONDS", 0)
    locked = desk.refused()
    with pytest.raises(ServiceError, match="could not be prepared for reading within 0 seconds"):
        desk.unlocking.open_document(locked, PASSWORD)
    assert desk.unlocking.waits(desk.library.documents.get(locked))


def test_the_same_file_opened_twice_is_one_document(desk: Desk) -> None:
    assert desk.opened(desk.refused()).id == desk.opened(desk.refused()).id


def test_a_model_does_not_read_it_before_the_costs_are_agreed(desk: Desk) -> None:
    desk.by_model = True
    assert desk.unlocking.open_document(desk.refused("older"), PASSWORD) is None
    assert desk.library.documents.of_base(desk.base.id) == []
    (held,) = desk.uploads.pending.entries(desk.base.id)
    assert (held.name, held.question, held.replaces) == ("secret.pdf", UploadQuestion.START, "older")


def test_the_encrypted_file_stays_while_a_deleted_document_needs_it(desk: Desk) -> None:
    other = desk.library.bases.create("Other")
    twin, _ = desk.intake.add(other.id, "secret.pdf", made_files.encrypted(PASSWORD))
    desk.removal.document(twin.id)
    desk.opened(desk.refused())
    assert desk.files.path(twin.sha256).is_file()


def test_what_it_replaces_is_known_before_anybody_reads_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    locked, known = desk.refused("older"), []

    def submit(document_id: str) -> None:
        known.append(desk.library.documents.get(document_id).replaces)

    monkeypatch.setattr(desk.queue, "submit", submit)
    desk.opened(locked)
    assert known == ["older"]


def test_only_encrypted_pdfs_are_locked(desk: Desk, tmp_path: Path) -> None:
    for name, data, locked in (
        ("a.pdf", made_files.encrypted(PASSWORD), True),
        ("b.pdf", made_files.report(1), False),
        ("c.txt", b"words", False),
        ("d.pdf", b"%PDF-1.4 broken", False),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        assert desk.unlocking.is_locked(path) is locked


def test_a_file_of_the_world(desk: Desk, shared_data: Path) -> None:
    path = shared_data / "pdfs" / "encrypted_password_1234.pdf"
    with desk.unlocking.unlocked(path, path.name, "1234") as copy:
        assert measure_file(copy, path.name).pages == 1
    assert not copy.exists()
