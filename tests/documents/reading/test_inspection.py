"""Cheap checks: what a file is by its content, and a sentence with a remedy for each that cannot be read."""

import io
import zipfile
from pathlib import Path

import pytest

from core.documents.reading import inspection as inspect
from core.documents.reading.inspection import PageFacts, check_pages, check_text_layer, inspect_file
from core.platform.errors import InputError

PDF = b"%PDF-1.7\n..."
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 50
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600


def package(**members: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "/"), text)
    return buffer.getvalue()


DOCX = package(**{"[Content_Types].xml": "", "word__document.xml": "<x/>"})
XLSX = package(**{"[Content_Types].xml": "", "xl__workbook.xml": "<x/>"})
EPUB = package(mimetype="application/epub+zip", a="")


def stored(folder: Path, data: bytes) -> Path:
    path = folder / "file"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("name", "data", "suffix"),
    [
        ("a.pdf", PDF, "pdf"),
        ("a.pdf", b"junk before\n" + PDF, "pdf"),
        ("no ending", PDF, "pdf"),
        ("A.DOCX", DOCX, "docx"),
        ("a.xlsx", XLSX, "xlsx"),
        ("a.epub", EPUB, "epub"),
        ("a.doc", OLE + "WordDocument".encode("utf-16-le"), "doc"),
        ("a.xls", OLE + "WordDocument Workbook".encode("utf-16-le"), "xls"),
        ("a.rtf", b"{\\rtf1 x}", "rtf"),
        ("a.md", b"# title", "md"),
        ("a.txt", "知识".encode("gb18030"), "txt"),
        ("a.csv", b"a,b\n1,2", "csv"),
        ("a.html", b"<p>fragment</p>", "html"),
        ("page", b"<!DOCTYPE html><html></html>", "html"),
        ("script.py", b"print(1)", "txt"),
        ("a.txt", "text".encode("utf-16"), "txt"),
        ("a.png", PNG, "png"),
        ("a.JPEG", b"\xff\xd8\xff\xe0" + b"\0" * 20, "jpg"),
        ("a.webp", b"RIFF1234WEBP", "webp"),
        ("result.zip", package(**{"full.md": "", "x_content_list.json": "[]"}), "zip"),
        ("report", package(**{"a/hybrid_auto/content_list.json": "[]"}), "zip"),
        ("x_content_list.json", b"[]", "json"),
        ("renamed.json", b'[{"type": "text", "page_idx": 0}]', "json"),
        ("other.json", b'[{"kind": 1}]', "txt"),
        ("x_content_list_v2.json", b'[[{"kind": 1}]]', "txt"),
    ],
)
def test_formats_by_content(tmp_path: Path, name: str, data: bytes, suffix: str) -> None:
    assert inspect_file(stored(tmp_path, data), name).suffix == suffix


@pytest.mark.parametrize(
    ("name", "data", "key"),
    [
        ("a.pdf", b"", "empty"),
        ("a.pdf", b"plain words", "mislabelled"),
        ("a.txt", PDF, "mislabelled"),
        ("a.docx", XLSX, "mislabelled"),
        ("a.pdf", DOCX, "mislabelled"),
        ("a.pdf", PNG, "mislabelled"),
        ("a.docx", package(**{"x_content_list.json": "[]"}), "mislabelled"),
        ("a.zip", package(**{"x_content_list_v2.json": "[]"}), "archive"),
        ("a.zip", package(a="x"), "archive"),
        ("a.docx", b"PK\x03\x04 not a zip", "damaged"),
        ("a.docx", OLE + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
        ("a.bin", bytes(range(256)) * 20, "unsupported"),
        ("a.md", b"# Mill\0 of 1820", "not_text"),
        ("a.pdf", bytes(range(256)) * 20, "wrong_content"),
        ("a.JPEG", bytes(range(256)) * 20, "wrong_content"),
        ("a.doc", OLE, "wrong_content"),
        ("unnamed", OLE, "unsupported"),
    ],
)
def test_refusals(tmp_path: Path, name: str, data: bytes, key: str) -> None:
    with pytest.raises(InputError) as refused:
        inspect_file(stored(tmp_path, data), name)
    assert refused.value.key == f"ingest.error.{key}"
    assert name in str(refused.value)
    assert refused.value.sentence("zh-hans") != str(refused.value)


def test_a_package_that_would_unpack_to_too_much_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "")
        archive.writestr("word/document.xml", b"\0" * 3_000_000)
    monkeypatch.setattr(inspect, "MAX_UNPACKED_BYTES", 2_000_000)
    with pytest.raises(InputError, match="unpack"):
        inspect_file(stored(tmp_path, buffer.getvalue()), "bomb.docx")


def test_a_package_with_encrypted_members_is_refused(tmp_path: Path) -> None:
    data = DOCX.replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00")
    assert data != DOCX
    with pytest.raises(InputError, match="password"):
        inspect_file(stored(tmp_path, data), "a.docx")


def test_size_and_page_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspect, "MAX_MEGABYTES", 0)
    with pytest.raises(InputError, match="larger than 0 MB"):
        inspect_file(stored(tmp_path, PDF), "a.pdf")
    check_pages(2000, "a.pdf")
    with pytest.raises(InputError, match="2001 pages"):
        check_pages(2001, "a.pdf")
    with pytest.raises(InputError, match="damaged"):
        check_pages(0, "a.pdf")


TEXT, SCAN, BLANK = PageFacts(900, 0, False), PageFacts(0, 0, True), PageFacts(0, 0, False)


@pytest.mark.parametrize(
    ("pages", "key"),
    [
        ([SCAN, SCAN], "scanned"),
        ([SCAN, PageFacts(5, 0, True)], "scanned"),
        ([BLANK], "no_text"),
        ([PageFacts(900, 700, False)], "garbled"),
    ],
)
def test_pages_nobody_can_read(pages: list[PageFacts], key: str) -> None:
    with pytest.raises(InputError) as refused:
        check_text_layer(pages, "a.pdf")
    assert refused.value.key == f"ingest.error.{key}"


def test_pages_with_text_pass_and_scanned_ones_among_them_are_told() -> None:
    assert check_text_layer([TEXT, BLANK], "a.pdf") == ()
    assert check_text_layer([PageFacts(5, 0, False)], "a.pdf") == ()
    assert check_text_layer([TEXT, SCAN], "a.pdf") == ("ingest.note.some_pages_scanned",)


def test_more_text_than_can_be_read_is_refused_before_work_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspect, "MAX_CHARACTERS", 1_000_000)
    with pytest.raises(InputError, match="more than 1 million characters"):
        inspect_file(stored(tmp_path, b"word " * 1_000_000), "a.txt")
    with pytest.raises(InputError, match="Split it"):
        inspect.check_extent(1, 1_000_001, "a.docx")
    with pytest.raises(InputError, match="100001 pages"):
        inspect.check_extent(100_001, 1, "a_content_list.json")
    inspect.check_extent(2000, 1_000_000, "a.pdf")
