"""A standby takes the place of a Postgres that loses its power: what was acknowledged is there, and all goes on.

The address names both servers, and a commit is on both before it is acknowledged.
"""

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from dbos import DBOS
from dbos._dbos import _get_dbos_instance
from sqlalchemy import make_url, text

from core.app.services import Services
from core.documents.model import DocumentStatus
from core.documents.pipeline.dbos_engine import DbosEngine
from core.documents.ports.ingestion import StageRunner
from core.memory.model import Memory, MemoryKind, MemoryStatus
from core.platform.errors import AppError, RetryableServiceError
from core.platform.settings.settings import load_settings
from core.platform.sql.engine import open_engine
from core.runs.events import RunFinished
from core.runs.model import RunRequest, RunStatus
from tests.loopback.openai_server import OpenAiServer
from tests.processes.installation import (
    KEY,
    Installation,
    all_ended,
    free_port,
    new_database,
    own_postgres,
    texts,
    wait_for,
)
from tests.processes.slow_model import Slowly
from tests.store.postgres import PostgresServer, programs
from tests.store.samples import publish

_AWAY_SECONDS = 3
"""Time for which there is no server at all."""


@pytest.fixture
def pair() -> Iterator[tuple[PostgresServer, PostgresServer]]:
    bin = programs()
    if not bin:
        pytest.skip("SKIPPED: no Postgres of this machine: nothing shows that a standby can take its place")
    primary = PostgresServer(bin, port=free_port())
    try:
        primary.start("synchronous_commit=on")
        standby = PostgresServer(bin, port=free_port(), follows=primary)
        try:
            standby.start("synchronous_commit=on")
            order(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
            yield primary, standby
        finally:
            standby.remove()
    finally:
        primary.remove()


def order(server: PostgresServer, *statements: str) -> None:
    engine = open_engine(server.url)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def address_of(pair: tuple[PostgresServer, PostgresServer], database: str) -> str:
    """As the README says it."""
    hosts = "&".join(f"host=127.0.0.1:{server.port}" for server in pair)
    return f"postgresql+psycopg://postgres@/{database}?{hosts}&target_session_attrs=read-write"


class Keeper(threading.Thread):
    """Keeps one memory after the other until stop is set."""

    def __init__(self, services: Services) -> None:
        super().__init__(daemon=True)
        self._services = services
        self.kept, self.refused, self.stop = list[str](), list[AppError](), threading.Event()
        self.start()

    def run(self) -> None:
        number = 0
        while not self.stop.wait(0.05):
            number += 1
            now, words = datetime.now(UTC), f"Gauge {number} is read at noon."
            memory = Memory(f"m{number}", words, MemoryKind.FACT, 5, 0.8, MemoryStatus.ACTIVE, now, now)
            try:
                self._services.storage.memories.save(memory)
            except RetryableServiceError as error:
                self.refused.append(error)
            else:
                self.kept.append(memory.id)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_standby_takes_the_place_of_a_primary_without_loss(
    pair: tuple[PostgresServer, PostgresServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    primary, standby = pair
    (tmp_path / "shared").mkdir()
    environment = {
        "DATABASE_URL": address_of(pair, make_url(new_database(primary.url)).database or ""),
        "CHROMA_URL": f"http://127.0.0.1:{free_port()}",
        "FILES_URL": f"file://{tmp_path}/shared",
        "SETTINGS_KEY": KEY,
        "LEASE_SECONDS": "6",
    }
    installation = Installation(tmp_path, environment)
    with OpenAiServer(Slowly()) as model:
        for name, value in {**environment, "LLM_BASE_URL": model.base_url, "LLM_MODEL": "slow"}.items():
            monkeypatch.setenv(name, value)
        with Services(load_settings(tmp_path / "app"), shared=False) as app:
            base = app.library.bases.create("Tides")
            publish(app.library, base, "gannet.md", "The tide at Gannet is 4.2 metres high.")
            installation.start(1)
            try:
                wait_for(lambda: "ready, process" in (tmp_path / "worker-1.log").read_text("utf-8"))
                keeper = Keeper(app)
                for number in range(4):
                    app.lifecycle.intake.add(base.id, f"{number}.md", b"\n".join(texts(100 + number).values()))
                run_id = app.answering.worker.start(RunRequest("How high is the tide at Gannet?", base.id))
                wait_for(lambda: list((tmp_path / "machine-1" / "work").glob("*.stage")))
                wait_for(lambda: len(app.runs.events(run_id, 0)) > 3)
                assert app.runs.get(run_id).status is RunStatus.RUNNING
                primary.lose_power()
                kept = len(keeper.kept)
                time.sleep(_AWAY_SECONDS)
                with pytest.raises(RetryableServiceError, match="cannot be used"):
                    app.library.bases.all()
                order(standby, "SELECT pg_promote()")
                wait_for(lambda: len(keeper.kept) > kept + 20)
                wait_for(lambda: all_ended(app, base.id))
                wait_for(lambda: app.runs.get(run_id).status is not RunStatus.RUNNING)
                keeper.stop.set()
                keeper.join()
                assert installation.workers[1].poll() is None, "the worker went on by itself"
            finally:
                installation.stop()
            assert keeper.refused
            assert {*keeper.kept} <= {memory.id for memory in app.storage.memories.find()}
            assert {each.status for each in app.library.documents.of_base(base.id)} == {DocumentStatus.READY}
            run = app.runs.get(run_id)
            assert (run.status, "4.2 metres" in run.answer) == (RunStatus.DONE, True)
            assert [type(event) for _, event in app.runs.events(run_id, 0)].count(RunFinished) == 1


@pytest.mark.slow
def test_the_queue_does_not_wait_for_a_machine_that_is_gone_without_a_word() -> None:
    engine = DbosEngine(own_postgres(), concurrency=1, attempts=1)
    engine.start(cast(StageRunner, None))
    try:
        with _get_dbos_instance()._sys_db.engine.connect() as connection:
            options = cast(Any, connection.connection.driver_connection).info.get_parameters()
        assert int(options["tcp_user_timeout"]) == 30_000
    finally:
        DBOS.destroy()
