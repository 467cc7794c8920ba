"""Child processes for hostile files: limited, without keys, gone when told and when their parent goes."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from core.documents.parsing.docvortex import parser as docvortex_parser
from core.documents.parsing.docvortex.parser import DocvortexParser
from core.platform.errors import ReadingEndedError
from core.platform.processes.isolated_process import ChildEndedError, Isolated
from tests.fakes.parsing import Never, ignore

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits and process groups of POSIX")
_SECONDS = 30


class Children:
    def __init__(self) -> None:
        self.started: list[Isolated] = []

    def start(self, way: str) -> Isolated:
        self.started.append(Isolated("tests.platform.stubborn_child", [way]))
        return self.started[-1]


@pytest.fixture
def children() -> Iterator[Children]:
    made = Children()
    yield made
    for child in made.started:
        child.stop()


def is_running(process_id: int) -> bool:
    try:
        state = Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def assert_gone(process_ids: list[int]) -> None:
    deadline = time.monotonic() + _SECONDS
    while any(is_running(process_id) for process_id in process_ids):
        assert time.monotonic() < deadline, "still running"
        time.sleep(0.02)


def test_the_environment_of_a_child_holds_no_keys(children: Children, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    message = children.start("keys").receive(_SECONDS)
    assert message is not None
    assert not any("KEY" in name or "TOKEN" in name for name in cast(list[str], message["names"]))


@pytest.mark.parametrize("way", ["crash", "garbage", "loop"])
def test_a_child_that_breaks_or_runs_out_of_time_ends(children: Children, way: str) -> None:
    with pytest.raises(ChildEndedError):
        children.start(way).receive(_SECONDS)


def test_memory_is_limited(children: Children) -> None:
    assert children.start("hoard").receive(_SECONDS) == {"refused": True}


def test_silence_is_not_an_end(children: Children) -> None:
    child = children.start("linger")
    assert child.receive(_SECONDS) is not None
    assert child.receive(0.01) is None


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
def test_stopping_a_child_takes_its_own_children_along(children: Children) -> None:
    child = children.start("linger")
    message = child.receive(_SECONDS)
    assert message is not None
    child.stop()
    assert_gone(cast(list[int], message["pids"]))


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
def test_a_child_dies_with_its_parent(children: Children) -> None:
    parent = children.start("parent")
    message = parent.receive(_SECONDS)
    assert message is not None
    os.kill(parent.process.pid, signal.SIGKILL)
    assert_gone(cast(list[int], message["pids"]))


@pytest.mark.parametrize(
    ("way", "sentence"), [("crash", r"Reading a\.txt failed"), ("killed", r"a\.txt was ended by the system")]
)
def test_a_parser_that_breaks_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, sentence: str
) -> None:
    def broken(module: str, arguments: object, log: object) -> Isolated:
        return Isolated("tests.platform.stubborn_child", [way])

    monkeypatch.setattr(docvortex_parser, "Isolated", broken)
    path = tmp_path / "a.txt"
    path.write_text("words")
    with pytest.raises(ReadingEndedError, match=sentence):
        DocvortexParser(tmp_path / "work").parse(path, "a.txt", "", Never(), ignore)
