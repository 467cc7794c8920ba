"""Uploads that wait for an answer outlive the process, and not for ever."""

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.documents.lifecycle.pending_uploads import DAYS, PendingUploads, UploadQuestion
from core.documents.model import Effort

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.fixture
def uploads(tmp_path: Path) -> PendingUploads:
    return PendingUploads(tmp_path, lambda: NOW)


def test_what_waits_is_there_after_a_restart_with_its_question(uploads: PendingUploads, tmp_path: Path) -> None:
    held = uploads.hold("b1", "../a.pdf", b"bytes", UploadQuestion.CHANGED, "mineru-cloud")
    asked = replace(held, question=UploadQuestion.START, replaces="d1", effort=Effort(24, 98, 12, 4_000, 800, 90.0))
    uploads.ask(asked)
    reopened = PendingUploads(tmp_path)
    assert reopened.entries("b1") == [asked]
    assert reopened.entries("b2") == []
    assert reopened.path(asked).read_bytes() == b"bytes"
    assert {path.parent for path in tmp_path.rglob("*")} == {tmp_path}


def test_the_same_file_waits_once_and_another_content_beside_it(uploads: PendingUploads) -> None:
    for data in (b"one", b"one", b"two"):
        uploads.hold("b1", "a.pdf", data, UploadQuestion.START)
    assert sorted(held.size for held in uploads.entries("b1")) == [3, 3]
    assert len({held.id for held in uploads.entries("b1")}) == 2


def test_what_is_dropped_leaves_nothing(uploads: PendingUploads, tmp_path: Path) -> None:
    held = uploads.hold("b1", "a.pdf", b"one", UploadQuestion.START)
    uploads.drop(held)
    uploads.drop(held)
    assert uploads.entries("b1") == []
    assert list(tmp_path.iterdir()) == []


def test_what_is_damaged_is_not_listed(uploads: PendingUploads, tmp_path: Path) -> None:
    no_head, no_bytes, good = (
        uploads.hold("b1", name, name.encode(), UploadQuestion.START) for name in ("a.pdf", "b.pdf", "c.pdf")
    )
    (tmp_path / f"{no_head.id}.json").write_text('{"id": 3', encoding="utf-8")
    uploads.path(no_bytes).unlink()
    assert uploads.entries("b1") == [good]


def test_after_some_days_what_nobody_answered_goes(uploads: PendingUploads, tmp_path: Path) -> None:
    old = uploads.hold("b1", "old.pdf", b"old", UploadQuestion.START)
    new = uploads.hold("b1", "new.pdf", b"new", UploadQuestion.START)
    (tmp_path / "half.tmp").write_bytes(b"x")
    for path in tmp_path.iterdir():
        days = timedelta(days=DAYS + 1) if path.stem in (old.id, "half") else timedelta(0)
        os.utime(path, times=((NOW - days).timestamp(),) * 2)
    uploads.expire(NOW)
    assert uploads.entries("b1") == [new]
    assert {path.stem for path in tmp_path.iterdir()} == {new.id}
