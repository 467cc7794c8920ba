"""MinerU's jobs outlive the process that began them: after kill -9 they are fetched, and nothing is sent again."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pypdfium2
import pytest

from core.documents.parsing.mineru.cloud import MineruCloudParser
from core.documents.parsing.mineru.jobs import JobNotes
from core.documents.parsing.mineru.server import MineruServerParser
from core.documents.pipeline.dispatch import Dispatcher
from core.documents.pipeline.spool import SpoolQueue
from core.documents.ports.parsing import DocumentParser
from core.platform.errors import CancelledError, ServiceError
from tests.fakes.ingestion import FakeIngestEngine, open_library
from tests.loopback.mineru_cloud_server import TOKEN, MineruCloudServer
from tests.loopback.mineru_server import MineruServer

ROOT = Path(__file__).parents[2]


class _Once:
    """Requested as soon as the server was asked for the result."""

    def __init__(self, server: MineruServer) -> None:
        self._server = server

    def requested(self) -> bool:
        return self._server.asked > 0


class _Never:
    def requested(self) -> bool:
        return False


def pdf(tmp_path: Path) -> Path:
    document = pypdfium2.PdfDocument.new()  # type: ignore[no-untyped-call]
    document.new_page(200, 200)
    path = tmp_path / "file"
    document.save(path)
    return path


def killed_at_work(parser: str, url: str, work: Path, path: Path, waited: Callable[[], bool]) -> None:
    """Returns when a process that waits for the service was killed, and the next one has swept the folder."""
    command = [sys.executable, "-m", "tests.contracts.parsing_process", parser, url, str(work), str(path)]
    with subprocess.Popen(command, cwd=ROOT) as process:
        until = time.monotonic() + 30
        while not waited() and process.poll() is None:
            assert time.monotonic() < until, "the process never came to wait"
            time.sleep(0.01)
        process.kill()
    assert process.returncode == -9
    library = open_library(work.parent)
    queue = SpoolQueue(work.parent / "spool", library.ingest_records)
    records = library.ingest_records
    Dispatcher(library.bases, library.documents, records, queue, FakeIngestEngine(), work).sweep()


def read(parser: DocumentParser, path: Path) -> str:
    return parser.parse(path, "a.pdf", "application/pdf", _Never(), lambda done, total: None).blocks[0].text


def test_the_clouds_job_is_fetched_after_a_kill(tmp_path: Path) -> None:
    work, path = tmp_path / "work", pdf(tmp_path)
    with MineruCloudServer(states=("running",)) as server:
        killed_at_work(
            "mineru-cloud", server.base_url, work, path, lambda: any(job.asked for job in server.jobs.values())
        )
        server.states = ("done",)
        assert read(MineruCloudParser(TOKEN, server.base_url, work, 0.01), path).endswith("bytes were read.")
    assert len(server.uploads()) == 1
    assert list(work.iterdir()) == []


@pytest.mark.parametrize("major", [3, 4])
class TestServer:
    def test_its_task_is_fetched_after_a_kill(self, major: int, tmp_path: Path) -> None:
        work, path = tmp_path / "work", pdf(tmp_path)
        with MineruServer(major, asks=1_000_000) as server:
            killed_at_work("mineru-server", server.url, work, path, lambda: server.asked > 0)
            server.asks = 0
            assert read(MineruServerParser(server.url, work, 0.01), path)
        assert sent(server) == 1
        assert list(work.iterdir()) == []

    def test_a_task_that_the_server_lost_is_sent_again(self, major: int, tmp_path: Path) -> None:
        path = pdf(tmp_path)
        with MineruServer(major, asks=1_000_000) as server:
            parser = MineruServerParser(server.url, tmp_path / "work", 0.01)
            with pytest.raises(CancelledError):
                parser.parse(path, "a.pdf", "", _Once(server), lambda done, total: None)
            server.asks, server.results = 0, [(404, {"detail": "Task not found"})]
            assert read(parser, path)
        assert sent(server) == 2

    def test_a_task_that_failed_is_not_asked_for_again(self, major: int, tmp_path: Path) -> None:
        path = pdf(tmp_path)
        with MineruServer(major, results=[(409, {"error": "broken page"})]) as server:
            parser = MineruServerParser(server.url, tmp_path / "work", 0.01)
            with pytest.raises(ServiceError, match="broken page"):
                read(parser, path)
            assert read(parser, path)
        assert sent(server) == 2

    def test_another_server_is_sent_the_document_anew(self, major: int, tmp_path: Path) -> None:
        path, work = pdf(tmp_path), tmp_path / "work"
        with MineruServer(major, asks=1_000_000) as one, MineruServer(major) as other:
            with pytest.raises(CancelledError):
                MineruServerParser(one.url, work, 0.01).parse(path, "a", "", _Once(one), lambda done, total: None)
            assert read(MineruServerParser(other.url, work, 0.01), path)
        assert (sent(one), sent(other)) == (1, 1)


def sent(server: MineruServer) -> int:
    return sum(request.method == "POST" for request in server.requests)


def test_notes_of_long_ago_go(tmp_path: Path) -> None:
    notes = JobNotes(tmp_path)
    notes.note("old", "1")
    os.utime(tmp_path / "old.job", times=(1.0, 1.0))
    notes.note("new", "2")
    assert (notes.known("old"), notes.known("new"), notes.known("none")) == ("", "2", "")
