"""Fresh databases for tests: SQLite always, Postgres where TEST_POSTGRES_URL names one."""

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, make_url, text

from core.adapters.sql.engine import open_engine
from core.adapters.sql.migrate import migrate


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


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, migrated_file: Path, tmp_path: Path) -> Iterator[Engine]:
    """An empty database with all tables."""
    if request.param == "sqlite":
        path = shutil.copy(migrated_file, tmp_path / "truth.sqlite")
        opened = open_engine(f"sqlite:///{path}")
    else:
        opened = open_engine(empty_postgres())
        migrate(opened)
    yield opened
    opened.dispose()


@pytest.fixture
def clock() -> TickingClock:
    return TickingClock()


def empty_postgres() -> str:
    """The URL of a schema without tables; skips where there is no Postgres."""
    url = os.environ.get("TEST_POSTGRES_URL", "")
    if not url:
        pytest.skip("TEST_POSTGRES_URL names no Postgres")
    schema = f"graphtalk_{os.environ.get('PYTEST_XDIST_WORKER', 'test')}"
    admin = open_engine(url)
    with admin.begin() as connection:
        connection.execute(text(f"DROP SCHEMA IF EXISTS {schema} CASCADE"))
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    admin.dispose()
    with_schema = make_url(url).update_query_dict({"options": f"-csearch_path={schema}"})
    return with_schema.render_as_string(hide_password=False)
