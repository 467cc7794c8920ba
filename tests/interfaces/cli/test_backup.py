"""A backup holds everything that cannot be made anew, whoever writes meanwhile, and fills an empty folder again."""

import errno
import json
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from core.app import backup
from core.app.backup import MANIFEST, restore_backup, write_backup
from core.app.services import Services
from core.interfaces.cli import backups
from core.platform.errors import AppError
from core.platform.files.file_lock import try_lock
from core.platform.settings.settings import SQL_FILE, Settings, load_settings
from tests.interfaces.cli.test_command_line import ROOT, graphtalk
from tests.store.samples import publication


def _tables(data: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row; vectors are derived and made anew."""
    with sqlite3.connect(data / SQL_FILE) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: sorted(connection.execute(f'SELECT * FROM "{name}"').fetchall(), key=repr)
            for name in names
            if name not in ("entry_vectors", "sqlite_sequence")
        }


@pytest.mark.timeout(300)
def test_a_backup_restored_into_an_empty_folder_answers_as_before(
    tmp_path: Path, sample_library: Callable[[Path], None]
) -> None:
    data, again = tmp_path / "data", tmp_path / "again"
    sample_library(data)
    (data / "settings.json").write_text('{"MAX_SECONDS": "99"}')
    done = graphtalk(data, "backup", str(tmp_path / "all.zip"))
    assert done.returncode == 0, done.stderr
    assert stat.S_IMODE((tmp_path / "all.zip").stat().st_mode) == 0o600
    restored = graphtalk(again, "restore", str(tmp_path / "all.zip"))
    assert restored.returncode == 0, restored.stderr
    assert _tables(again) == _tables(data)
    assert load_settings(again).max_seconds == 99
    found = graphtalk(again, "retrieve", "working group", "--json")
    assert json.loads(found.stdout), found.stderr
    with Services(load_settings(again)) as services:
        for document in services.library.documents.of_base(services.library.bases.all()[0].id):
            assert services.storage.files.path(document.sha256).is_file()


def test_a_backup_made_while_somebody_writes_holds_one_state(data_folder: Path, tmp_path: Path) -> None:
    """Every thread has its two messages or is not there at all."""
    with Services(load_settings()) as services:
        engine, stop = services.storage.engine, threading.Event()
        with engine.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE pairs (number INTEGER, half INTEGER)")

        def write() -> None:
            number = 0
            while not stop.is_set():
                number += 1
                with engine.connect().execution_options(graphtalk_writes=True) as connection, connection.begin():
                    for half in (1, 2):
                        connection.exec_driver_sql("INSERT INTO pairs VALUES (?, ?)", (number, half))

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for turn in range(5):
                write_backup(services.settings, tmp_path / f"{turn}.zip")
        finally:
            stop.set()
            writer.join()
    for turn in range(5):
        folder = tmp_path / str(turn)
        with zipfile.ZipFile(tmp_path / f"{turn}.zip") as archive:
            archive.extract(SQL_FILE, folder)
        with sqlite3.connect(folder / SQL_FILE) as copy:
            odd = copy.execute("SELECT number FROM pairs GROUP BY number HAVING count(*) <> 2").fetchall()
            assert odd == []


def test_every_document_of_a_backup_made_while_others_come_and_go_has_its_file(
    data_folder: Path, tmp_path: Path
) -> None:
    with Services(load_settings()) as services:
        base, library, lifecycle = services.library.bases.create("Papers"), services.library, services.lifecycle
        stop = threading.Event()
        failed: list[AppError] = []

        def add(number: int) -> str:
            document, _ = lifecycle.intake.add(base.id, f"{number}.txt", b"Tides %d" % number)
            library.publications.publish(publication(document, base, ["Tides"]))
            return document.id

        def work() -> None:
            try:
                for number in range(20, 10_000):
                    if stop.is_set():
                        return
                    there.append(add(number))
                    gone = there.pop(0)
                    lifecycle.removal.document(gone)
                    lifecycle.removal.forget([gone])
            except AppError as error:
                failed.append(error)

        there = [add(number) for number in range(20)]
        (data_folder / "sensitive_terms.txt").write_bytes(bytes(60_000_000))  # takes a moment to be packed
        writer = threading.Thread(target=work)
        writer.start()
        try:
            for turn in range(3):
                write_backup(services.settings, tmp_path / f"{turn}.zip")
        finally:
            stop.set()
            writer.join()
    assert not failed
    for turn in range(3):
        with zipfile.ZipFile(tmp_path / f"{turn}.zip") as archive:
            archive.extract(SQL_FILE, tmp_path / str(turn))
            files = {Path(name).name for name in archive.namelist()}
        with sqlite3.connect(tmp_path / str(turn) / SQL_FILE) as copy:
            ready = {row[0] for row in copy.execute("SELECT sha256 FROM documents WHERE ready_at IS NOT NULL")}
        assert len(ready) >= 20
        assert ready - files == set()


@pytest.mark.parametrize("name", ["../out", "files/../../out", "/out", "files\\..\\out", "settings.json/x", "run.py"])
def test_a_backup_that_would_write_elsewhere_restores_nothing(data_folder: Path, tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr(MANIFEST, '{"format": 1}')
        archive.writestr(SQL_FILE, b"")
        archive.writestr(name, "evil")
    with pytest.raises(AppError, match="Nothing was restored"):
        restore_backup(load_settings(), tmp_path / "evil.zip")
    assert not data_folder.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["evil.zip"]


@pytest.mark.parametrize("harm", ["text", "torn", "no database", "no manifest"])
def test_a_damaged_backup_restores_nothing(data_folder: Path, tmp_path: Path, harm: str) -> None:
    with Services(load_settings()) as services:
        services.library.bases.create("Papers")
        write_backup(services.settings, tmp_path / "good.zip")
    bad = tmp_path / "bad.zip"
    if harm == "text":
        bad.write_text("This is no archive.")
    elif harm == "torn":
        raw = bytearray((tmp_path / "good.zip").read_bytes())
        raw[200:1200] = os.urandom(1000)
        bad.write_bytes(raw)
    else:
        with zipfile.ZipFile(bad, "w") as archive:
            archive.writestr(MANIFEST, '{"format": 1}' if harm == "no database" else "[]")
            archive.writestr(SQL_FILE, b"no database" * 1000)
    before = sorted(path.name for path in tmp_path.iterdir())
    target = load_settings(tmp_path / "new")
    with pytest.raises(AppError):
        restore_backup(target, bad)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.skipif(sys.platform == "win32", reason="there a process is only ended, not asked to")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGKILL"])
def test_a_backup_that_is_ended_leaves_nothing(data_folder: Path, tmp_path: Path, name: str) -> None:
    """Asked to end, at once; killed, as soon as the next one is made, which has the same folder."""
    with Services(load_settings()) as services:
        services.library.bases.create("Papers")
    os.mkfifo(data_folder / "prices.json")  # reading it waits for ever
    place = tmp_path / "backups"
    command = [sys.executable, "-m", "core", "--data", str(data_folder), "backup", str(place / "all.zip")]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    while not list(place.glob(".backup-*/*.tmp")):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.Signals[name])
    process.wait(30)
    if name == "SIGKILL":
        assert list(place.iterdir())
        (data_folder / "prices.json").unlink()
        write_backup(load_settings(data_folder), place / "all.zip")
        (place / "all.zip").unlink()
    assert list(place.iterdir()) == []


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="of POSIX")
def test_a_backup_started_with_nohup_outlives_its_terminal(
    data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Services(load_settings()) as services:
        services.library.bases.create("Papers")
    monkeypatch.setattr(backups, "write_backup", _hang_up_and_write)
    before = [(each, signal.getsignal(each)) for each in (signal.SIGTERM, signal.SIGHUP)]
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert backups.backup(load_settings(), Namespace(file=tmp_path / "all.zip")) == 0
    finally:
        for each, handler in before:
            signal.signal(each, handler)


def _hang_up_and_write(settings: Settings, target: Path) -> int:
    signal.raise_signal(signal.SIGHUP)
    return write_backup(settings, target)


def test_a_file_of_a_time_before_there_were_archives_is_backed_up(data_folder: Path, tmp_path: Path) -> None:
    with Services(load_settings()) as services:
        services.library.bases.create("Papers")
        (data_folder / "prices.json").write_text("[]")
        os.utime(data_folder / "prices.json", (0, 0))
        write_backup(services.settings, tmp_path / "all.zip")
    restore_backup(load_settings(tmp_path / "new"), tmp_path / "all.zip")
    assert (tmp_path / "new" / "prices.json").read_text() == "[]"


def test_a_file_that_cannot_be_read_is_told_in_a_sentence(
    data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Services(load_settings()) as services:
        services.library.bases.create("Papers")
        refused = PermissionError(errno.EACCES, "Permission denied")
        monkeypatch.setattr(zipfile.ZipFile, "write", Mock(side_effect=refused))
        with pytest.raises(AppError, match=r"settings\.json cannot be read: Permission denied"):
            write_backup(services.settings, tmp_path / "all.zip")
    assert list(tmp_path.glob("*.zip")) == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can act as somebody else")
def test_a_backup_of_somebody_else_is_told_in_a_sentence(data_folder: Path) -> None:
    with Services(load_settings()) as services, tempfile.TemporaryDirectory() as place:
        services.library.bases.create("Papers")
        Path(place).chmod(0o755)
        write_backup(services.settings, Path(place) / "good.zip")
        target = load_settings(Path(place) / "new")
        os.seteuid(65534)
        try:
            with pytest.raises(AppError, match=r"good\.zip cannot be read: Permission denied.* Nothing was restored"):
                restore_backup(target, Path(place) / "good.zip")
        finally:
            os.seteuid(0)


def test_a_folder_in_the_place_of_a_backup_is_told_in_a_sentence(data_folder: Path, tmp_path: Path) -> None:
    with Services(load_settings()) as services:
        services.library.bases.create("Papers")
    restored = graphtalk(tmp_path / "new", "restore", str(tmp_path))
    assert (restored.returncode, "Nothing was restored" in restored.stderr) == (1, True)
    done = graphtalk(data_folder, "backup", str(tmp_path))
    assert (done.returncode, "is a folder" in done.stderr) == (1, True)
    assert not list(tmp_path.glob(".backup-*"))


def test_a_folder_in_use_is_not_overwritten(data_folder: Path, tmp_path: Path) -> None:
    with Services(load_settings()) as services:
        services.library.bases.create("Papers")
        write_backup(services.settings, tmp_path / "good.zip")
    with pytest.raises(AppError, match="not empty"):
        restore_backup(load_settings(), tmp_path / "good.zip")


def test_a_damaged_database_is_not_backed_up_over_a_good_backup(data_folder: Path, tmp_path: Path) -> None:
    with Services(load_settings()) as services:
        services.library.bases.create("Papers")
        write_backup(services.settings, tmp_path / "good.zip")
    good = (tmp_path / "good.zip").read_bytes()
    file = data_folder / SQL_FILE
    raw = bytearray(file.read_bytes())
    raw[4096 : 4096 * 4] = os.urandom(4096 * 3)
    file.write_bytes(raw)
    with pytest.raises(AppError, match="damaged"):
        write_backup(load_settings(), tmp_path / "good.zip")
    assert (tmp_path / "good.zip").read_bytes() == good


def test_what_is_written_is_for_its_owner_alone(data_folder: Path) -> None:
    data_folder.mkdir(mode=0o755)
    with Services(load_settings()) as services:
        services.library.bases.create("Papers")
        services.lifecycle.intake.add(services.library.bases.all()[0].id, "a.txt", b"Tides")
    assert stat.S_IMODE(data_folder.stat().st_mode) == 0o700
    files = [path for path in data_folder.rglob("*") if path.is_file()]
    assert len(files) > 2
    assert [path for path in files if stat.S_IMODE(path.stat().st_mode) & 0o077] == []


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "words", [["doctor"], ["documents", "list"], ["ingest", "a.md"], ["backup", "/tmp/none/x.zip"]]
)
def test_a_folder_that_cannot_be_written_to_is_told_in_a_sentence(tmp_path: Path, words: list[str]) -> None:
    if not shutil.which("unshare") or subprocess.run(["unshare", "-rm", "true"], check=False).returncode:
        pytest.skip("this machine has no file systems of a process's own")
    (tmp_path / "a.md").write_text("# Tides")
    (tmp_path / "data").mkdir()
    steps = f"mount --bind {tmp_path} {tmp_path} && mount -o remount,bind,ro {tmp_path} && cd {tmp_path} && "
    run = f"PYTHONPATH={ROOT} exec {sys.executable} -m core --data {tmp_path}/data {' '.join(words)}"
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", steps + run], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    if words[0] != "backup":
        assert "cannot be written to" in done.stderr
        assert "GRAPHTALK_DATA" in done.stderr


def test_two_backups_at_once_do_not_take_each_other_for_left_behind(
    data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "two" / "backup.zip"
    (target.parent / ".backup-other").mkdir(parents=True)
    (target.parent / ".backup-other" / "lock").touch()
    tried: list[Path] = []

    def lock_beside_another(path: Path) -> object:
        """The other backup ends while its folder is looked at, and a third deletes the first folder of this one."""
        tried.append(path)
        if len(tried) < 3:
            shutil.rmtree(path.parent)
            raise FileNotFoundError(path)
        return try_lock(path)

    monkeypatch.setattr(backup, "try_lock", lock_beside_another)
    with Services(load_settings()) as services:
        assert services.storage.engine
        assert write_backup(services.settings, target)
    assert [path.name for path in target.parent.iterdir()] == ["backup.zip"]
    assert len({path.parent for path in tried}) == 3
