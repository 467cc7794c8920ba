"""How far the files that a question was sent with have come."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.documents.lifecycle.pending_uploads import Attachments, PendingUploads, UploadQuestion
from core.documents.model import DocumentStatus, Stage, StageProgress
from core.runs.model import AttachedFile, Attachment, AttachmentStatus
from tests.fakes.library import FakeLibrary

FILE = AttachedFile("report.pdf", "f" * 64)


@pytest.fixture
def library() -> FakeLibrary:
    return FakeLibrary()


@pytest.fixture
def pending(tmp_path: Path) -> PendingUploads:
    return PendingUploads(tmp_path)


@pytest.fixture
def attachments(library: FakeLibrary, pending: PendingUploads) -> Attachments:
    return Attachments(library.documents, library.ingest_records, pending)


def test_a_document_tells_how_far_it_is_and_why_it_failed(library: FakeLibrary, attachments: Attachments) -> None:
    base = library.bases.create("Papers").id
    document, _ = library.documents.add(base, FILE.name, FILE.sha256, 9, "application/pdf")
    assert attachments.look(base, [FILE]) == (Attachment(FILE.name, AttachmentStatus.QUEUED),)
    library.documents.kept[document.id] = replace(document, status=DocumentStatus.RUNNING)
    library.ingest_records.record_stage(document.id, StageProgress(Stage.PARSE, "running", 4, 7))
    assert attachments.look(base, [FILE]) == (Attachment(FILE.name, AttachmentStatus.RUNNING, 0.4, Stage.PARSE),)
    library.ingest_records.fail(document.id, "ingest.error.encrypted", {"name": FILE.name})
    (failed,) = attachments.look(base, [FILE])
    assert (failed.status, failed.error_key) == (AttachmentStatus.FAILED, "ingest.error.encrypted")


def test_an_upload_waits_for_a_decision_or_was_not_wanted(pending: PendingUploads, attachments: Attachments) -> None:
    held = pending.hold("b", "new.md", b"# New", UploadQuestion.CHANGED)
    file = AttachedFile(held.name, held.sha256)
    assert [found.status for found in attachments.look("b", [file])] == [AttachmentStatus.UNDECIDED]
    pending.drop(held)
    assert [found.status for found in attachments.look("b", [file])] == [AttachmentStatus.GONE]
