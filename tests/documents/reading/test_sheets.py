"""CSV files and spreadsheets: a row stays whole, and what its cells mean stands with it in every chunk."""

import io
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from core.documents.parsing.docvortex.parser import DocvortexParser
from core.documents.ports.parsing import Parsed
from core.documents.reading import sheets
from core.documents.reading.assemble import assemble
from core.documents.reading.chunk import chunk_pieces
from core.documents.reading.sheets import csv_blocks
from core.platform.errors import InputError
from tests.fakes.parsing import Never, ignore


def lines(data: bytes, delimiter: str = ",") -> list[str]:
    return "\n".join(block.text for block in csv_blocks(data, delimiter, "a.csv")).split("\n")


def chunks_of(parsed: Parsed) -> list[str]:
    return [chunk.text for chunk in chunk_pieces("d", tuple(assemble(parsed.blocks)))]


def parsed(folder: Path, name: str, data: bytes) -> Parsed:
    path = folder / name
    path.write_bytes(data)
    return DocvortexParser(folder / "work").parse(path, name, "", Never(), ignore)


def workbook(**rows: list[list[object]]) -> bytes:
    book: Any = import_module("openpyxl").Workbook()
    book.remove(book.active)
    for title, own in rows.items():
        sheet = book.create_sheet(title)
        for row in own:
            sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"name,depth\nNorth,12\n", ["name | depth", "North | 12"]),
        ("姓名;城市\n张三;北京\n".encode("gb18030"), ["姓名 | 城市", "张三 | 北京"]),
        ("name\tcity\nBjörn\tMalmö\n".encode("utf-16"), ["name | city", "Björn | Malmö"]),
        ("nom;café\nA;é\n".encode("cp1252"), ["nom | café", "A | é"]),
        (b'name,note\n"Smith, J","said ""hi""\nthen left"\n', ["name | note", 'Smith, J | said "hi" then left']),
        (b"a|b\n1|2\n", ["a | b", "1 | 2"]),
        (b"\n\nonly\nvalues\n", ["only", "values"]),
        (b"a,b\n1 | 2,3\n", ["a | b", "1 / 2 | 3"]),
    ],
)
def test_encodings_and_dialects_are_recognised(data: bytes, expected: list[str]) -> None:
    assert lines(data) == expected


def test_every_chunk_of_a_long_table_begins_with_its_header_and_no_row_is_cut(tmp_path: Path) -> None:
    rows = [f"Station {number},{number * 7},a remark on station {number}" for number in range(500)]
    found = chunks_of(parsed(tmp_path, "a.csv", "\n".join(["name,depth,remark", *rows]).encode()))
    assert len(found) > 10
    assert all(text.startswith("name | depth | remark\n") for text in found)
    told = [line for text in found for line in text.split("\n")[1:]]
    assert told == [row.replace(",", " | ") for row in rows]


def test_names_of_very_wide_tables_stand_at_the_values() -> None:
    header = [f"a column with a long name number {number}" for number in range(20)]
    data = "\n".join([",".join(header), ",".join(["7", "", *["8"] * 18])]).encode()
    [line] = lines(data)
    assert line.startswith("a column with a long name number 0: 7 | a column with a long name number 2: 8")


def test_sheets_of_a_workbook_are_sections_and_keep_their_headers(tmp_path: Path) -> None:
    stations: list[list[object]] = [["Name", "Depth"], *([f"Station {n}", n * 3] for n in range(200))]
    data = workbook(Stations=stations, Fees=[["Item", "Price"], ["Boat", 3]])
    found = chunk_pieces("d", tuple(assemble(parsed(tmp_path, "a.xlsx", data).blocks)))
    assert {chunk.section for chunk in found} == {("Stations",), ("Fees",)}
    assert all("Name | Depth" in chunk.text for chunk in found if chunk.section == ("Stations",))
    assert sum(f"Station {n} | {n * 3}" in "\n".join(c.text for c in found).split("\n") for n in range(200)) == 200


def test_more_rows_than_a_document_can_hold_are_refused_and_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "MAX_ROWS", 3)
    with pytest.raises(InputError) as refused:
        lines(b"a,b\n1,2\n3,4\n5,6\n")
    assert refused.value.key == "ingest.error.too_many_rows"


def test_cells_without_end_are_refused() -> None:
    with pytest.raises(InputError):
        lines(b'a,b\n"' + b"x" * 1_100_000 + b'",2\n')
