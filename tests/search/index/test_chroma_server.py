"""A server that answers is told from one that is away, and from another program at its port."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from core.search.index.chroma_index import answers
from tests.processes.installation import chroma_server, free_port, wait_for


class Other(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture
def other() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Other)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_real_server_answers_until_it_is_gone(tmp_path: Path) -> None:
    (tmp_path / "vectors").mkdir()
    with chroma_server(tmp_path / "vectors") as chroma:
        wait_for(lambda: answers(chroma.url))
        assert answers(f"{chroma.url}/")
        chroma.kill()
        assert not answers(chroma.url)


def test_another_program_is_no_chroma(other: str) -> None:
    assert not answers(other)
    assert not answers(f"http://127.0.0.1:{free_port()}")
    assert not answers("nonsense")
