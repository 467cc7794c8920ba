"""Stored files: by content, whole, never under a user's name."""

from hashlib import sha256
from pathlib import Path

import pytest

from core.documents.lifecycle import file_store as files
from core.documents.lifecycle.file_store import FileStore, display_name
from core.platform.errors import InputError
from core.platform.files.atomic_file import write_atomically


def test_a_file_is_stored_under_its_hash_once(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "files")
    first = store.save(b"content", "../../etc/passwd")
    digest = sha256(b"content").hexdigest()
    assert (first.sha256, first.size, first.path) == (digest, 7, tmp_path / "files" / digest[:2] / digest)
    assert first.path.read_bytes() == b"content"
    source = tmp_path / "other.txt"
    source.write_bytes(b"content")
    assert store.save(source, "again.txt") == first
    assert [path.name for path in (tmp_path / "files").rglob("*") if path.is_file()] == [digest]
    store.delete(digest)
    store.delete(digest)
    assert not first.path.exists()


def test_images_of_the_pages_go_with_a_file(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "files", caches=tmp_path / "cache")
    digest = store.save(b"content", "a.pdf").sha256
    page, other = (tmp_path / "cache" / "pages" / digest[:2] / f"{name}-0-480.png" for name in (digest, "b" * 64))
    for path in (page, other):
        write_atomically(path, b"image")
    store.delete(digest)
    assert (page.exists(), other.exists()) == (False, True)


def test_a_file_over_the_limit_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_MEGABYTES", 1)
    with pytest.raises(InputError, match="larger than 1 MB"):
        FileStore(tmp_path).save(b"x" * 1_000_001, "big.pdf")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("digest", ["../../../../etc/passwd", "", "a" * 63, "a/" * 32])
def test_only_hashes_name_files(tmp_path: Path, digest: str) -> None:
    with pytest.raises(ValueError, match="SHA-256"):
        FileStore(tmp_path).path(digest)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\ann\\报告 2021.docx", "报告 2021.docx"),
        ("a\x00b\n\u202egnp.exe", "abgnp.exe"),
        ("   ", "document"),
        ("", "document"),
        ("..", ".."),
        ("x" * 300 + ".pdf", "x" * 195 + "….pdf"),
        ("\ud800x.txt", "x.txt"),
    ],
)
def test_display_name(raw: str, shown: str) -> None:
    assert display_name(raw) == shown
    assert len(display_name(raw)) <= 200
