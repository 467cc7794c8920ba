"""A result as a zip: the right list is found, and a hostile zip is refused with a reason before anything is read."""

import io
import json
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from core.documents.reading import result_zip
from core.documents.reading.result_import import ResultImport
from core.documents.reading.result_zip import copy_origin, read_result
from core.platform.errors import CancelledError, InputError
from tests.fakes.parsing import Always, Never, ignore

ENTRY = {"type": "text", "text": "The gauge.", "page_idx": 0, "bbox": [1, 2, 300, 40]}
LIST = json.dumps([ENTRY])
V2 = json.dumps([[ENTRY]])


def packed(folder: Path, members: dict[str, str | bytes], name: str = "result.zip") -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, text in members.items():
            archive.writestr(member, text)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as refused:
        read_result(path, path.name)
    assert path.name in str(refused.value)
    return refused.value.key


@pytest.mark.parametrize(
    "member", ["content_list.json", "0b1c_content_list.json", "report/hybrid_auto/report_content_list.json"]
)
def test_the_v1_list_is_chosen_among_its_neighbours(tmp_path: Path, member: str) -> None:
    others = {"full.md": "# x", "0b1c_content_list_v2.json": V2, "layout.json": "{}", "a_model.json": "[]"}
    mac = {f"__MACOSX/._{Path(member).name}": "junk"}
    assert read_result(packed(tmp_path, {**others, member: LIST, **mac}), "r.zip") == [ENTRY]


def test_a_zip_of_a_4_x_server_is_read_by_its_structured_content(tmp_path: Path) -> None:
    structured = {"pages": [{"page_idx": 0, "blocks": [{"type": "text", "content": "Body."}]}]}
    path = packed(tmp_path, {"structured_content.json": json.dumps(structured), "markdown.md": ""})
    assert ResultImport().parse(path, path.name, "", Never(), ignore).blocks[0].text == "Body."


@pytest.mark.parametrize(
    ("members", "key"),
    [
        ({"a_content_list_v2.json": V2}, "mineru.result.no_list"),
        ({"a_content_list.json": "[]"}, "mineru.result.empty"),
        ({"a_content_list.json": V2}, "mineru.result.v2"),
        ({"a_content_list.json": "{"}, "mineru.result.not_json"),
        ({"structured_content.json": "{"}, "mineru.result.not_json"),
        ({"structured_content.json": "[]"}, "mineru.result.no_list"),
        ({"a_content_list.json": LIST, "b_content_list.json": LIST}, "mineru.result.several"),
        ({"a_content_list.json": LIST, "../x": ""}, "mineru.result.unsafe"),
        ({"a_content_list.json": LIST, "a/../../x": ""}, "mineru.result.unsafe"),
        ({"a_content_list.json": LIST, "..\\x": ""}, "mineru.result.unsafe"),
        ({"a_content_list.json": LIST, "/etc/x": ""}, "mineru.result.unsafe"),
        ({"a_content_list.json": LIST, "C:\\x": ""}, "mineru.result.unsafe"),
        ({"a_content_list.json": LIST, "\\\\host\\x": ""}, "mineru.result.unsafe"),
        ({"a_content_list.json": LIST, "n" * 300: ""}, "mineru.result.unsafe"),
        ({"a_content_list.json": LIST, "名" * 100: ""}, "mineru.result.unsafe"),
        ({"a_content_list.json": LIST, "bomb.json": b"\0" * 30_000_000}, "ingest.error.bomb"),
    ],
)
def test_refusals(tmp_path: Path, members: dict[str, str | bytes], key: str) -> None:
    assert refusal(packed(tmp_path, members)) == key
    assert [path.name for path in tmp_path.iterdir()] == ["result.zip"]  # nothing was written


def test_links_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "result.zip"
    link = zipfile.ZipInfo("images")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a_content_list.json", LIST)
        archive.writestr(link, "/etc")
    assert refusal(path) == "mineru.result.unsafe"


def test_encrypted_members_are_refused(tmp_path: Path) -> None:
    path = packed(tmp_path, {"a_content_list.json": LIST})
    data = bytearray(path.read_bytes())
    flags = data.index(b"PK\x01\x02") + 8
    data[flags] |= 1
    path.write_bytes(data)
    assert refusal(path) == "ingest.error.encrypted"


@pytest.mark.parametrize("cut", [30, 60, -10])
def test_a_damaged_zip_is_refused(tmp_path: Path, cut: int) -> None:
    path = packed(tmp_path, {"a_content_list.json": LIST})
    path.write_bytes(path.read_bytes()[:cut])
    assert refusal(path) == "ingest.error.damaged"


def test_a_zip_whose_packed_bytes_are_damaged_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path, {"a_content_list.json": LIST * 100})
    data = path.read_bytes()
    start = data.index(b".json") + len(b".json")
    path.write_bytes(data[:start] + b"\xff" * 9 + data[start + 9 :])
    assert refusal(path) == "ingest.error.damaged"


def test_a_member_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path, {"a_content_list.json": LIST * 100})
    data = bytearray(path.read_bytes())
    struct.pack_into("<L", data, data.index(b"PK\x01\x02") + 24, 20)
    path.write_bytes(data)
    assert refusal(path) == "ingest.error.damaged"


def test_too_many_members_too_much_content_and_a_list_that_is_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = packed(tmp_path, {"a_content_list.json": LIST, **{f"images/{n}.jpg": "x" for n in range(20)}})
    for limit, value in (("MAX_MEMBERS", 10), ("MAX_UNPACKED_BYTES", 50), ("MAX_LIST_BYTES", 10)):
        with monkeypatch.context() as patch:
            patch.setattr(result_zip, limit, value)
            with pytest.raises(InputError) as refused:
                read_result(path, path.name)
        assert refused.value.key == "ingest.error.bomb"
    monkeypatch.setattr(result_zip, "MAX_DIRECTORY_BYTES", 100)
    assert refusal(path) == "ingest.error.bomb"


def test_the_directory_of_a_64_bit_zip_is_measured_before_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "result.zip"
    record = struct.pack("<4sQHHLLQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, 10**12, 0)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, 0, 1)
    end = struct.pack("<4sHHHHLLH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    path.write_bytes(b"PK\x03\x04" + record + locator + end)
    assert refusal(path) == "ingest.error.bomb"


def test_a_stop_is_heard(tmp_path: Path) -> None:
    path = packed(tmp_path, {"a_content_list.json": LIST})
    with pytest.raises(CancelledError):
        ResultImport().parse(path, path.name, "", Always(), ignore)


def test_other_files_are_no_results(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(io.BytesIO(b"words").getvalue())
    with pytest.raises(InputError, match="no MinerU content list"):
        ResultImport().parse(path, path.name, "", Never(), ignore)


def test_the_pdf_of_a_result_is_copied_unless_it_is_too_large_or_the_zip_is_hostile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    members: dict[str, str | bytes] = {"a_content_list.json": LIST, "a_origin.pdf": b"%PDF-1.7 x", "b_layout.pdf": b"y"}
    target = tmp_path / "cache" / "origin.pdf"
    with monkeypatch.context() as patch:
        patch.setattr(result_zip, "MAX_ORIGIN_BYTES", 3)
        assert not copy_origin(packed(tmp_path, members), "r.zip", target)
    with pytest.raises(InputError):
        copy_origin(packed(tmp_path, {**members, "../evil": b"x"}), "r.zip", target)
    assert not target.exists()
    assert copy_origin(packed(tmp_path, members), "r.zip", target)
    assert target.read_bytes() == b"%PDF-1.7 x"
