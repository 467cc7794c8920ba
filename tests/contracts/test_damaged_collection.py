"""Chroma's own files are damaged below a collection that is too large for a copy: it is told or changes no answer."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.search.index import vector_file
from tests.contracts.collection_process import COUNT, READERS

ROOT = Path(__file__).parents[2]
_SECONDS = 100
_FLIPPED = 64


def _with_flipped(content: bytes, place: int) -> bytes:
    spoilt = bytes(byte ^ 0x40 for byte in content[place : place + _FLIPPED])
    return content[:place] + spoilt + content[place + _FLIPPED :]


HARMS: dict[str, Callable[[bytes], bytes | None]] = {
    "gone": lambda content: None,
    "emptied": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "flipped": lambda content: _with_flipped(content, len(content) // 2),
    "flipped in a vector": lambda content: _with_flipped(content, len(content) // 2 + 1_000),
    "flipped at its start": lambda content: content[:4] + bytes([content[4] ^ 0x80]) + content[5:],
    "overwritten": lambda content: (b"something else " * len(content))[: len(content)],
}
DAMAGES = {
    "chroma.sqlite3": ["gone", "cut", "flipped"],
    "data_level0.bin": ["gone", "cut", "flipped", "flipped in a vector", "overwritten"],
    "header.bin": ["gone", "cut", "flipped", "overwritten"],
    "length.bin": ["gone", "cut", "flipped"],
    "link_lists.bin": ["gone", "emptied", "flipped", "flipped at its start"],
    "index_metadata.pickle": ["gone", "cut", "flipped"],
}


def told(folder: Path, step: str) -> dict[str, Any]:
    """What another process tells, by reader."""
    command = [sys.executable, "-m", "tests.contracts.collection_process", str(folder), step]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_SECONDS, check=False)
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr}"
    return dict(json.loads(done.stdout))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A folder, and what its readers find."""
    folder = tmp_path_factory.mktemp("sound")
    found = told(folder, "rebuild")
    assert [answers["entries"] for answers in found.values()] == [COUNT] * len(READERS)
    assert COUNT > vector_file.EXACT
    return folder, {name: pytest.approx(answers, abs=0.02) for name, answers in found.items()}


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize(("name", "harm"), [(name, harm) for name, harms in DAMAGES.items() for harm in harms])
def test_a_damaged_file_of_chroma_is_told_or_changes_no_answer_and_is_repaired_by_a_rebuild(
    sound: tuple[Path, dict[str, Any]], tmp_path: Path, name: str, harm: str
) -> None:
    """A search answers as before or names the remedy; and what answers otherwise differs when it is compared."""
    folder, right = tmp_path / "damaged", sound[1]
    shutil.copytree(sound[0], folder)
    (path,) = folder.rglob(name)
    left = HARMS[harm](path.read_bytes())
    if left is None:
        path.unlink()
    else:
        path.write_bytes(left)
    found = told(folder, "ask")
    for reader, answers in found.items():
        if answers != right[reader]:
            assert not isinstance(answers, str) or "rebuild-index" in answers
            assert told(folder, "compare")[reader], f"{reader}: {answers}"
    assert told(folder, "rebuild") == right
