"""What scripts and shells use: standard input, exit statuses, versions, exports, keys, completion."""

import argparse
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.app.services import Services
from core.graph.files.exports import ExportFormat
from core.interfaces.cli import main as command_line
from core.interfaces.cli.main import main, parser
from core.interfaces.cli.records import print_rows
from core.people.api_keys import KeyScope
from core.platform.clock import utc_now
from core.platform.identity import Person
from core.platform.settings.settings import load_settings
from core.platform.texts import text
from tests.documents import made_files
from tests.store.samples import publish

ROOT = Path(__file__).parents[3]
TEXT = "BERT was described by Google in 2018. Ada Lovelace worked in London on the Analytical Engine."


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scripts")
    with Services(load_settings(folder)) as services:
        base = services.library.bases.create("Papers")
        publish(services.library, base, "models.pdf", TEXT, "BERT builds on the Transformer.")
        services.search.rebuild(base.id)
    return folder


def graphtalk(data: Path, *words: str) -> tuple[int, str, str]:
    written = io.BytesIO()
    said = io.TextIOWrapper(written, encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()) as noted:
        status = main(["--data", str(data), *words])
    return status, written.getvalue().decode("utf-8", "replace"), noted.getvalue()


def test_a_question_comes_from_standard_input_and_progress_stays_quiet(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("What did Google describe in 2018?\n"))
    status, said, noted = graphtalk(data, "ask", "-")
    assert status == 0
    assert "BERT" in said
    assert "retrieve" not in noted
    monkeypatch.setattr(sys, "stdin", io.StringIO("Google 2018"))
    assert "models.pdf" in graphtalk(data, "retrieve", "-")[1]


