"""Encrypted PDFs are opened once with a password that is found nowhere afterwards."""

from pathlib import Path

import pypdfium2
import pytest

from core.documents.lifecycle.file_store import FileStore
from core.documents.lifecycle.intake import Intake
from core.documents.lifecycle.unlocking import Unlocking
from core.documents.model import DocumentStatus
from core.documents.parsing.pdf.child_tasks import measure_file, unlocked_pdf
from core.documents.pipeline.spool import SpoolQueue
from core.documents.reading.inspection import is_decrypted_copy
from core.platform.errors import InputError, NotFoundError
from tests.documents import made_files
from tests.fakes.ingestion import open_library

PASSWORD = "correct horse battery"


class Desk:
    def __init__(self, data: Path) -> None:
        self.data = data
        self.library = open_library(data)
        self.files = FileStore(data / "files")
        queue = SpoolQueue(data / "spool", self.library.ingest_records)
        self.intake = Intake(self.library.documents, self.files, queue)
        self.unlocking = Unlocking(self.library.documents, self.files, self.intake, (unlocked_pdf, measure_file))
        self.base = self.library.bases.create("Base")

    def refused(self) -> str:
        """Id of an encrypted document that failed."""
        document, _ = self.intake.add(self.base.id, "secret.pdf", made_files.encrypted(PASSWORD))
        self.library.ingest_records.fail(document.id, "ingest.error.encrypted", {"name": document.name})
        return document.id


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "data")


def test_the_copy_without_password_takes_the_documents_place(desk: Desk) -> None:
    locked = desk.library.documents.get(desk.refused())
    assert desk.unlocking.waits(locked)
    opened = desk.unlocking.open_document(locked.id, PASSWORD)
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


def test_the_same_file_opened_twice_is_one_document(desk: Desk) -> None:
    first = desk.unlocking.open_document(desk.refused(), PASSWORD)
    second = desk.unlocking.open_document(desk.refused(), PASSWORD)
    assert first.id == second.id


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
    opened, is_new = desk.unlocking.add(desk.base.id, path.name, path, "1234")
    assert is_new
    assert measure_file(desk.files.path(opened.sha256), opened.name).pages == 1
