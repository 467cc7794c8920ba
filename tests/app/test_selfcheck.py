"""The start-up self-check: each finding is a sentence, what is wrong names the remedy, nothing is left behind."""

import sqlite3
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from core.app import selfcheck
from core.app.selfcheck import (
    check,
    check_folder,
    check_libraries,
    check_python,
    check_sqlite,
    check_write_ahead_log,
    numbers,
    problems,
)
from core.platform.settings.settings import QUEUE_FILE, SQL_FILE, load_settings


def test_this_machine_is_fine_and_its_folder_stays_empty(data_folder: Path) -> None:
    findings = check(load_settings())
    assert all(finding.ok and finding.sentence for finding in findings)
    assert list(data_folder.iterdir()) == []
    assert problems(load_settings()) == []


@pytest.mark.parametrize(("found", "ok"), [((3, 11, 0), True), ((3, 14, 1), True), ((3, 10, 9), False)])
def test_an_old_python_is_named_with_the_one_needed(found: tuple[int, ...], ok: bool) -> None:
    finding = check_python(found)
    assert finding.ok is ok
    assert ok or "3.11" in finding.sentence


@pytest.mark.parametrize(("found", "ok"), [("3.35.0", True), ("3.40.1", True), ("3.34.9", False), ("3.9", False)])
def test_an_old_sqlite_is_named_with_the_remedy(found: str, ok: bool) -> None:
    finding = check_sqlite(found)
    assert finding.ok is ok
    assert ok or "DATABASE_URL" in finding.sentence


def test_a_folder_that_cannot_be_made_is_a_finding(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    finding = check_folder(blocked / "data")
    assert not finding.ok
    assert "GRAPHTALK_DATA" in finding.sentence
    assert "GRAPHTALK_DATA" in finding.sentence_in("zh-hans")


def test_a_folder_that_refuses_the_write_ahead_log_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Refusing:
        def execute(self, statement: str) -> object:
            raise sqlite3.OperationalError("locking protocol")

        def close(self) -> None: ...

    monkeypatch.setattr("core.app.selfcheck.sqlite3.connect", lambda path: Refusing())
    finding = check_write_ahead_log(tmp_path)
    assert not finding.ok
    assert "local disk" in finding.sentence


def test_a_missing_library_and_an_old_one_are_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        if name == "chromadb":
            raise PackageNotFoundError(name)
        return "0.1"

    monkeypatch.setattr(selfcheck, "version", version)
    findings = list(check_libraries())
    assert not any(finding.ok for finding in findings)
    sentences = [finding.sentence for finding in findings]
    assert "chromadb is not installed. Reinstall GraphTalk (in a source checkout: “make setup”)." in sentences
    assert any("streamlit 0.1 is older than 1.67" in sentence for sentence in sentences)


@pytest.mark.parametrize(
    ("release", "expected"), [("1.2.3", (1, 2, 3)), ("2.1.0rc1", (2, 1, 0)), ("1.67.0.dev2", (1, 67, 0)), ("x", ())]
)
def test_versions_are_compared_by_their_leading_numbers(release: str, expected: tuple[int, ...]) -> None:
    assert numbers(release) == expected


@pytest.mark.parametrize(("name", "remedy"), [(SQL_FILE, "graphtalk restore"), (QUEUE_FILE, "no document is lost")])
@pytest.mark.parametrize("thorough", [False, True])
def test_damage_inside_a_database_is_found_and_told(data_folder: Path, name: str, remedy: str, thorough: bool) -> None:
    data_folder.mkdir()
    file = data_folder / name
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE notes (text)")
        connection.executemany("INSERT INTO notes VALUES (?)", [("x" * 1000,)] * 100)
    assert problems(load_settings()) == []
    raw = bytearray(file.read_bytes())
    raw[4096 * 3 : 4096 * 5] = b"\xa5" * 4096 * 2
    file.write_bytes(raw)
    (finding,) = [finding for finding in check(load_settings(), thorough) if not finding.ok]
    assert remedy in finding.sentence


def test_too_little_space_is_told(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.platform.files.disk.RESERVE_MEGABYTES", 10**9)
    (finding,) = problems(load_settings())
    assert "Free some space" in finding.sentence
