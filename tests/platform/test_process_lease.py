"""Signs of life: an owner is alive while its process runs, dead when it was killed."""

import signal
import subprocess
import sys
from pathlib import Path
from threading import Timer
from uuid import UUID

import pytest

from core.platform.files.file_lock import try_lock
from core.platform.processes import leases
from core.platform.processes.leases import ProcessLease

CHILD = """
import sys, time
from pathlib import Path
from core.platform.processes.leases import ProcessLease
owner = ProcessLease(Path(sys.argv[1]))
print(owner.id, flush=True)
time.sleep(60)
"""


def test_an_owner_lives_until_it_is_closed(tmp_path: Path) -> None:
    first, second = ProcessLease(tmp_path), ProcessLease(tmp_path)
    assert second.is_alive(first.id)
    assert first.is_alive(first.id)
    first.close()
    assert not second.is_alive(first.id)
    second.close()


def test_a_killed_process_is_dead_at_once_and_what_it_left_is_tidied(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    other = child.stdout.readline().strip()
    owner = ProcessLease(tmp_path)
    assert owner.is_alive(other)
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert not owner.is_alive(other)
    owner.tidy()
    assert [path.stem for path in tmp_path.glob("*.lock")] == [owner.id]
    owner.close()


def test_a_process_that_looks_while_an_owner_is_made_does_not_refuse_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "uuid4", lambda: UUID(int=1))
    made = ProcessLease(tmp_path)
    made.close()
    lock = try_lock(tmp_path / f"{made.id}.lock")
    assert lock
    Timer(0.2, lock.release).start()
    owner = ProcessLease(tmp_path)
    assert owner.is_alive(owner.id)
    owner.close()


def test_a_file_is_tidied_only_while_nobody_can_lock_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that locked it just before would be taken for dead."""
    owner = ProcessLease(tmp_path)
    left = tmp_path / f"{owner.id}0.lock"
    left.touch()
    taken = []
    unlink = Path.unlink

    def watched(path: Path, missing_ok: bool = False) -> None:
        taken.append(try_lock(path))
        unlink(path, missing_ok)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", watched)
        owner.tidy()
    assert taken == [None]
    assert not left.exists()
    owner.close()


def test_nothing_is_known_of_owners_elsewhere_and_names_cannot_leave_the_folder(tmp_path: Path) -> None:
    owner = ProcessLease(tmp_path / "workers")
    assert owner.is_alive("another_machine-12-abcdef")
    assert not owner.is_alive("")
    host = owner.id.rsplit("-", 2)[0]
    (tmp_path / "secret.lock").write_text("x")
    assert not owner.is_alive(f"{host}-/../../secret")
    owner.close()
