"""What every DocumentParser must do, run on the embedded one with made and with real documents."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pypdfium2
import pytest

from core.documents.parsing.docvortex import parser as docvortex_parser
from core.documents.parsing.docvortex.parser import MODULE, DocvortexParser
from core.documents.ports.parsing import DocumentParser, Parsed, SourceFile
from core.platform.errors import AppError, CancelledError, InputError, ServiceError, attempted
from core.platform.processes.isolated_process import WarmChildren
from tests.documents import made_files
from tests.fakes.parsing import Always, Never, ignore

TYPES = {
    "text", "list", "index", "table", "chart", "image", "code", "equation", "ref_text", "header", "footer",
    "page_number", "aside_text", "page_footnote",
}  # fmt: skip


@pytest.fixture
def parser(tmp_path: Path) -> DocumentParser:
    return DocvortexParser(tmp_path / "work")


def parsed(parser: DocumentParser, path: Path) -> Parsed:
    result = parser.parse(path, path.name, "", Never(), ignore)
    assert_sound(result)
    return result


def made(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def assert_sound(result: Parsed) -> None:
    assert result.blocks
    assert result.parser
    assert [block.index for block in result.blocks] == list(range(len(result.blocks)))
    for block in result.blocks:
        assert block.type in TYPES or block.type.endswith(("_caption", "_footnote")), block.type
        assert 0 <= block.page < max(1, result.pages)
        assert 0 <= block.level <= 6
        block.text.encode()  # no lone surrogates
        if block.box:
            left, top, right, bottom = block.box
            assert 0 <= left < right <= 1000
            assert 0 <= top < bottom <= 1000


def texts(result: Parsed, *types: str) -> list[str]:
    return [block.text for block in result.blocks if not types or block.type in types]


def headings(result: Parsed) -> list[tuple[int, str]]:
    return [(block.level, block.text) for block in result.blocks if block.level]


def test_a_pdf_in_two_columns(parser: DocumentParser, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    path = made(tmp_path, "report.pdf", made_files.report(26))
    result = parser.parse(path, path.name, "", Never(), lambda done, total: seen.append((done, total)))
    assert_sound(result)
    assert (result.pages, result.title, result.notes) == (26, "Report on Tide Gauges", ())
    assert headings(result)[:2] == [(1, "Report on Tide Gauges"), (2, "1 Pier")]
    assert len(headings(result)) == 27
    for page in (0, 25):
        body = [block for block in result.blocks if block.page == page and "column of" in block.text]
        assert [block.text.split()[0] for block in body] == ["Left", "Right"]  # in reading order
        assert all(block.box for block in body)
        assert body[0].box[2] < body[1].box[0]  # type: ignore[index]
    assert len(texts(result, "page_number")) == 26
    assert seen == sorted(seen)
    assert {(0, 26), (4, 26), (24, 26), (26, 26)} < set(seen)
    assert list((tmp_path / "work").iterdir()) == []


def test_a_chinese_pdf(parser: DocumentParser, tmp_path: Path) -> None:
    result = parsed(parser, made(tmp_path, "潮位.pdf", made_files.chinese()))
    assert headings(result) == [(2, "第一章 潮位观测")]
    assert any("每六分钟记录一次水位，数据经无线电" in text for text in texts(result))


def test_word(parser: DocumentParser, tmp_path: Path) -> None:
    result = parsed(parser, made(tmp_path, "a.docx", made_files.docx()))
    assert headings(result) == [(1, "Handbook"), (2, "Watch"), (3, "Night watch")]
    assert texts(result, "list") == ["- bring a lamp"]
    assert texts(result, "table")[0].split("\n")[1] == "r1c0 | r1c1 | r1c2"
    assert result.pages == 0


@pytest.mark.parametrize(
    ("name", "data", "pages", "found"),
    [
        ("a.xlsx", made_files.xlsx, 0, "Name | Depth\nNorth | 12\nSouth | 7"),
        ("a.pptx", made_files.pptx, 2, "Slide title 2"),
        ("a.epub", made_files.epub, 0, "Chapter of tides"),
        ("a.html", lambda: made_files.HTML, 0, "A | B\n1 | 2\n1 | 3"),
        ("deep.html", lambda: b"<div>" * 5_000 + b"<p>Read in 1998.</p>" + b"</div>" * 5_000, 0, "Read in 1998."),
        ("a.csv", lambda: made_files.CSV, 0, "name | depth\nNorth | 12\n南站 | 7"),
        ("a.md", lambda: b"# Title\n\nWords.", 0, "Title"),
        ("a.txt", lambda: "潮位观测站".encode("gb18030"), 0, "潮位观测站"),
    ],
)
def test_other_formats(
    parser: DocumentParser, tmp_path: Path, name: str, data: Callable[[], bytes], pages: int, found: str
) -> None:
    result = parsed(parser, made(tmp_path, name, data()))
    assert result.pages == pages
    assert found in texts(result)
    assert not any("steal" in text or "root:" in text for text in texts(result))


@pytest.mark.parametrize(
    ("name", "data", "key"),
    [
        ("empty.pdf", lambda: b"", "empty"),
        ("secret.pdf", made_files.encrypted, "encrypted"),
        ("scan.pdf", made_files.scan, "no_text"),
        ("blank.pdf", made_files.blank, "no_text"),
        ("broken.pdf", lambda: made_files.report(1)[:700], "damaged"),
        ("really-text.pdf", lambda: b"just words", "mislabelled"),
        ("broken.docx", lambda: made_files.docx().replace(b"word/document.xml", b"word/elsewhere.x"), "damaged"),
        ("spaces.txt", lambda: b"  \n \n", "no_text"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_remedy(
    parser: DocumentParser, tmp_path: Path, name: str, data: Callable[[], bytes], key: str
) -> None:
    with pytest.raises(InputError) as refused:
        parsed(parser, made(tmp_path, name, data()))
    assert refused.value.key == f"ingest.error.{key}"
    assert name in refused.value.sentence("en")
    assert list((tmp_path / "work").glob("*")) == []


def test_short_texts_are_read_together_as_one_by_one(tmp_path: Path) -> None:
    children = WarmChildren(MODULE)
    grouping = DocvortexParser(tmp_path / "work", texts=children)
    paths = [
        made(tmp_path, "a.txt", "Tides\n\nThe tide is high.".encode("utf-16")),
        made(tmp_path, "b.md", b"# Tides\n\nThe tide at *North*."),
        made(tmp_path, "empty.txt", b" \n"),
        made(tmp_path, "false.txt", b"\x00\x01\x02" * 100),
        made(tmp_path, "c.csv", b"place,metres\nNorth,4.2\n"),
    ]
    try:
        found = grouping.parse_together([SourceFile(path, path.name, "") for path in paths])
        expected = [attempted(partial(parsed, grouping, path)) for path in paths]
    finally:
        children.stop()
    assert [isinstance(each, Parsed) for each in found] == [True, True, False, False, True]
    assert [each if isinstance(each, Parsed) else str(each) for each in found] == [
        each if isinstance(each, Parsed) else str(each) for each in expected
    ]
    assert not list((tmp_path / "work").glob("parse-*"))


def test_cancelling_ends_the_parser(parser: DocumentParser, tmp_path: Path) -> None:
    path = made(tmp_path, "report.pdf", made_files.report(3))
    with pytest.raises(CancelledError):
        parser.parse(path, path.name, "", Always(), ignore)


def test_a_parser_without_progress_is_stopped(
    parser: DocumentParser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docvortex_parser, "_SILENT_SECONDS", 0)
    with pytest.raises(ServiceError, match="no progress"):
        parsed(parser, made(tmp_path, "report.pdf", made_files.report(3)))


REFUSED = {
    "encrypted_password_1234.pdf": "encrypted",
    "malformed_corrupted.pdf": "damaged",
}
READ = {
    "zh_tables_standard.pdf": "公路技术等级 | 公路技术等级 | 车道数 | 车道数 | 用地指标基准值 | 编制条件 | 编制条件",
    "en_dense_table.pdf": "Alabama | ",
    "zh_scan_with_ocr_layer_tables.pdf": "上海证券交易所",
}


def first_page(path: Path, folder: Path) -> Path:
    """A file with it alone: reading a page by OCR takes ten seconds."""
    with pypdfium2.PdfDocument(path) as whole, pypdfium2.PdfDocument.new() as first:  # type: ignore[no-untyped-call]
        first.import_pages(whole, [0])
        first.save(folder / path.name)
    return folder / path.name


@pytest.mark.parametrize("name", REFUSED)
def test_real_files_that_cannot_be_read(parser: DocumentParser, shared_data: Path, name: str) -> None:
    with pytest.raises(AppError) as refused:
        parsed(parser, shared_data / "pdfs" / name)
    assert refused.value.key == f"ingest.error.{REFUSED[name]}"


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if "scan" in name else ()) for name in READ]
)
def test_real_files(parser: DocumentParser, shared_data: Path, tmp_path: Path, name: str) -> None:
    path = shared_data / "pdfs" / name
    result = parsed(parser, first_page(path, tmp_path) if "scan" in name else path)
    assert READ[name] in "\n".join(texts(result))
    assert ("ingest.note.recognised" in result.notes) == ("ocr_layer" in name)
