"""A real installation of several processes: Postgres, a Chroma server, shared files, workers that can be killed.

Each worker has a data folder of its own, as on a machine of its own.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import make_url, text

from core.adapters.sql.engine import open_engine
from core.bootstrap.services import Services
from core.domain.documents import DocumentStatus
from core.settings.settings import load_settings
from tests.adapters.sql.postgres import postgres_url

ROOT = Path(__file__).parents[2]
_SECONDS = 150.0
KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
_ENDED = (DocumentStatus.READY, DocumentStatus.FAILED, DocumentStatus.CANCELLED)


@contextmanager
def chroma_server(folder: Path) -> Iterator[str]:
    """The URL of a new Chroma server that keeps its data in the folder."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(Path(sys.executable).with_name("chroma")), "run", "--path", str(folder), "--port", str(port)]
    log = (folder.parent / "chroma.log").open("wb")
    server = subprocess.Popen([*command, "--host", "127.0.0.1"], cwd=folder.parent, stdout=log, stderr=log)
    try:
        wait_for(lambda: _answers(port))
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()
        log.close()


def own_postgres() -> str:
    """The URL of a new database, because the durable engine has a schema of a fixed name; skips without a Postgres."""
    url = postgres_url()
    if not url:
        pytest.skip(
            "SKIPPED: neither TEST_POSTGRES_URL nor a Postgres of this machine: nothing shows that workers share"
        )
    name = f"graphtalk_{uuid4().hex[:12]}"
    admin = open_engine(url)
    with admin.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    admin.dispose()
    return make_url(url).set(database=name).render_as_string(hide_password=False)


@dataclass
class Installation:
    folder: Path
    environment: Mapping[str, str]
    """Beside that of this process."""
    workers: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict)
    """By number."""

    def start(self, number: int) -> None:
        """The ingestion process itself, without the supervisor that starts it again."""
        data = self.folder / f"machine-{number}"
        data.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "core.bootstrap.ingestion_process", "--data", str(data)]
        with (self.folder / f"worker-{number}.log").open("ab") as log:
            self.workers[number] = subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, **self.environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )

    def kill(self, number: int) -> None:
        process = self.workers.pop(number)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        for number in list(self.workers):
            self.kill(number)

    def services(self, name: str) -> Services:
        """Of an app process with a data folder of its own; the environment must be set here as well."""
        return Services(load_settings(self.folder / name))


def all_ended(services: Services, base_id: str) -> bool:
    return all(document.status in _ENDED for document in services.library.documents.of_base(base_id))


def wait_for(condition: Callable[[], bool], seconds: float = _SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def texts(number: int) -> dict[str, bytes]:
    """Small documents that name each other's people and places."""
    return {
        f"report-{index:03}.md": (
            f"# Report {index}\n\nDr. Ann Miller of Harbour Trust visited Port {index % 7} in {2000 + index % 25}. "
            f"The tide gauge there read {index}.{index % 10} metres.\n\n## Station\n\n"
            f"Station {index} was founded by Robert Hale. Harbour Trust pays for station {index}.\n"
        ).encode()
        for index in range(number)
    }


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
