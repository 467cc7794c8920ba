"""A database made before the migrations became one is opened with what was in it; an older one is left alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, inspect, text

from core.documents.store.library import sql_library
from core.platform.errors import ConfigurationError
from core.platform.sql.engine import open_engine, reading, writing
from core.platform.sql.migrate import migrate
from core.platform.sql.schema import METADATA
from core.runs.model import Turn
from core.runs.store.threads import SqlThreads
from tests.store.databases import described, empty_postgres

SCHEMAS = Path(__file__).with_name("schema_0022")
"""As the chain of twenty-two migrations made it; one statement a line."""
TIME = "2026-11-24 12:00:00.000000+00:00"
ROWS = (
    "INSERT INTO alembic_version VALUES ('0022')",
    "INSERT INTO knowledge_bases (id, name, name_norm, created_at, index_version)"
    f" VALUES ('b1', 'Tides 潮汐', 'tides 潮汐', '{TIME}', 0)",
    "INSERT INTO threads (id, title, title_norm, base_id, workflow, created_at, updated_at)"
    f" VALUES ('t1', 'How high?', 'how high?', 'b1', 'adaptive', '{TIME}', '{TIME}')",
    "INSERT INTO runs (id, thread_id, base_id, question, question_norm, workflow, engine, status, started_at, outcome,"
    " answer, citations, model_calls, prompt_tokens, completion_tokens, tokens_estimated, seconds, error) VALUES"
    f" ('r1', 't1', 'b1', 'How high?', 'how high?', 'adaptive', 'built-in', 'done', '{TIME}', 'answered',"
    " 'Two metres.', '[]', 0, 0, 0, false, 0.1, '')",
    "UPDATE threads SET leaf_id = 'r1'",
    "INSERT INTO messages (thread_id, run_id, role, text) VALUES ('t1', 'r1', 'user', 'How high?')",
    "INSERT INTO messages (thread_id, run_id, role, text) VALUES ('t1', 'r1', 'assistant', 'Two metres.')",
)


@pytest.fixture(params=["sqlite", "postgres"])
def before(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    engine = open_engine(f"sqlite:///{tmp_path}/before.sqlite" if request.param == "sqlite" else empty_postgres())
    with writing(engine) as connection:
        for statement in (*(SCHEMAS / f"{request.param}.sql").read_text(encoding="utf-8").splitlines(), *ROWS):
            connection.exec_driver_sql(statement)
    yield engine
    engine.dispose()


def _of_today(before: Engine) -> dict[str, object]:
    """Its tables without the messages, which repeated what runs have."""
    return {name: table for name, table in described(before).items() if name != "messages"}


def test_a_database_of_the_newest_schema_before_opens_with_what_was_in_it(before: Engine) -> None:
    schema = _of_today(before)
    migrate(before)
    assert described(before) == schema
    assert [base.name for base in sql_library(before).bases.all()] == ["Tides 潮汐"]
    assert SqlThreads(before).get("t1").title == "How high?"
    said = [Turn("user", "How high?"), Turn("assistant", "Two metres.", "answered", "r1")]
    assert SqlThreads(before).history("t1", 6) == said
    assert sql_library(before).bases.create("Kelp").name == "Kelp"


def test_a_database_of_today_has_the_tables_of_before(before: Engine) -> None:
    schema = _of_today(before)
    migrate(before)
    with reading(before) as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    with writing(before) as connection:
        METADATA.drop_all(connection)
        connection.execute(text("DROP TABLE alembic_version"))
    migrate(before)
    assert described(before) == schema


@pytest.mark.parametrize("revision", ["0001", "0021"])
def test_an_older_database_is_refused_with_the_remedy_and_stays_as_it_is(before: Engine, revision: str) -> None:
    with writing(before) as connection:
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{revision}'"))
    with pytest.raises(ConfigurationError, match=f"early version.*{revision}.*GRAPHTALK_DATA"):
        migrate(before)
    with reading(before) as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all() == [revision]


def test_tables_without_a_revision_are_refused(before: Engine) -> None:
    with writing(before) as connection:
        connection.execute(text("DROP TABLE alembic_version"))
    with pytest.raises(ConfigurationError, match="early version"):
        migrate(before)
    assert not inspect(before).has_table("alembic_version")
