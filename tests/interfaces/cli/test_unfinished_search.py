"""A base whose vectors are not all made: it is searched as it is, counted by `doctor`, and completed by `ingest`."""

import contextlib
import io
import json
import sqlite3
import subprocess
from pathlib import Path

import pytest

from core.app.services import Services
from core.documents.model import KnowledgeBase
from core.interfaces.cli import ingest
from core.interfaces.cli.arguments import base_to_fill
from core.interfaces.cli.main import main
from core.platform.settings.settings import load_settings
from core.search.ports import LEVELS
from tests.store.samples import publish

SENTENCES = "The ferries of Brenna were repaired by the harbour office in the spring of 1964. "
UNFINISHED = "The search by meaning was still being prepared"


def graphtalk(data: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = ["--data", str(data), *words]
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(io.StringIO()) as noted:
        status = main(command)
    return subprocess.CompletedProcess(command, status, said.getvalue(), noted.getvalue())


def missing(data: Path, level: str) -> int:
    """Entries of the level without vectors."""
    with sqlite3.connect(data / "graphtalk.sqlite") as connection:
        made = "SELECT entry_id FROM entry_vectors WHERE level = ?"
        row = connection.execute(f"SELECT count(*) FROM {level} WHERE id NOT IN ({made})", (level,)).fetchone()
    return int(row[0])


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notes")
    for number in range(6):
        sections = (f"## Part {part}\n\n{SENTENCES * 9}" for part in range(3))
        (folder / f"note{number}.md").write_text(f"# Note {number}\n\n{SENTENCES}\n\n" + "\n\n".join(sections))
    return folder


@pytest.fixture(scope="module")
def filled(notes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("filled")
    done = graphtalk(data, "ingest", str(notes))
    assert done.returncode == 0, done.stderr
    return data


def test_what_an_ended_process_left_is_said_counted_and_completed(filled: Path, notes: Path) -> None:
    assert [missing(filled, level) for level in LEVELS] == [0, 0], "ingest ends when all are made"
    with sqlite3.connect(filled / "graphtalk.sqlite") as connection:
        connection.execute("DELETE FROM entry_vectors WHERE level = 'summaries' OR rowid % 2")
    connection.close()
    asked = graphtalk(filled, "ask", "Who repaired the ferries?", "--workflow", "guarded", "--json")
    assert (asked.returncode, json.loads(asked.stdout)["search_unfinished"]) == (0, True), asked.stderr
    assert UNFINISHED in asked.stderr
    doctor = graphtalk(filled, "doctor")
    assert doctor.returncode == 0
    assert "the search by meaning knows" in doctor.stderr
    assert graphtalk(filled, "ingest", str(notes)).returncode == 0
    assert [missing(filled, level) for level in LEVELS] == [0, 0]
    asked = graphtalk(filled, "ask", "Who repaired the ferries?", "--workflow", "guarded", "--json")
    assert not json.loads(asked.stdout)["search_unfinished"]
    assert UNFINISHED not in asked.stderr
    assert "knows" not in graphtalk(filled, "doctor").stderr


def test_doctor_finds_a_level_that_was_lost(tmp_path: Path) -> None:
    with Services(load_settings(tmp_path)) as services:
        base = made_base(services)
        while services.search.vector_builder.build(base.id):
            pass
        services.search.lexical_index.replace(base.id, "summaries", [])
    doctor = graphtalk(tmp_path, "doctor")
    assert doctor.returncode == 1
    assert "0 of 2 passages or summaries" in doctor.stderr


def test_ingest_waits_for_the_vectors_of_summaries_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Services(load_settings(tmp_path)) as services:
        base = made_base(services)
        monkeypatch.setattr("core.documents.pipeline.vector_builder.BATCH", 1)
        monkeypatch.setattr("time.sleep", lambda _: services.search.vector_builder.build(base.id))
        ingest._until_vectors(services, base)
        assert services.search.chunk_index.pending(base.id, 9)[1] == []


def made_base(services: Services) -> KnowledgeBase:
    """Two documents that are found by their words."""
    base = base_to_fill(services, "")
    for name in ("a.md", "b.md"):
        publish(services.library, base, name, f"{name}: {SENTENCES}", "The harbour office moved in 1970.")
    for level in LEVELS:
        services.search.lexical_index.replace(base.id, level, services.library.passages.index_entries(base.id, level))
    return base
