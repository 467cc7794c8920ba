"""A database of every released schema is opened by this version with what was in it; a newer one is left alone."""

from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect, text

from core.documents.model import DocumentStatus
from core.documents.store.library import sql_library
from core.platform.sql.engine import open_engine, reading, restructuring, writing
from core.platform.sql.migrate import migrate
from core.platform.sql.schema import METADATA
from core.platform.sql.upgrade import configuration
from core.runs.run_lists import RunFilter
from core.runs.store.run_lists import SqlRunLists
from core.runs.store.run_log import SqlRunLog
from core.runs.store.threads import SqlThreads

RELEASED = ("0001", "0002", "0003", "0004", "0005", "0006", "0007")
NEXT = ("0008", "0009", "0010", "0011", "0012", "0013", "0015", "0016", "0020", "0021", "0022")
"""Released together with this version."""
TIME = "2026-11-20 12:00:00.000000"
ROWS: dict[str, dict[str, object]] = {
    "knowledge_bases": {"id": "b1", "name": "Tides 潮汐", "name_norm": "tides 潮汐"},
    "documents": {
        "id": "d1",
        "base_id": "b1",
        "name": "handbook.pdf",
        "sha256": "f" * 64,
        "media_type": "application/pdf",
        "error_params": "[]",
        "notes": "[]",
        "ready_at": TIME,
        "chunks": 1,
        "pages": 3,
    },
    "chunks": {
        "id": "c1",
        "document_id": "d1",
        "text": "The tide is 4.2 metres high.",
        "section": "[]",
        "spans": "[]",
        "enabled": 1,
    },
    "threads": {"id": "t1", "title": "How high?", "base_id": "b1", "workflow": "adaptive"},
}


@pytest.fixture(params=RELEASED)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    """As that version left it, with a document and a conversation."""
    engine = open_engine(f"sqlite:///{tmp_path}/old.sqlite")
    with restructuring(engine) as connection:
        command.upgrade(configuration(connection), request.param)
    with writing(engine) as connection:
        for table, given in ROWS.items():
            columns = inspect(connection).get_columns(table)
            values = {
                column["name"]: given.get(column["name"], _filler(str(column["type"]), column["name"]))
                for column in columns
                if column["name"] in given or not column["nullable"]
            }
            names = ", ".join(f'"{name}"' for name in values)
            marks = ", ".join(f":{name}" for name in values)
            connection.execute(text(f'INSERT INTO "{table}" ({names}) VALUES ({marks})'), values)
    return engine


def _filler(kind: str, name: str) -> object:
    """Of a column that this test does not look at."""
    if kind.startswith(("INTEGER", "BIGINT", "BOOLEAN", "FLOAT")):
        return 0
    if kind.startswith("DATETIME"):
        return TIME
    return "[]" if kind == "JSON" else ""


def test_every_released_schema_is_among_the_fixtures(old: Engine) -> None:
    with reading(old) as connection:
        known = [script.revision for script in ScriptDirectory.from_config(configuration(connection)).walk_revisions()]
    assert tuple(sorted(known)) == RELEASED + NEXT, "a schema that was released belongs to the fixtures"


def test_an_old_database_is_brought_up_with_what_was_in_it(old: Engine) -> None:
    migrate(old)
    with reading(old) as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
        assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
    library = sql_library(old)
    (base,) = library.bases.all()
    (document,) = library.documents.of_base(base.id)
    assert (base.name, document.name, document.status) == ("Tides 潮汐", "handbook.pdf", DocumentStatus.READY)
    assert [chunk.text for chunk in library.passages.chunks(document.id)] == ["The tide is 4.2 metres high."]
    assert SqlThreads(old).get("t1").title == "How high?"
    assert SqlRunLog(old)


def test_an_upgrade_that_is_interrupted_is_begun_again(old: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("alembic.operations.base.Operations.create_table", interrupted)
        with pytest.raises(KeyboardInterrupt):
            migrate(old)
    migrate(old)
    assert [base.name for base in sql_library(old).bases.all()] == ["Tides 潮汐"]


def test_conversations_of_an_old_version_are_branches_of_one_turn_after_another(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path}/old.sqlite")
    with restructuring(engine) as connection:
        command.upgrade(configuration(connection), "0007")
    columns = "id, thread_id, base_id, question, question_norm, workflow, engine, status, started_at, outcome, answer"
    more = ", citations, model_calls, prompt_tokens, completion_tokens, tokens_estimated, seconds, error"
    with writing(engine) as connection:
        for name in ("t1", "t2", "t3"):
            words = f"('{name}', '', '', '', '', '{TIME}', '{TIME}')"
            into = "threads (id, title, title_norm, base_id, workflow, created_at, updated_at)"
            connection.exec_driver_sql(f"INSERT INTO {into} VALUES {words}")
        for name, thread in (("r1", "t1"), ("r2", "t2"), ("r3", "t1"), ("r4", "t1")):
            values = f"'{name}', '{thread}', '', 'q', 'q', '', '', 'done', '{TIME}', '', '', '[]', 0, 0, 0, 0, 0, ''"
            connection.exec_driver_sql(f"INSERT INTO runs ({columns}{more}) VALUES ({values})")
    migrate(engine)
    runs, threads = SqlRunLog(engine), SqlThreads(engine)
    assert [run.parent_id for run in runs.of_thread("t1")] == ["", "r1", "r3"]
    assert [threads.get(name).leaf_id for name in ("t1", "t2", "t3")] == ["r4", "r2", ""]


def test_runs_that_an_earlier_version_copied_into_a_fork_count_once(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path}/old.sqlite")
    with restructuring(engine) as connection:
        command.upgrade(configuration(connection), "0021")
    columns = "id, thread_id, base_id, question, question_norm, workflow, engine, status, started_at, outcome, answer"
    more = ", citations, model_calls, prompt_tokens, completion_tokens, tokens_estimated, seconds, error"
    with writing(engine) as connection:
        for thread, run, question in (("t1", "r1", "q1"), ("t2", "r2", "q1"), ("t2", "r3", "q2")):
            head = "INSERT OR IGNORE INTO threads (id, title, title_norm, base_id, workflow, created_at, updated_at)"
            connection.execute(text(f"{head} VALUES ('{thread}', '', '', '', '', '{TIME}', '{TIME}')"))
            words = (
                f"'{run}', '{thread}', '', '{question}', '', '', '', 'done', '{TIME}', '', '', '[]', 0, 0, 0, 0, 0, ''"
            )
            connection.execute(text(f"INSERT INTO runs ({columns}{more}) VALUES ({words})"))
    migrate(engine)
    assert [line.id for line in SqlRunLists(engine).lines(RunFilter())] == ["r3", "r1"]
