"""Fresh databases for tests: SQLite always, Postgres where there is one."""

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import pytest
from sqlalchemy import Engine, inspect, make_url, text

from core.platform.sql.engine import open_engine
from core.platform.sql.migrate import migrate
from core.platform.sql.schema import METADATA, REVISION
from tests.store.postgres import postgres_url


class TickingClock:
    """A second passes with every look."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sql") / "migrated.sqlite"
    engine = open_engine(f"sqlite:///{path}")
    migrate(engine)
    engine.dispose()
    return path


_EMPTIED = "; ".join(
    (
        "SET LOCAL session_replication_role = replica",  # so that their order does not matter
        *(f"DELETE FROM {name}" for name in METADATA.tables),
        "SELECT setval(oid::regclass, 1, false) FROM pg_class"
        " WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace",
        f"UPDATE alembic_version SET version_num = '{REVISION}'",
    )
)
"""Ten times as fast as TRUNCATE, which makes new files for every table."""


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, migrated_file: Path, tmp_path: Path) -> Iterator[Engine]:
    """An empty database with all tables."""
    if request.param == "sqlite":
        path = shutil.copy(migrated_file, tmp_path / "truth.sqlite")
        opened = open_engine(f"sqlite:///{path}")
    else:
        opened = open_engine(migrated_postgres())
        with opened.begin() as connection:
            connection.exec_driver_sql(_EMPTIED)
    yield opened
    opened.dispose()


@pytest.fixture
def clock() -> TickingClock:
    return TickingClock()


@cache
def migrated_postgres() -> str:
    """The URL of a schema with all tables, for every test of this process; skips where there is no Postgres."""
    url = empty_postgres("migrated")
    engine = open_engine(url)
    migrate(engine)
    engine.dispose()
    return url


def described(engine: Engine) -> dict[str, object]:
    """Every table as the database reports it, whatever the order of its columns."""
    inspector = inspect(engine)
    found: dict[str, object] = {}
    for name in inspector.get_table_names():
        columns = [{**column, "type": str(column["type"])} for column in inspector.get_columns(name)]
        parts = [
            *columns,
            inspector.get_pk_constraint(name),
            *inspector.get_indexes(name),
            *inspector.get_unique_constraints(name),
            *inspector.get_foreign_keys(name),
        ]
        found[name] = sorted(str(sorted((key, str(value)) for key, value in part.items())) for part in parts)
    return found


def empty_postgres(name: str = "empty") -> str:
    """The URL of a schema without tables; skips where there is no Postgres."""
    url = postgres_url()
    if not url:
        pytest.skip("neither TEST_POSTGRES_URL nor a Postgres of this machine")
    schema = f"graphtalk_{name}_{os.environ.get('PYTEST_XDIST_WORKER', 'test')}"
    admin = open_engine(url)
    with admin.begin() as connection:
        connection.execute(text(f"DROP SCHEMA IF EXISTS {schema} CASCADE"))
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    admin.dispose()
    with_schema = make_url(url).update_query_dict({"options": f"-csearch_path={schema}"})
    return with_schema.render_as_string(hide_password=False)
