"""The command line against a running app."""

import json
from pathlib import Path

import pytest

from core.app.services import Services
from core.documents.model import Document, KnowledgeBase
from core.interfaces.cli.main import main
from core.interfaces.cli.remote import KEY
from core.people.api_keys import KeyScope
from tests.interfaces.http.conftest import PAGES
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
    assert main([*remote, "kg", "stats"]) == 0
    assert "entities" in capsys.readouterr().out


@pytest.mark.parametrize("scope", [KeyScope.ASK, KeyScope.READ])
def test_a_key_that_may_only_ask_is_enough_to_ask(
    server: str, secrets: dict[KeyScope, str], scope: KeyScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, secrets[scope])
    assert main(["--server", server, "ask", "What did Google describe in 2018?", "--kb", "Papers"]) == 0
    assert main(["--server", server, "retrieve", "BERT", "--kb", "Papers"]) == 0


def test_it_sends_files_and_waits_for_them(
    remote: list[str], services: Services, base: KnowledgeBase, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library, queue = services.library, services.ingestion.queue

    def read_at_once(document_id: str) -> None:
        document = library.documents.get(document_id)
        library.publications.publish(publication(document, base, PAGES[:1]))

    patch = pytest.MonkeyPatch()
    patch.setattr(queue, "submit", read_at_once)
    (tmp_path / "one.md").write_text("# One\nBERT.")
    try:
        assert main([*remote, "ingest", str(tmp_path), "--json"]) == 0
        (tmp_path / "one.md").write_text("# One, changed\nBERT.")
        row = json.loads(capsys.readouterr().out)["documents"][0]
        assert main([*remote, "ingest", str(tmp_path)]) == 1
        assert "changed=replace" in capsys.readouterr().err
    finally:
        patch.undo()
    assert (row["name"], row["status"]) == ("one.md", "ready")
    assert main([*remote, "documents", "delete", row["id"]]) == 0
    assert main([*remote, "documents", "delete", row["id"]]) == 1


def test_what_a_server_cannot_do_is_said(
    remote: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*remote, "doctor"]) == 1
    assert "works on the data folder" in capsys.readouterr().err
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
