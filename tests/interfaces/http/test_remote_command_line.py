"""The command line against a running app."""

import json
from itertools import chain, cycle, repeat
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.app.services import Services
from core.documents.model import Document, KnowledgeBase
from core.interfaces.cli import remote as remote_commands
from core.interfaces.cli.main import main
from core.interfaces.cli.remote import KEY
from core.interfaces.http.access import RateLimit
from core.people.api_keys import KeyScope
from core.platform.texts import text
from tests.interfaces.http.conftest import PAGES
from tests.loopback.server import Loopback, Recorded, Wire
from tests.store.samples import publication


@pytest.fixture
def remote(server: str, secrets: dict[KeyScope, str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv(KEY, secrets[KeyScope.WRITE])
    return ["--server", server]


def test_it_asks_searches_and_lists(remote: list[str], document: Document, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*remote, "ask", "What did Google describe in 2018?", "--kb", "Papers"]) == 0
    said = capsys.readouterr()
    assert "[1] models.pdf, page 1:" in said.out
    assert said.err == ""
    assert main([*remote, "ask", "What did Google describe in 2018?", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["citations"][0]["document_id"] == document.id
    assert main([*remote, "retrieve", "BERT", "--top", "1"]) == 0
    assert "models.pdf, page" in capsys.readouterr().out
    assert main([*remote, "documents", "list", "--json"]) == 0
    assert document.id in [listed["id"] for listed in json.loads(capsys.readouterr().out)]
    assert main([*remote, "kg", "stats", "--kb", " papers"]) == 0
    assert "entities" in capsys.readouterr().out


def test_a_line_separator_in_a_question_ends_no_line_of_the_stream(remote: list[str], document: Document) -> None:
    assert main([*remote, "ask", "What did Google\u2028describe in 2018?", "--kb", "Papers"]) == 0


@pytest.mark.parametrize("scope", [KeyScope.ASK, KeyScope.READ])
def test_a_key_that_may_only_ask_is_enough_to_ask(
    server: str, secrets: dict[KeyScope, str], scope: KeyScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, secrets[scope])
    assert main(["--server", server, "ask", "What did Google describe in 2018?", "--kb", "Papers"]) == 0
    assert main(["--server", server, "retrieve", "BERT", "--kb", "Papers"]) == 0


@pytest.fixture
def read_at_once(services: Services, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents are ready as soon as they are submitted."""
    library = services.library

    def submit(document_id: str) -> None:
        document = library.documents.get(document_id)
        library.publications.publish(publication(document, base, PAGES[:1]))

    monkeypatch.setattr(services.ingestion.queue, "submit", submit)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that commands would have waited."""
    seconds: list[float] = []
    monkeypatch.setattr(remote_commands, "time", SimpleNamespace(sleep=seconds.append))
    return seconds


def files_in(folder: Path, count: int) -> str:
    for number in range(count):
        (folder / f"{number}.md").write_text(f"# {folder.name}, {number}\nBERT.")
    return str(folder)


@pytest.mark.usefixtures("read_at_once")
def test_what_comes_too_soon_is_sent_again_when_the_server_allows(
    remote: list[str],
    tmp_path: Path,
    waits: list[float],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    left = cycle([0, 7])
    monkeypatch.setattr(RateLimit, "wait", lambda *_: next(left))
    assert main([*remote, "ask", "What did Google describe in 2018?", "--kb", "Papers"]) == 0
    capsys.readouterr()
    assert main([*remote, "ingest", files_in(tmp_path, 3), "--kb", "Papers", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["documents"]
    assert [row["status"] for row in rows] == ["ready"] * 3
    assert 7.0 in waits
    for row in rows:
        assert main([*remote, "documents", "delete", row["id"]]) == 0


@pytest.mark.usefixtures("waits")
def test_files_of_which_nothing_more_is_told_are_listed_with_the_reason(
    remote: list[str],
    services: Services,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    refusal = text("api.problem.busy", "en", limit=services.settings.api_requests_per_minute, seconds=1)
    left = chain(repeat(0, 4), repeat(1))  # the bases, the end of their list, two files
    monkeypatch.setattr(RateLimit, "wait", lambda *_: next(left))
    monkeypatch.setattr(services.ingestion.queue, "submit", lambda _: None)
    assert main([*remote, "ingest", files_in(tmp_path, 2), "--kb", "Papers", "--json"]) == 1
    rows = json.loads(capsys.readouterr().out)["documents"]
    assert [(row["status"], refusal in row["error"]) for row in rows] == [("queued", True)] * 2
    for row in rows:
        services.lifecycle.remove_document(row["id"])


@pytest.mark.usefixtures("read_at_once")
def test_it_sends_files_and_waits_for_them(
    remote: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "one.md").write_text("# One\nBERT.")
    assert main([*remote, "ingest", str(tmp_path), "--json"]) == 0
    (tmp_path / "one.md").write_text("# One, changed\nBERT.")
    row = json.loads(capsys.readouterr().out)["documents"][0]
    assert main([*remote, "ingest", str(tmp_path)]) == 1
    assert "changed=replace" in capsys.readouterr().err
    assert main([*remote, "ingest", str(tmp_path / "two.md")]) == 1
    assert capsys.readouterr().err.endswith("two.md: No such file or directory\n")
    assert (row["name"], row["status"]) == ("one.md", "ready")
    assert main([*remote, "documents", "delete", row["id"]]) == 0
    assert main([*remote, "documents", "delete", row["id"]]) == 1


def test_what_a_server_cannot_do_is_said(
    remote: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*remote, "kg", "path", "BERT", "Google"]) == 1
    assert "bases, documents list, documents delete, kg search, kg stats." in capsys.readouterr().err
    assert main(["--server", "http://127.0.0.1:9", "ask", "x"]) == 1
    assert "cannot be reached" in capsys.readouterr().err
    assert main(["--server", "localhost", "ask", "x"]) == 1
    assert "http://localhost:8501" in capsys.readouterr().err
    monkeypatch.setenv(KEY, "gtk_wrong")
    assert main([*remote, "ask", "x"]) == 1
    assert "(401)" in capsys.readouterr().err
    monkeypatch.delenv(KEY)
    assert main([*remote, "ask", "x"]) == 1
    assert KEY in capsys.readouterr().err


class Foreign(Loopback):
    """Some other server: a proxy that redirects to a sign-in, and pages of HTML."""

    def __init__(self, location: str) -> None:
        super().__init__()
        self.location = location

    def answer(self, request: Recorded, wire: Wire) -> None:
        if self.location:
            wire.send(302, b"<html>Moved</html>", "text/html", {"Location": self.location})
        else:
            wire.send(200, b"<html>Welcome</html>", "text/html")


@pytest.mark.parametrize(
    ("location", "sentence"),
    [("", text("cli.server.foreign", "en")), ("https://docs.example.org/", "https://docs.example.org/")],
)
@pytest.mark.parametrize("words", [("ask", "x"), ("bases",), ("ingest", __file__), ("documents", "delete", "a/\n")])
def test_what_is_no_answer_of_the_app_is_said(
    location: str,
    sentence: str,
    words: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(KEY, "gtk_any")
    with Foreign(location) as server:
        assert main(["--server", server.url, *words]) == 1
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("address", ["http://[::1", "http://host:abc", "ftp://host", "http://a..b"])
def test_an_address_that_cannot_be_one_is_said(
    address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(KEY, "gtk_any")
    assert main(["--server", address, "bases"]) == 1
    assert "address" in capsys.readouterr().err


def test_without_a_knowledge_base_it_is_said_where_one_is_made(
    remote: list[str], services: Services, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(services.library.bases, "all", list)
    assert main([*remote, "ingest", __file__]) == 1
    assert text("cli.server.no_base", "en") in capsys.readouterr().err
