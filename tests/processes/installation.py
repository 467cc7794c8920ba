"""A real installation of several processes: Postgres, a Chroma server, shared files, workers that can be killed.

Each worker has a data folder of its own, as on a machine of its own.
"""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import make_url, text

from core.app.services import Services
from core.documents.model import DocumentStatus
from core.platform.settings.settings import load_settings
from core.platform.sql.engine import open_engine
from tests.store.postgres import family, postgres_url

ROOT = Path(__file__).parents[2]
_SECONDS = 150.0
KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
_ENDED = (DocumentStatus.READY, DocumentStatus.FAILED, DocumentStatus.CANCELLED)


class ChromaServer:
    """Keeps its data in the folder, so that it can be killed and started again at the same URL."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        self._server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        chroma = str(Path(sys.executable).with_name("chroma"))
        command = [chroma, "run", "--path", str(self._folder), "--port", str(self._port), "--host", "127.0.0.1"]
        with (self._folder.parent / "chroma.log").open("ab") as log:
            self._server = subprocess.Popen(command, cwd=self._folder.parent, stdout=log, stderr=log)
        wait_for(lambda: _answers(self._port))

    def kill(self) -> None:
        if self._server:
            self._server.kill()
            self._server.wait()


@contextmanager
def chroma_server(folder: Path) -> Iterator[ChromaServer]:
    """A new one."""
    server = ChromaServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment_of(database: str, chroma: str, store: str, lease_seconds: int) -> dict[str, str]:
    """What all processes of one installation are told."""
    return {
        "DATABASE_URL": database,
        "CHROMA_URL": chroma,
        "FILES_URL": "s3://papers/graphtalk",
        "AWS_ENDPOINT_URL": store,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "LEASE_SECONDS": str(lease_seconds),
        "SETTINGS_KEY": KEY,
    }


def own_postgres() -> str:
    """The URL of a new database, because the durable engine has a schema of a fixed name; skips without a Postgres."""
    url = postgres_url()
    if not url:
        pytest.skip(
            "SKIPPED: neither TEST_POSTGRES_URL nor a Postgres of this machine: nothing shows that workers share"
        )
    return new_database(url)


def new_database(url: str) -> str:
    """The URL of one on the same server."""
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
    of_apps: Mapping[str, str] = field(default_factory=dict)
    """Beside that, for apps alone."""
    chroma: ChromaServer | None = None
    workers: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict)
    """By number."""
    apps: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict)
    """By port."""

    def start(self, number: int) -> None:
        """The ingestion process itself, without the supervisor that starts it again."""
        data = self.folder / f"machine-{number}"
        data.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "core.app.ingestion_process", "--data", str(data)]
        self.workers[number] = self._started(command, f"worker-{number}.log")

    def start_app(self, port: int) -> None:
        """Returns at once; serves() says when it answers."""
        command = [sys.executable, "-m", "core", "--data", str(self.folder / f"app-{port}"), "serve"]
        self.apps[port] = self._started([*command, "--port", str(port)], f"app-{port}.log", self.of_apps)

    def serves(self, port: int) -> bool:
        """Whether it answers and has opened its services."""
        assert self.apps[port].poll() is None, (self.folder / f"app-{port}.log").read_text("utf-8")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/ready", timeout=10):
                return True
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False

    def _started(
        self, command: Sequence[str], log_name: str, changes: Mapping[str, str] | None = None
    ) -> "subprocess.Popen[bytes]":
        with (self.folder / log_name).open("ab") as log:
            return subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, **self.environment, **(changes or {})},
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
            )

    def kill_app(self, port: int) -> None:
        process = self.apps.pop(port)
        process.kill()
        process.wait()

    def kill(self, number: int) -> None:
        process = self.workers.pop(number)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    def revive(self) -> None:
        """Starts workers again that have ended by themselves, as their supervisor would."""
        for number, process in list(self.workers.items()):
            if process.poll() is not None:
                self.start(number)

    def stop(self) -> None:
        for number in list(self.workers):
            self.kill(number)
        for port in list(self.apps):
            self.kill_app(port)

    def services(self, name: str) -> Services:
        """Of an app process with a data folder of its own; the environment must be set here as well."""
        return Services(load_settings(self.folder / name))


@contextmanager
def suspended(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """As by a laptop that is shut: with all its children, and without a word to anybody."""
    every = [*family(process.pid)]
    for each in every:
        os.kill(each, signal.SIGSTOP)
    try:
        yield
    finally:
        for each in every:
            os.kill(each, signal.SIGCONT)


def all_ended(services: Services, base_id: str) -> bool:
    return all(document.status in _ENDED for document in services.library.documents.of_base(base_id))


def wait_for(condition: Callable[[], object], seconds: float = _SECONDS) -> None:
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
