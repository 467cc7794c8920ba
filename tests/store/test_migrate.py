"""Migrations make exactly the schema, once, and refuse a database from the future."""

import multiprocessing
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import JSON, Column, Engine, inspect, text

from core.documents.store.library import sql_library
from core.platform.errors import ConfigurationError
from core.platform.sql.engine import open_engine, reading, restructuring, writing
from core.platform.sql.migrate import migrate
from core.platform.sql.schema import METADATA, REVISION
from core.platform.sql.upgrade import configuration
from tests.store.databases import described, empty_postgres


@pytest.fixture(params=["sqlite", "postgres"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """A database without tables."""
    url = f"sqlite:///{tmp_path}/100% new.sqlite" if request.param == "sqlite" else empty_postgres()
    engine = open_engine(url)
    yield engine
    engine.dispose()


def open_and_migrate(url: str, ready: "multiprocessing.synchronize.Barrier") -> None:
    engine = open_engine(url)
    ready.wait()
    migrate(engine)


def upgrade_by_migrations(engine: Engine) -> None:
    with restructuring(engine) as connection:
        command.upgrade(configuration(connection), "head")


def test_an_empty_database_becomes_what_the_migrations_make_of_it(empty: Engine) -> None:
    upgrade_by_migrations(empty)
    by_migrations = described(empty)
    with restructuring(empty) as connection:
        METADATA.drop_all(connection)
        connection.execute(text("DROP TABLE alembic_version"))
    migrate(empty)
    assert described(empty) == by_migrations
    with reading(empty) as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all() == [REVISION]


def test_migrations_make_exactly_the_schema(empty: Engine) -> None:
    upgrade_by_migrations(empty)
    with reading(empty) as connection:
        opts = {"compare_type": True, "compare_server_default": _default_differs}
        assert compare_metadata(MigrationContext.configure(connection, opts=opts), METADATA) == []


def _default_differs(
    _: object, __: object, column: Column[object], found: str, ___: object, wanted: str
) -> bool | None:
    """JSON is compared as text, because Postgres has no operator for it; all else as Alembic does (None)."""
    if isinstance(column.type, JSON) and found and wanted:
        return found.removesuffix("::json").strip("'") != wanted
    return None


def test_foreign_keys_of_the_migrations_cascade_like_those_of_the_schema(empty: Engine) -> None:
    upgrade_by_migrations(empty)
    inspector = inspect(empty)
    for table in METADATA.sorted_tables:
        made = {
            (key["constrained_columns"][0], key["options"].get("ondelete"))
            for key in inspector.get_foreign_keys(table.name)
        }
        assert made == {(key.column_keys[0], key.ondelete) for key in table.foreign_key_constraints}


def test_the_newest_migration_is_the_one_the_code_knows(empty: Engine) -> None:
    with reading(empty) as connection:
        assert ScriptDirectory.from_config(configuration(connection)).get_heads() == [REVISION]


def test_migrating_again_changes_nothing(engine: Engine) -> None:
    library = sql_library(engine)
    base = library.bases.create("Papers")
    migrate(engine)
    assert library.bases.all() == [base]


@pytest.mark.usefixtures("plain_main")
def test_processes_that_start_at_once_migrate_once(empty: Engine) -> None:
    spawn = multiprocessing.get_context("spawn")
    ready = spawn.Barrier(3)
    url = empty.url.render_as_string(hide_password=False)
    processes = [spawn.Process(target=open_and_migrate, args=(url, ready)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert sql_library(empty).bases.all() == []


def test_a_database_of_a_newer_version_is_refused_with_the_remedy(engine: Engine) -> None:
    with writing(engine) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(ConfigurationError, match="Update GraphTalk") as caught:
        migrate(engine)
    assert caught.value.params["found"] == "9999"


def test_a_migration_that_fails_leaves_an_empty_database(empty: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise LookupError

    with monkeypatch.context() as patch:
        patch.setattr("sqlalchemy.schema.Table.create", fail)
        with pytest.raises(LookupError):
            migrate(empty)
    assert inspect(empty).get_table_names() == []
    migrate(empty)
    assert len(inspect(empty).get_table_names()) == len(METADATA.tables) + 1


def test_rebuilding_a_table_does_not_empty_its_children(engine: Engine) -> None:
    library = sql_library(engine)
    base = library.bases.create("Papers")
    document, _ = library.documents.add(base.id, "a.pdf", "f" * 64, 1, "application/pdf")
    if engine.dialect.name != "sqlite":
        pytest.skip("only SQLite rebuilds tables")
    with restructuring(engine) as connection:
        connection.execute(text("CREATE TABLE copy AS SELECT * FROM knowledge_bases"))
        connection.execute(text("DROP TABLE knowledge_bases"))
        connection.execute(text("ALTER TABLE copy RENAME TO knowledge_bases"))
    assert library.documents.get(document.id) == document
    with reading(engine) as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
