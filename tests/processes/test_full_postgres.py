"""The disk of Postgres is full while a worker reads: nothing fails, and all is read once there is room again."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.app.services import Services
from core.documents.model import DocumentStatus
from core.platform.errors import RetryableServiceError
from tests.processes.installation import (
    KEY,
    Installation,
    all_ended,
    free_port,
    new_database,
    suspended,
    texts,
    wait_for,
)
from tests.store.postgres import PostgresServer, programs


@pytest.fixture
def postgres() -> Iterator[PostgresServer]:
    bin = programs()
    if not bin or os.getuid():
        pytest.skip("SKIPPED: no Postgres of this machine, or not root: nothing shows what a full one does")
    try:
        server = PostgresServer(bin, most_megabytes=80)
    except subprocess.CalledProcessError:
        pytest.skip("SKIPPED: nothing can be mounted here: nothing shows what a full Postgres does")
    try:
        server.start()
        yield server
    finally:
        server.remove()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_documents_wait_for_a_full_postgres(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {
        "DATABASE_URL": new_database(postgres.url),
        "CHROMA_URL": f"http://127.0.0.1:{free_port()}",
        "FILES_URL": f"file://{tmp_path}/shared",
        "SETTINGS_KEY": KEY,
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "shared").mkdir()
    installation, log = Installation(tmp_path, environment), tmp_path / "worker-1.log"
    with installation.services("app") as app:
        base = app.library.bases.create("Reports")
        installation.start(1)
        try:
            wait_for(lambda: "ready, process" in log.read_text("utf-8"))
            for number in range(4):
                app.lifecycle.intake.add(base.id, f"{number}.md", b"\n".join(texts(200 + number).values()))
            wait_for(lambda: list((tmp_path / "machine-1" / "work").glob("*.stage")))
            with suspended(installation.workers[1]):
                ballast = filled(postgres.data)
            with pytest.raises(RetryableServiceError, match="disk has space"):
                add_many(app, base.id)
            wait_for(lambda: re.search("tried again in .* The database cannot be used: .* No space", log.read_text()))
            statuses = {each.status for each in app.library.documents.of_base(base.id)}
            assert DocumentStatus.FAILED not in statuses
            assert statuses != {DocumentStatus.READY}
            ballast.unlink()
            wait_for(lambda: all_ended(app, base.id))
        finally:
            installation.stop()
        assert {each.status for each in app.library.documents.of_base(base.id)} == {DocumentStatus.READY}


def filled(disk: Path) -> Path:
    """A file that leaves no room."""
    ballast, room = disk / "ballast", os.statvfs(disk)
    with ballast.open("ab") as file:
        file.write(b"x" * (room.f_bavail * room.f_frsize))
    return ballast


def add_many(services: Services, base_id: str) -> None:
    for number in range(1_000):
        services.lifecycle.intake.add(base_id, f"more-{number}.md", f"Station {number} is closed.".encode())
