"""Entries that several machines share: each folder follows what the others put and dropped."""

from dataclasses import dataclass
from pathlib import Path

from core.documents.lifecycle.entry_store import EntryStore
from core.platform.blobs.folder import FolderBlobs


@dataclass(frozen=True, slots=True)
class Head:
    name: str


def test_an_entry_that_another_machine_dropped_leaves_nothing_here(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    blobs, folders = FolderBlobs(tmp_path / "shared"), [tmp_path / name / "trash" for name in ("one", "two")]
    one, two = (EntryStore(folder, Head, ".head.json", ".body", blobs) for folder in folders)
    one.put_body("a", b"everything")
    one.put_head("a", Head("a.txt"))
    assert (two.heads(), two.body_path("a").read_bytes()) == ([Head("a.txt")], b"everything")
    one.drop("a")
    assert two.heads() == []
    assert [*folders[1].iterdir()] == []
