"""A disk of Postgres is full while a worker reads: nothing fails, and all is read once there is room again."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from core.app.services import Services
from core.documents.model import DocumentStatus, KnowledgeBase
from core.platform.errors import RetryableServiceError
from core.platform.sql.engine import open_engine
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
from tests.store.postgres import DATA, LOG, PostgresServer, programs

_MUCH_IS_LOGGED = "SELECT pg_logical_emit_message(false, 'much', repeat('x', 1000000)) FROM generate_series(1, 40)"


@contextmanager
def postgres_with(small: str, megabytes: int) -> Iterator[PostgresServer]:
    bin = programs()
    if not bin or os.getuid():
        pytest.skip("SKIPPED: no Postgres of this machine, or not root: nothing shows what a full one does")
    try:
        server = PostgresServer(bin, small=small, megabytes=megabytes)
    except subprocess.CalledProcessError:
        pytest.skip("SKIPPED: nothing can be mounted here: nothing shows what a full Postgres does")
    try:
        server.start()
        yield server
    finally:
        server.remove()


@contextmanager
def reading_while_full(
    server: PostgresServer, disk: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Services, KnowledgeBase, Path]]:
    """An app whose worker has begun to read four documents, and the file that leaves no room on the disk; in the end
    all of them must be read.
    """
    environment = {
        "DATABASE_URL": new_database(server.url),
        "CHROMA_URL": f"http://127.0.0.1:{free_port()}",
        "FILES_URL": f"file://{folder}/shared",
        "SETTINGS_KEY": KEY,
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    (folder / "shared").mkdir()
    installation = Installation(folder, environment)
    with installation.services("app") as app:
        base = app.library.bases.create("Reports")
        installation.start(1)
        try:
            wait_for(lambda: "ready, process" in logged(folder))
            for number in range(4):
                app.lifecycle.intake.add(base.id, f"{number}.md", b"\n".join(texts(200 + number).values()))
            wait_for(lambda: list((folder / "machine-1" / "work").glob("*.stage")))
            with suspended(installation.workers[1]):
                ballast = filled(disk)
            yield app, base, ballast
            wait_for(lambda: all_ended(app, base.id))
            assert installation.workers[1].poll() is None
        finally:
            installation.stop()
        assert {each.status for each in app.library.documents.of_base(base.id)} == {DocumentStatus.READY}


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_documents_wait_for_a_full_postgres(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        postgres_with(DATA, 80) as server,
        reading_while_full(server, server.disk(DATA), tmp_path, monkeypatch) as (app, base, ballast),
    ):
        with pytest.raises(RetryableServiceError, match="disk has space"):
            add_many(app, base.id)
        wait_for(lambda: re.search("tried again in .* The database cannot be used: .* No space", logged(tmp_path)))
        statuses = {each.status for each in app.library.documents.of_base(base.id)}
        assert DocumentStatus.FAILED not in statuses
        assert statuses != {DocumentStatus.READY}
        ballast.unlink()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_documents_wait_for_a_postgres_that_a_full_log_of_writes_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        postgres_with(LOG, 40) as server,
        reading_while_full(server, server.disk(LOG), tmp_path, monkeypatch) as (app, _, ballast),
    ):
        with pytest.raises(OperationalError), open_engine(server.url).begin() as connection:
            connection.exec_driver_sql(_MUCH_IS_LOGGED)
        wait_for(lambda: not server.runs)
        with pytest.raises(RetryableServiceError, match="cannot be used"):
            app.library.bases.all()
        wait_for(lambda: re.search("tried again in .* The database cannot be used", logged(tmp_path)))
        ballast.unlink()
        server.start()


def logged(folder: Path) -> str:
    """By the worker."""
    return (folder / "worker-1.log").read_text("utf-8")


def filled(disk: Path) -> Path:
    """A file that leaves no room."""
    ballast, room = disk / "ballast", os.statvfs(disk)
    with suppress(OSError), ballast.open("ab") as file:  # the database may write meanwhile
        file.write(b"x" * (room.f_bavail * room.f_frsize))
    return ballast


def add_many(services: Services, base_id: str) -> None:
    for number in range(1_000):
        services.lifecycle.intake.add(base_id, f"more-{number}.md", f"Station {number} is closed.".encode())
