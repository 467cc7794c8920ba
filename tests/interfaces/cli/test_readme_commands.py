"""Every command line that the README names for people is run, or is named here as not tried, with the reason."""

import contextlib
import io
import re
import shlex
import sys
from pathlib import Path

import pytest

from core.app.services import Services
from core.interfaces.cli.main import main
from core.people.api_keys import KeyScope
from core.platform.settings.settings import load_settings
from tests.store.samples import publish

README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
UNTRIED = {
    "serve": "does not end; tests/browser and tests/processes start it",
    "worker": "needs a Postgres; tests/processes starts it",
    "mcp": "does not end; tests/interfaces/http/test_mcp.py speaks with it",
    "ingest": "reads files in a process of its own; tests/documents and the remote command line do it",
    "take-over": "needs a Postgres; tests/processes does it",
    "people adopt": "needs somebody who has signed in; tests/people does it",
    "bench retrieval": "tests/interfaces/cli/test_command_line.py does it with a corpus",
    "bench ner": "the same",
    "bench routing": "the same",
    "--version": "ends the process; tests/interfaces/cli/test_commands_for_scripts.py does it",
}
"""Beginnings of commands."""
VALUES = {
    "QUESTION": "What did Google describe in 2018?",
    "NAME": "Papers",
    "WORDS": "BERT",
    "FROM": "BERT",
    "TO": "Google",
    "F": "graphml",
    "S": "read",
    "N": "3",
}


def documented() -> list[str]:
    """The commands of the table, once without what may be left out and once with all of it."""
    found = []
    table = README.partition("| command | what it does |")[2].partition("\n\n")[0]
    for line in table.splitlines()[2:]:
        cell = line.split("|")[1]
        spans = re.findall(r"`([^`]+)`", cell)
        extra = spans.pop() if spans[-1].startswith("[") else ""
        for span in spans:
            whole = f"{span} {extra}".replace("...", "").strip()
            found += [re.sub(r"\s*\[[^]]*\]", "", whole), re.sub(r"[\[\]]", "", whole)]
    return list(dict.fromkeys(found))


COMMANDS = documented()


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("readme") / "data"
    with Services(load_settings(folder)) as services:
        base = services.library.bases.create("Papers")
        publish(services.library, base, "models.pdf", "BERT was described by Google in 2018.", "BERT is a model.")
        services.search.rebuild(base.id)
    return folder


def tried(command: str) -> bool:
    return not any(command == start or command.startswith(f"{start} ") for start in UNTRIED)


def run(data: Path, words: list[str]) -> tuple[int, str]:
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(io.StringIO()):
        status = main(["--data", str(data), *words])
    return status, said.getvalue()


def word_for(data: Path, command: str, word: str) -> str:
    """What stands for a placeholder, made where it has to exist."""
    folder = data.parent
    if word == "ID":
        return made_id(data, command)
    if word == "DIR":
        if command.startswith("kg import"):
            assert run(data, ["kg", "export", str(folder / "graph")])[0] == 0
        return str(folder / "graph")
    if word == "FILE" and command.startswith("evaluate"):
        (folder / "list.csv").write_text("question\nWhat did Google describe?\n", encoding="utf-8")
        return str(folder / "list.csv")
    if word == "FILE":
        return str(folder / "backup.zip")
    return VALUES.get(word, word)


def made_id(data: Path, command: str) -> str:
    with Services(load_settings(data)) as services:
        base = services.library.bases.named("Papers")
        assert base is not None
        if command.startswith("documents"):
            return publish(services.library, base, "extra.pdf", "Extra.").id
        if command.startswith("keys"):
            return services.storage.access.api_keys.make("for a test", KeyScope.READ)[0].id
        thread = services.threads.find()[0]
        return thread.id if "--thread" in command else services.runs.of_thread(thread.id)[0].id


def words_of(data: Path, command: str) -> list[str]:
    words = shlex.split(command.partition(" > ")[0])
    after = ["", *words]
    return [
        "adaptive" if before == "--workflow" else word_for(data, command, word)
        for before, word in zip(after, words, strict=False)
    ]


@pytest.mark.parametrize("command", [command for command in COMMANDS if tried(command)])
def test_a_command_of_the_readme_works(data: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("What did Google describe in 2018?"))
    if "ID" in command or "--thread" in command:
        run(data, ["ask", "What did Google describe in 2018?"])
    if command.startswith("--data NEW restore"):
        run(data, ["backup", str(data.parent / "backup.zip")])
        assert main(["--data", str(data.parent / "new"), "restore", str(data.parent / "backup.zip")]) == 0
        return
    status, _ = run(data, words_of(data, command))
    assert status == 0, command


def test_what_is_not_tried_is_still_a_command() -> None:
    assert [start for start in UNTRIED if not any(command.startswith(start) for command in COMMANDS)] == []
    assert len(COMMANDS) > 40
