"""Edits as a file: they come back the same in another base, and hostile files are refused."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from core.graph.edits import EditedEntity, EditKind, GraphEdit, LoggedEdit
from core.graph.files.json_files import MAX_LABEL, edit_rows, read_edits
from core.graph.naming import entity_id
from core.platform.errors import InputError
from pages.components.graph.tables import ROWS

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
KELP = EditedEntity(entity_id("one", "KelpNet", "CONCEPT"), "Kelp Net", "TECHNOLOGY", "KelpNet", "CONCEPT")
LUMEN = EditedEntity(entity_id("one", "Lumen", "CONCEPT"), "Lumen", "CONCEPT", "Lumen", "CONCEPT")
LOG = [
    LoggedEdit(2, 1, NOON, GraphEdit(EditKind.MERGE, (KELP, LUMEN)), undone=True),
    LoggedEdit(3, 3, NOON, GraphEdit(EditKind.REJECT, (KELP, LUMEN), chunk_id="c")),
    LoggedEdit(1, 1, NOON, GraphEdit(EditKind.RENAME, (KELP,), "Kelp Net")),
]


def row(**changes: object) -> dict[str, Any]:
    given: dict[str, Any] = {"time": NOON.isoformat(), "kind": "alias", "text": "Kelp"}
    return given | {"entities": [{"name": "KelpNet", "type": "CONCEPT"}]} | changes


def test_edits_name_entities_as_documents_do_and_find_them_in_another_base() -> None:
    written = json.dumps(list(edit_rows(LOG))).encode()
    renamed, merged, rejected = read_edits(written, "two")
    assert (renamed.edit.kind, renamed.edit.text, renamed.undone) == (EditKind.RENAME, "Kelp Net", False)
    assert (merged.edit.kind, merged.batch, merged.undone, merged.made_at) == (EditKind.MERGE, 1, True, NOON)
    assert [entity.id for entity in merged.edit.entities] == [
        entity_id("two", name, "CONCEPT") for name in ("KelpNet", "Lumen")
    ]
    assert merged.edit.entities[0].name == "Kelp Net"
    assert (rejected.edit.kind, rejected.edit.chunk_id) == (EditKind.REJECT, "c")


def test_an_edit_of_all_rows_of_a_table_comes_back_and_so_does_the_longest_name_of_an_imported_graph() -> None:
    longest = "x" * MAX_LABEL
    many = tuple(EditedEntity(f"e{number}", str(number), longest, str(number), longest) for number in range(ROWS))
    logged = [
        LoggedEdit(1, 1, NOON, GraphEdit(EditKind.DELETE, many)),
        LoggedEdit(2, 2, NOON, GraphEdit(EditKind.DENY, (KELP, LUMEN), longest)),
    ]
    deleted, denied = read_edits(json.dumps(list(edit_rows(logged))).encode(), "two")
    assert [entity.found_name for entity in deleted.edit.entities] == [str(number) for number in range(ROWS)]
    assert denied.edit.text == longest


@pytest.mark.parametrize(
    "given",
    [
        "no row",
        row(kind="explode"),
        row(kind="reject", text=""),
        row(kind="reject", text="", entities=[{"name": "a", "type": "X"}, {"name": "b", "type": "X"}]),
        row(kind="reject", text="", passage=["c"], entities=[{"name": "a", "type": "X"}, {"name": "b", "type": "X"}]),
        row(passage="c"),
        row(kind="merge", text=""),
        row(time="yesterday"),
        row(time="2026-11-20T12:00:00"),
        row(text=""),
        row(text=7),
        row(text="x" * 301),
        row(text=" "),
        row(kind="rename", text="\u200b"),
        row(entities=[]),
        row(entities="ab"),
        row(entities=[{"name": "x" * 301, "type": "CONCEPT"}]),
        row(entities=[{"name": "x"}]),
        row(batch="one"),
    ],
)
def test_a_row_that_is_no_edit_is_refused_by_its_number(given: object) -> None:
    with pytest.raises(InputError, match="Row 2"):
        read_edits(json.dumps([row(), given]).encode(), "two")


@pytest.mark.parametrize("data", [b"[" * 100_000, b"{}", b"\xff\xfe", b"[1"])
def test_a_file_that_is_no_list_is_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        read_edits(data, "two")
