"""Plain text is read by a child that goes on to the next file, with what a child of its own would have read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.documents.parsing.docvortex.parser import TEXT_MODULE, DocvortexParser
from core.platform.errors import CancelledError, InputError
from core.platform.processes.isolated_process import WarmChildren
from tests.fakes.parsing import Always, Never, ignore

FILES = {
    "note.txt": "Reservoirs\n\nMaria Lindqvist leads the board.",
    "page.md": "# Title\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    "table.csv": "name,depth\nNorthmere,12\n",
    "表.tsv": "名称\t深度\n润禾\t3\n",
}


@pytest.fixture
def children() -> Iterator[WarmChildren]:
    made = WarmChildren(TEXT_MODULE)
    yield made
    made.stop()


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    found = [tmp_path / name for name in FILES]
    for path in found:
        path.write_text(FILES[path.name], encoding="utf-8")
    return found


def process_of(children: WarmChildren) -> int:
    (child,) = children._idle
    return child.process.pid


def test_one_child_reads_many_files_as_children_of_their_own_would(
    tmp_path: Path, children: WarmChildren, paths: list[Path]
) -> None:
    warm, plain = DocvortexParser(tmp_path / "work", texts=children), DocvortexParser(tmp_path / "other")
    used = set()
    for path in paths:
        read = warm.parse(path, path.name, "", Never(), ignore)
        used.add(process_of(children))
        assert read == plain.parse(path, path.name, "", Never(), ignore)
    assert len(used) == 1
    assert not list((tmp_path / "work").iterdir())


def test_a_file_that_is_refused_does_not_spoil_the_next(
    tmp_path: Path, children: WarmChildren, paths: list[Path]
) -> None:
    parser = DocvortexParser(tmp_path / "work", texts=children)
    empty = tmp_path / "empty.txt"
    empty.write_text(" \n ")
    with pytest.raises(InputError):
        parser.parse(empty, "empty.txt", "", Never(), ignore)
    assert parser.parse(paths[0], "note.txt", "", Never(), ignore).blocks


def test_a_child_that_ended_while_it_waited_is_replaced(
    tmp_path: Path, children: WarmChildren, paths: list[Path]
) -> None:
    parser = DocvortexParser(tmp_path / "work", texts=children)
    parser.parse(paths[0], "note.txt", "", Never(), ignore)
    before = process_of(children)
    children._idle[0].process.kill()
    assert parser.parse(paths[1], "page.md", "", Never(), ignore).blocks
    assert process_of(children) != before


def test_cancelling_ends_the_child(tmp_path: Path, children: WarmChildren, paths: list[Path]) -> None:
    parser = DocvortexParser(tmp_path / "work", texts=children)
    with pytest.raises(CancelledError):
        parser.parse(paths[0], "note.txt", "", Always(), ignore)
    assert children._idle == []
