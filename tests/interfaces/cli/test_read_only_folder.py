"""A data folder that cannot be written to, as on a read-only disk, still gives out what it holds."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.app.services import Services
from core.platform.settings.settings import load_settings
from tests.interfaces.cli.test_command_line import HANDBOOK, ROOT, SAMPLES, graphtalk

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def read_only(tmp_path: Path) -> Run:
    """The command line with a folder that is mounted read-only for it alone, which also holds for root."""
    if not shutil.which("unshare") or subprocess.run(["unshare", "-rm", "true"], check=False).returncode:
        pytest.skip("this machine has no file systems of a process's own")

    def run(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        steps = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'
        command = [sys.executable, "-m", "core", "--data", str(data), *arguments]
        return subprocess.run(
            ["unshare", "-rm", "sh", "-c", steps, "sh", str(data), *command],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.slow
@pytest.mark.timeout(200)
def test_lists_exports_and_a_backup_come_out_of_it(
    tmp_path: Path, read_only: Run, sample_library: Callable[[Path], None]
) -> None:
    data, backup, graph = tmp_path / "data", tmp_path / "all.zip", tmp_path / "graph"
    sample_library(data)
    before = {path: path.stat().st_mtime_ns for path in data.rglob("*")}
    assert HANDBOOK in read_only(data, "documents", "list").stdout
    assert read_only(data, "kg", "export", str(graph)).returncode == 0
    assert (graph / "kg_nodes.json").stat().st_size > 1000
    done = read_only(data, "backup", str(backup))
    assert done.returncode == 0, done.stderr
    assert {path: path.stat().st_mtime_ns for path in data.rglob("*")} == before
    assert graphtalk(tmp_path / "again", "restore", str(backup)).returncode == 0
    assert HANDBOOK in graphtalk(tmp_path / "again", "documents", "list").stdout
    refused = read_only(data, "ingest", str(SAMPLES / "joint-working-group-2025.md"), "--kb", "Other")
    assert refused.returncode == 1
    assert "cannot be written to" in refused.stderr
    for command in ("retrieve", "ask"):
        not_searched = read_only(data, command, "Who leads the group?")
        assert not_searched.returncode == 1
        assert "cannot be written to" in not_searched.stderr


@pytest.mark.timeout(100)
def test_what_only_the_log_of_a_killed_process_holds_is_there(tmp_path: Path, read_only: Run) -> None:
    data = tmp_path / "data"
    with Services(load_settings(data)) as services:
        services.library.bases.create("First")
    if os.fork() == 0:
        Services(load_settings(data)).library.bases.create("Second")
        os._exit(9)
    os.wait()
    assert (data / "graphtalk.sqlite-wal").stat().st_size
    listed = read_only(data, "bases")
    assert {"First", "Second"} <= set(listed.stdout.split()), listed.stderr
