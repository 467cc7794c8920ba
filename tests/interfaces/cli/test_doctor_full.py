"""`doctor --full` finds bytes that were flipped where no structure breaks; `--repair` makes anew what can be."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.app.record_check import RecordPart, changed_records
from core.app.services import Services
from core.documents.model import CELL_BREAK
from core.graph.resolution import editing
from core.interfaces.cli.main import main
from core.memory.model import Memory, MemoryKind, MemoryStatus
from core.platform.clock import utc_now
from core.platform.settings.settings import SQL_FILE, load_settings
from core.platform.sql.engine import open_engine
from core.runs.events import AnswerDelta
from core.runs.model import RunRequest
from core.search.index import vector_file
from tests.documents.lifecycle.test_graph_import import NODES
from tests.interfaces.cli.test_command_line import SAMPLES, graphtalk
from tests.loopback.fixtures import openai_server
from tests.loopback.openai_server import OpenAiServer

__all__ = ["openai_server"]

NAME = "joint-working-group-2025.md"


@pytest.fixture(scope="module")
def read_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("whole") / "data"
    assert graphtalk(data, "ingest", str(SAMPLES / NAME), "--kb", "Sample").returncode == 0
    assert graphtalk(data, "ask", "Who runs the working group?", "--kb", "Sample").returncode == 0
    with Services(load_settings(data)) as services:
        now = utc_now()
        kept = Memory("m1", "The pump is red.", MemoryKind.FACT, 5, 1.0, MemoryStatus.ACTIVE, now, now)
        services.memories.save(kept)
        (base,) = services.library.bases.all()
        services.graph_edits.record(base.id, [editing.rename(services.graph.every(base.id)[0], "The Group")])
    assert graphtalk(data, "doctor", "--full").returncode == 0
    return data


@pytest.fixture
def data(read_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(read_once, tmp_path / "copy"))


def _flip_file(data: Path) -> None:
    (path,) = [each for each in (data / "files").rglob("*") if each.is_file()]
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 4
    path.write_bytes(raw)


def _flip_text(data: Path) -> None:
    _changed(data, "UPDATE chunks SET text = replace(text, '2025', '2125')")


def _break_text(data: Path) -> None:
    _changed(data, "UPDATE chunks SET text = replace(text, '2025', CAST(x'ff' AS TEXT))")


def _flip_sentences(data: Path) -> None:
    _changed(data, "UPDATE entry_vectors SET sentences = zeroblob(length(sentences)) WHERE level = 'summaries'")


def _flip_vector(data: Path) -> None:
    with Services(load_settings(data)) as services:
        (base,) = services.library.bases.all()
        entry = next(services.library.passages.index_entries(base.id, "chunks"))[0]
        other = np.eye(1, services.models.embedder.dimension, dtype=np.float32)
        index = services.search.chunk_index
        with index._chroma.alone(write=True) as chroma:
            collection = chroma.collection(index._name(base.id, "chunks"))
            collection.update(ids=[entry.chunk_id], embeddings=other)


def _changed(data: Path, statement: str) -> None:
    with sqlite3.connect(data / SQL_FILE) as connection:
        assert connection.execute(statement).rowcount


@pytest.mark.timeout(200)
@pytest.mark.parametrize(
    ("flip", "words"),
    [
        (_flip_text, "not the text"),
        pytest.param(_break_text, "chunks.text: ", marks=pytest.mark.slow),
        (_flip_sentences, "other vectors"),
        (_flip_vector, "other vectors"),
    ],
)
def test_what_can_be_made_anew_is_found_and_made(data: Path, flip: Callable[[Path], None], words: str) -> None:
    flip(data)
    assert graphtalk(data, "doctor").returncode == 0  # no structure is broken
    found = graphtalk(data, "doctor", "--full")
    assert found.returncode == 1
    assert words in found.stderr
    assert "--repair" in found.stderr
    repaired = graphtalk(data, "doctor", "--repair")
    assert repaired.returncode == 0, repaired.stderr
    again = graphtalk(data, "doctor", "--full")
    assert again.returncode == 0, again.stderr
    assert "files, passages, summaries and vectors are what they were" in again.stdout


@pytest.mark.timeout(200)
@pytest.mark.parametrize("exact", [2, 2_000])
def test_the_files_that_collections_are_searched_in_are_compared_too(
    data: Path, monkeypatch: pytest.MonkeyPatch, exact: int
) -> None:
    monkeypatch.setattr(vector_file, "EXACT", exact)
    assert graphtalk(data, "rebuild-index").returncode == 0
    assert graphtalk(data, "doctor", "--full").returncode == 0
    path = next((data / "chroma" / "compared").glob("*.chunks.*"))
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 64
    path.write_bytes(raw)
    assert graphtalk(data, "doctor").returncode == 0  # their number is right
    found = graphtalk(data, "doctor", "--full")
    assert found.returncode == 1
    assert f"{NAME}: passages or summaries with other vectors than their text has: 1." in found.stderr
    assert graphtalk(data, "doctor", "--repair").returncode == 0
    assert graphtalk(data, "doctor", "--full").returncode == 0


@pytest.mark.timeout(200)
@pytest.mark.parametrize("broken", ["replace(section, '[', '{')", "CAST(x'5bff' AS TEXT)"])
def test_a_row_that_cannot_be_read_is_told_and_does_not_end_the_other_checks(data: Path, broken: str) -> None:
    _changed(data, f"UPDATE chunks SET section = {broken}")
    _changed(data, "UPDATE threads SET title = replace(title, 'Who', 'Wha')")
    found = graphtalk(data, "doctor", "--full")
    assert found.returncode == 1
    assert "FAIL  A row" in found.stderr or "FAIL  The database" in found.stderr
    assert "titles of conversations" in found.stderr


def test_bytes_that_are_no_characters_hide_nothing_else_and_are_told(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Services(load_settings(data)) as services:
        run = services.runs.start(RunRequest("Red?", ""), services.threads.find()[0].id, "e")
        services.runs.append(run.id, [AnswerDelta("The pump is red.")])
    for table, column, word in (
        ("chunks", "text", "e"),
        ("documents", "name", "joint"),
        ("memories", "text", "pump"),
        ("run_events", "payload", "pump"),
    ):
        _changed(data, f"UPDATE {table} SET {column} = replace({column}, '{word}', CAST(x'ff' AS TEXT))")
    with Services(load_settings(data)) as services:
        (base,) = services.library.bases.all()
        (document,) = services.library.documents.of_base(base.id)
        assert document.name == NAME.replace("joint", "\ufffd")
        assert all(chunk.text for chunk in services.library.passages.chunks(document.id))
        assert AnswerDelta("The \ufffd is red.") in [event for _, event in services.runs.events(run.id, 0)]
        assert [memory.text for memory in services.memories.find()] == ["The \ufffd is red."]
    assert main(["--data", str(data), "doctor", "--full"]) == 1
    told = capsys.readouterr().err
    assert "cannot be used" not in told
    for place in ("chunks.text", "documents.name", "memories.text", "run_events.payload"):
        assert f"FAIL  {place}: " in told
    with Services(load_settings(data)) as services:
        services.memories.delete("m1")
    assert main(["--data", str(data), "doctor", "--full"]) == 1
    assert "FAIL  memories.text: " not in capsys.readouterr().err


@pytest.mark.timeout(200)
def test_what_could_not_be_compared_is_counted(data: Path) -> None:
    _changed(data, "DELETE FROM entry_vectors WHERE level = 'summaries'")
    found = graphtalk(data, "doctor", "--full")
    assert found.returncode == 0
    assert "summaries that could not be compared, because they have no vectors yet" in found.stderr
    assert "all other files, passages, summaries and vectors are what they were" in found.stdout


@pytest.mark.timeout(200)
def test_vectors_of_an_endpoint_are_not_said_to_be_what_they_were(
    data: Path, monkeypatch: pytest.MonkeyPatch, openai_server: OpenAiServer
) -> None:
    monkeypatch.setenv("EMBEDDING_BASE_URL", openai_server.base_url)
    monkeypatch.setenv("EMBEDDING_MODEL", "loopback-embedding")
    assert graphtalk(data, "rebuild-index").returncode == 0
    found = graphtalk(data, "doctor", "--full")
    assert found.returncode == 0, found.stderr
    assert "summaries whose vectors were not compared, because an endpoint made them: " in found.stderr
    assert "all other files" in found.stdout


@pytest.mark.timeout(200)
def test_a_text_that_cannot_be_made_anew_is_told_after_a_repair_too(data: Path) -> None:
    with Services(load_settings(data)) as services:
        (base,) = services.library.bases.all()
        services.lifecycle.graph_import.take(base.id, NODES, b"[]")
        assert services.search.vector_builder.build(base.id)
    assert graphtalk(data, "doctor", "--full").returncode == 0
    _changed(data, "UPDATE chunks SET text = replace(text, 'Harbour 4', 'Harbour 5')")
    _flip_vector(data)
    repaired = graphtalk(data, "doctor", "--repair")
    assert repaired.returncode == 1
    again = graphtalk(data, "doctor", "--full")
    assert again.returncode == 1
    assert "summaries that are not the text of which their vectors were made: 1." in again.stderr
    assert "other vectors" not in again.stderr


@pytest.mark.timeout(200)
def test_edits_that_a_repair_would_undo_are_told(data: Path) -> None:
    with Services(load_settings(data)) as services:
        (base,) = services.library.bases.all()
        (document,) = services.library.documents.of_base(base.id)
        chunk = services.library.passages.chunks(document.id)[0]
        services.lifecycle.chunk_editor.rewrite(document.id, chunk.id, f"{chunk.text} So it was agreed.")
        assert services.search.vector_builder.build(base.id)
    assert graphtalk(data, "doctor", "--full").returncode == 0
    _flip_text(data)
    found = graphtalk(data, "doctor", "--full")
    kept = "what people changed in the text of 1 passage is kept with the old version"
    assert kept in found.stderr
    assert graphtalk(data, "doctor", "--repair").returncode == 0
    with Services(load_settings(data)) as services:
        earlier = services.lifecycle.reparse.earlier(document.id)
        assert earlier
        assert any(each.text.endswith("So it was agreed.") for each in earlier.chunks)


@pytest.mark.timeout(200)
@pytest.mark.parametrize(
    "changes",
    [
        {
            "blocks": "text = replace(text, 'o', 'n')",
            "chunks": "spans = replace(spans, ',', ';')",
            "mentions": "entity_id = (SELECT max(entity_id) FROM mentions), surface = surface || '.'",
            "entities": "mentions = mentions + 1",
        },
        {"entity_names": "norm = norm || '.'"},
        {"incidences": "packed = replace(packed, 'sizes\":[', 'sizes\":[1')"},
    ],
)
def test_what_reading_a_document_made_is_made_by_reading_it_again(data: Path, changes: dict[str, str]) -> None:
    for table, change in changes.items():
        _changed(data, f"UPDATE {table} SET {change} WHERE rowid = (SELECT min(rowid) FROM {table})")
    found = graphtalk(data, "doctor", "--full")
    assert found.returncode == 1
    assert "“graphtalk doctor --repair” reads the file again, which makes them anew." in found.stderr
    assert f"FAIL  Sample: {NAME}: " in found.stderr
    assert "Restore a backup" not in found.stderr
    repaired = graphtalk(data, "doctor", "--repair")
    assert repaired.returncode == 0, repaired.stderr
    assert graphtalk(data, "doctor", "--full").returncode == 0


@pytest.mark.timeout(200)
def test_what_is_read_from_a_damaged_file_is_not_read_again(data: Path) -> None:
    _flip_file(data)
    _changed(data, "UPDATE mentions SET surface = surface || '.'")
    found = graphtalk(data, "doctor", "--repair")
    assert found.returncode == 1
    assert "mentions of entities of which the passage has other words" in found.stderr
    assert "--repair” reads" not in found.stderr


@pytest.mark.timeout(200)
def test_a_damaged_file_is_told_and_whole_again_once_it_is_added_again(data: Path) -> None:
    _flip_file(data)
    found = graphtalk(data, "doctor", "--repair")
    assert found.returncode == 1
    assert f"{NAME}: the stored file is not the one that was added" in found.stderr
    assert graphtalk(data, "ingest", str(SAMPLES / NAME), "--kb", "Sample").returncode == 0
    assert graphtalk(data, "doctor", "--full").returncode == 0


@pytest.mark.timeout(200)
@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (
            "UPDATE runs SET question = replace(question, 'Who', 'Wha')",
            "questions or answers that differ from what the events of their runs say: 1",
        ),
        (
            "UPDATE runs SET answer = answer || 'x'",
            "questions or answers that differ from what the events of their runs say: 1",
        ),
        (
            "UPDATE threads SET title = replace(title, 'Who', 'Wha')",
            "titles of conversations that differ from what is searched of them: 1",
        ),
        ("UPDATE memories SET text = 'The pump is reb.'", "memories that differ from what is searched of them: 1"),
        ("UPDATE run_events SET packed = zeroblob(length(packed)) WHERE packed IS NOT NULL", "cannot be read"),
    ],
)
def test_a_changed_row_that_nothing_makes_anew_is_told(data: Path, statement: str, words: str) -> None:
    _changed(data, statement)
    found = graphtalk(data, "doctor", "--full")
    assert found.returncode == 1
    assert words in found.stderr
    assert "Restore a backup if they read wrong." in found.stderr


@pytest.mark.parametrize(
    ("part", "table", "change"),
    [
        (RecordPart.EVENTS, "run_events", "payload = '{\"note', packed = NULL"),
        (RecordPart.DOCUMENTS, "documents", "sha256 = lower(hex(zeroblob(32)))"),
        (RecordPart.PASSAGES, "chunks", "text = replace(text, 'a', 'e')"),
        (RecordPart.PASSAGES, "chunks", "position = position + 64"),
        (RecordPart.BLOCKS, "blocks", "text = replace(text, 'o', 'n')"),
        (RecordPart.BLOCKS, "chunks", "text = replace(text, 'o', 'n')"),
        (RecordPart.SPANS, "chunks", "spans = replace(spans, '[[0,', '[[8000,')"),
        (RecordPart.SPANS, "chunks", "spans = replace(spans, ',', ';')"),
        (RecordPart.SPANS, "chunks", "page = page + 4"),
        (RecordPart.SPANS, "blocks", "page = page + 4"),
        (RecordPart.MENTIONS, "mentions", "surface = surface || '.'"),
        (RecordPart.MENTIONS, "mentions", "end_offset = end_offset + 1"),
        (RecordPart.MENTIONS, "mentions", "chunk_id = (SELECT max(id) FROM chunks WHERE id <> chunk_id)"),
        (RecordPart.NAMES, "entity_names", "norm = norm || '.'"),
        (RecordPart.NAMES, "entity_names", "name = name || '.'"),
        (RecordPart.COUNTS, "entities", "mentions = mentions + 1"),
        (RecordPart.COUNTS, "entities", "documents = documents + 2"),
        (RecordPart.INCIDENCES, "incidences", "packed = replace(packed, 'sizes\":[', 'sizes\":[1')"),
        (RecordPart.INCIDENCES, "incidences", "packed = replace(packed, '\"pages', '\"paces')"),
        (RecordPart.EDITS, "graph_edits", "kind = 'renamf'"),
        (RecordPart.EDITS, "graph_edits", "payload = replace(payload, '\"text\"', '\"tezt\"')"),
        (RecordPart.EDITS, "graph_edits", "payload = substr(payload, 2)"),
    ],
)
def test_a_changed_row_of_a_document_or_its_graph_is_told(
    read_once: Path, tmp_path: Path, part: RecordPart, table: str, change: str
) -> None:
    shutil.copy(read_once / SQL_FILE, tmp_path)
    engine = open_engine(f"sqlite:///{tmp_path / SQL_FILE}")
    assert changed_records(engine) == {}
    _changed(tmp_path, f"UPDATE {table} SET {change} WHERE rowid = (SELECT min(rowid) FROM {table})")
    assert part in changed_records(engine)


@pytest.mark.parametrize("type", ["table", "text"])
def test_a_changed_block_of_any_kind_is_told(read_once: Path, tmp_path: Path, type: str) -> None:
    shutil.copy(read_once / SQL_FILE, tmp_path)
    last = f"(SELECT max(position) FROM blocks WHERE type = '{type}')"
    _changed(tmp_path, f"UPDATE blocks SET text = substr(text, 1, length(text) - 2) || 'qx' WHERE position = {last}")
    assert changed_records(open_engine(f"sqlite:///{tmp_path / SQL_FILE}")).keys() == {RecordPart.BLOCKS}


def test_a_changed_markup_of_a_table_is_told(read_once: Path, tmp_path: Path) -> None:
    shutil.copy(read_once / SQL_FILE, tmp_path)
    engine = open_engine(f"sqlite:///{tmp_path / SQL_FILE}")
    rows = f"replace(replace(text, '{CELL_BREAK}', '</td><td>'), char(10), '</td></tr><tr><td>')"
    _changed(tmp_path, f"UPDATE blocks SET html = '<table><tr><td>' || {rows} WHERE type = 'table'")
    assert changed_records(engine) == {}
    _changed(tmp_path, "UPDATE blocks SET html = replace(html, 'o', 'n') WHERE type = 'table'")
    assert changed_records(engine).keys() == {RecordPart.TABLES}


def test_what_people_do_is_no_change(data: Path) -> None:
    with Services(load_settings(data)) as services:
        (base,) = services.library.bases.all()
        (document,) = services.library.documents.of_base(base.id)
        first, second, third, *_ = services.library.passages.chunks(document.id)
        editor = services.lifecycle.chunk_editor
        editor.rewrite(document.id, first.id, f"In Bergen, {first.text} So Ragna Holm said.")
        editor.rewrite(document.id, second.id, f"{second.text[:100]} \ufffd Harbour")
        editor.rewrite(document.id, second.id, f"{second.text[50:]} \U00020000 Harbour")
        editor.rewrite(document.id, third.id, f"Harbour {third.text[30:]}")
        editor.rewrite(document.id, third.id, third.text)
        editor.switch(second.id, enabled=False)
        services.lifecycle.graph_import.take(base.id, NODES, b"[]")
        imported = next(each for each in services.library.documents.of_base(base.id) if each.id != document.id)
        passage = services.library.passages.chunks(imported.id)[0]
        editor.rewrite(imported.id, passage.id, f"{passage.text}\nBergen")
        services.lifecycle.removal.document(document.id)
        services.lifecycle.removal.restore(document.id)
        one, other, *_ = services.graph.every(base.id)
        services.graph_edits.record(base.id, [editing.merge(one, [other]), editing.state(one, "near", other)])
        services.lifecycle.base_removal.remove(base.id)
        services.lifecycle.base_removal.restore(base.id)
        assert services.library.documents.of_base(base.id)
        assert changed_records(services.storage.engine) == {}


def test_a_damaged_graph_of_chroma_is_told_and_made_anew(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_file, "EXACT", 2)
    for header in (data / "chroma").rglob("header.bin"):
        header.write_bytes(b"something else")
    told = graphtalk(data, "doctor")
    assert (told.returncode, "wrong sizes or links" in told.stderr) == (1, True)
    mended = graphtalk(data, "doctor", "--repair")
    assert mended.returncode == 0
    assert "Sample: passages and summaries indexed" in mended.stdout
    assert graphtalk(data, "doctor").returncode == 0