def test_an_encrypted_file_is_asked_about_like_any_other(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "models.pdf"
    path.write_bytes(made_files.encrypted("1234"))
    monkeypatch.setattr(sys, "stdin", io.StringIO("1234\n"))
    monkeypatch.setattr("core.app.ingestion.Ingestion.start", lambda _: None)
    monkeypatch.setattr("core.interfaces.cli.ingest._until_vectors", lambda *_: None)
    status, said, noted = graphtalk(data, "ingest", str(path), "--password-stdin", "--kb", "Papers")
    assert (status, said.split()[:2]) == (1, ["models.pdf", "waiting"])
    assert "other content" in noted


class Interrupted(io.StringIO):
    def read(self, _: int | None = -1) -> str:
        raise KeyboardInterrupt


def test_standard_input_that_is_no_text_or_is_interrupted_ends_in_a_sentence(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff?"), encoding="utf-8"))
    status, _, noted = graphtalk(data, "ask", "-")
    assert (status, noted) == (1, text("cli.not_text", "en", encoding="utf-8") + "\n")
    monkeypatch.setattr(sys, "stdin", Interrupted())
    assert graphtalk(data, "ask", "-") == (130, "", "Stopped.\n")


@pytest.mark.parametrize("words", [("kg", "export", "--format", "jsonld"), ("bases",)])
def test_a_reader_who_leaves_is_no_error(data: Path, words: tuple[str, ...]) -> None:
    read, written = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "core", "--data", str(data), *words]
    try:
        done = subprocess.run(command, stdout=written, stderr=subprocess.PIPE, text=True, cwd=ROOT, timeout=110)
    finally:
        os.close(written)
    assert (done.returncode, done.stderr) == (141, "")


def test_the_exit_status_tells_what_was_found(data: Path) -> None:
    unknown = "What is the boiling point of tungsten hexafluoride?"
    assert graphtalk(data, "ask", unknown)[0] == 0
    assert graphtalk(data, "ask", unknown, "--exit-status")[0] in (5, 6)
    assert graphtalk(data, "ask", "What did Google describe in 2018?", "--exit-status")[0] == 0


def test_bases_threads_and_runs_are_listed(data: Path) -> None:
    graphtalk(data, "ask", "What did Google describe in 2018?")
    assert json.loads(graphtalk(data, "bases", "--json")[1])[0]["name"] == "Papers"
    assert "Google" in graphtalk(data, "threads")[1]
    newest = json.loads(graphtalk(data, "runs", "--top", "1", "--json")[1])[0]
    assert newest["outcome"] == "answered"
    assert "models.pdf, page 1" in graphtalk(data, "runs", newest["id"])[1]
    shown = json.loads(graphtalk(data, "runs", newest["id"], "--json")[1])
    assert (shown["run_id"], shown["status"], shown["outcome"]) == (newest["id"], "done", "answered")
    assert shown["citations"][0]["document"] == "models.pdf"
    assert shown["trace"][0]["node"] == "guard"
    assert graphtalk(data, "runs", "nothing")[0] == 1


def test_the_graph_is_searched_walked_and_exported(data: Path, tmp_path: Path) -> None:
    assert "BERT" in graphtalk(data, "kg", "search", "ber")[1]
    assert json.loads(graphtalk(data, "kg", "search", "BERT -unsaid-> ?", "--json")[1]) == []
    status, said, _ = graphtalk(data, "kg", "path", "BERT", "Google", "--json")
    assert status == 0
    assert json.loads(said)[0] == "BERT"
    assert (
        "Only mentioned together, nothing is stated: BERT and Google"
        in graphtalk(data, "kg", "path", "BERT", "Google")[2]
    )
    assert "kg search" in graphtalk(data, "kg", "path", "BERT", "Nobody at all")[2]
    for name in ExportFormat:
        status, said, _ = graphtalk(data, "kg", "export", "--format", name.value)
        assert status == 0
        assert said or name is ExportFormat.EDITS
    assert graphtalk(data, "kg", "export", str(tmp_path))[0] == 0
    assert tuple(sorted(command_line._EXPORTS)) == tuple(sorted(name.value for name in ExportFormat))


def test_a_deleted_document_leaves_no_earlier_reading(data: Path) -> None:
    with Services(load_settings(data)) as services:
        base = services.library.bases.named("Papers")
        assert base is not None
        document = publish(services.library, base, "again.pdf", "Kelp grows in Marlow Sound.")
        services.lifecycle.reparse.begin(document.id, "")
    status, said, _ = graphtalk(data, "documents", "delete", document.id)
    assert (status, said.startswith("Deleted again.pdf. ")) == (0, True)
    assert [path for path in (data / "versions").rglob("*") if path.is_file()] == []


def test_keys_are_made_listed_and_revoked(data: Path) -> None:
    status, said, noted = graphtalk(data, "keys", "create", "nightly", "--scope", "write")
    assert (status, said.count("\n")) == (0, 1)
    with Services(load_settings(data)) as services:
        known = services.storage.access.api_keys.known(said.strip())
        assert known is not None
        assert known.scope is KeyScope.WRITE
    assert said.strip() not in noted
    assert "refused until" not in noted
    assert json.loads(graphtalk(data, "keys", "list", "--json")[1])[0]["state"] == "in force"
    assert graphtalk(data, "keys", "revoke", known.id)[0] == 0
    assert "revoked" in graphtalk(data, "keys", "list")[1]
    assert graphtalk(data, "keys", "revoke", "nothing")[0] == 1
    with Services(load_settings(data)) as services:
        services.storage.access.people.enter(Person("ada", "Ada", "ada@example.org"), utc_now())
    assert "refused until `graphtalk people adopt EMAIL`" in graphtalk(data, "keys", "create", "weekly")[2]
    assert graphtalk(data, "people", "dissolve", "--yes")[0] == 0


def test_a_cell_of_a_list_is_one_line_of_plain_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(argparse.Namespace(json=False), ("id", "question"), [("1", "Who\n\x1b[31mwrote it?")])
    assert capsys.readouterr().out == "id  question\n1   Who [31mwrote it?\n"


def test_the_release_is_told_without_opening_anything(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("graphtalk ")


def test_every_option_is_explained() -> None:
    from core.interfaces.cli.completion import _commands

    root = parser()
    commands = [root]
    for command in commands:
        for action in command._actions:
            if isinstance(action, argparse._SubParsersAction):
                commands += action.choices.values()
            else:
                assert action.help, (command.prog, action.dest)
    assert len(list(_commands(root))) == len(commands)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_name_commands_and_options(data: Path, shell: str) -> None:
    _, said, _ = graphtalk(data, "completion", shell)
    assert "rebuild-index" in said
    assert "revoke" in said


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash to complete in")
@pytest.mark.parametrize(
    ("typed", "expected"),
    [("graphtalk ret", {"retrieve"}), ("graphtalk kg exp", {"export"}), ("graphtalk ask --exi", {"--exit-status"})],
)
def test_bash_completes(data: Path, typed: str, expected: set[str]) -> None:
    script = graphtalk(data, "completion", "bash")[1]
    words = typed.split()
    asked = f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _graphtalk; echo ${{COMPREPLY[@]}}"
    done = subprocess.run(["bash", "-c", f"{script}\n{asked}"], capture_output=True, text=True, timeout=20, check=True)
    assert set(done.stdout.split()) == expected
