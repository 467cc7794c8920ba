"""Transactions: writers wait for one another, readers see one moment, failures are sentences."""

import multiprocessing
import sqlite3
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any, cast

import pytest
from sqlalchemy import Engine, func, insert, make_url, select, text

from core.documents.store.library import sql_library
from core.platform.errors import ConfigurationError, RetryableServiceError, ServiceError
from core.platform.sql import engine as engine_module
from core.platform.sql.engine import open_engine, reading, writing
from core.platform.sql.schema import knowledge_bases
from core.runs.events import AnswerDelta
from core.runs.model import RunRequest
from core.runs.store.run_log import SqlRunLog
from core.runs.store.threads import SqlThreads
from tests.store.databases import TickingClock, migrated_postgres
from tests.store.samples import add, publication

WRITES = 40


def append_many(url: str, run_id: str, writer: str) -> None:
    """What a process does; an exception ends it with another exit code."""
    engine = open_engine(url)
    log = SqlRunLog(engine)
    for number in range(WRITES):
        log.append(run_id, [AnswerDelta(f"{writer}{number}")])
    engine.dispose()


def url_of(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False)


@pytest.mark.usefixtures("plain_main")
def test_writers_of_several_processes_and_threads_never_find_the_database_locked(engine: Engine) -> None:
    log = SqlRunLog(engine)
    run = log.start(RunRequest("?", ""), SqlThreads(engine).create("T", "", "").id, "e")
    library = sql_library(engine)
    base = library.bases.create("B")
    spawn = multiprocessing.get_context("spawn")
    others = [spawn.Process(target=append_many, args=(url_of(engine), run.id, f"process {i} ")) for i in range(2)]
    for process in others:
        process.start()
    with ThreadPoolExecutor(4) as pool:
        appending = [pool.submit(append_many, url_of(engine), run.id, f"thread {i} ") for i in range(2)]
        documents = [add(library, base, f"{i}.pdf") for i in range(8)]
        publishing = [
            pool.submit(library.publications.publish, publication(document, base, ["BERT at Google"] * 50))
            for document in documents
        ]
        for work in [*appending, *publishing]:
            work.result()
    for process in others:
        process.join()
    assert [process.exitcode for process in others] == [0, 0]
    assert [seq for seq, _ in log.events(run.id, 0)] == list(range(1, 4 * WRITES + 1))
    assert library.bases.get(base.id).index_version == 8


def test_a_reader_sees_one_moment_while_another_writes(engine: Engine, clock: TickingClock) -> None:
    count = select(func.count()).select_from(knowledge_bases)
    library = sql_library(engine, clock)
    with reading(engine) as connection:
        assert connection.execute(count).scalar() == 0
        writer = threading.Thread(target=library.bases.create, args=("B",))
        writer.start()
        writer.join()
        assert connection.execute(count).scalar() == 0
    assert len(library.bases.all()) == 1


def test_a_write_that_fails_leaves_nothing(engine: Engine, clock: TickingClock) -> None:
    row = {"id": "x", "name": "x", "name_norm": "x", "created_at": clock(), "index_version": 0}

    def write_and_fail() -> None:
        with writing(engine) as connection:
            connection.execute(insert(knowledge_bases).values(**row))
            raise LookupError

    with pytest.raises(LookupError):
        write_and_fail()
    assert sql_library(engine).bases.all() == []
    if engine.dialect.name == "sqlite":
        with reading(engine) as connection:
            assert connection.exec_driver_sql("PRAGMA cache_size").scalar() == -2_000, "as before the write"


def test_sqlite_is_opened_for_many_processes(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path}/new folder/文件.sqlite")
    with reading(engine) as connection:
        pragmas = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert pragmas == {"journal_mode": "wal", "synchronous": 1, "foreign_keys": 1, "busy_timeout": 30_000}


@pytest.mark.parametrize(("durable", "level"), [(True, 2), (False, 1)])
def test_what_a_person_gives_waits_for_the_disk(tmp_path: Path, durable: bool, level: int) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'kept.sqlite'}")
    with writing(engine, durable=not durable):
        pass
    with writing(engine, durable=durable) as connection:
        assert connection.execute(text("PRAGMA synchronous")).scalar_one() == level


def test_times_need_a_time_zone(engine: Engine, clock: TickingClock) -> None:
    naive = SqlThreads(engine, lambda: clock().replace(tzinfo=None))
    with pytest.raises(Exception, match="time zone"):
        naive.create("T", "", "")


@pytest.mark.parametrize(
    "url",
    ["", "nonsense", "sqlite://", "sqlite:///:memory:", "mysql://u:secret@h/d", "oracle+nothing://h", "http://x:y/z"],
)
def test_an_unusable_url_is_explained_without_repeating_it(url: str) -> None:
    with pytest.raises(ConfigurationError, match="DATABASE_URL") as caught:
        open_engine(url)
    assert "secret" not in str(caught.value)


def test_a_postgres_url_may_be_written_in_the_short_form() -> None:
    pytest.importorskip("psycopg")
    assert open_engine("postgres://u:p@h/d").dialect.name == "postgresql"


def test_a_missing_postgres_driver_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ConfigurationError, match="pip install"):
        open_engine("postgresql://u:p@h/d")


def test_a_folder_that_cannot_be_made_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="GRAPHTALK_DATA"):
        open_engine(f"sqlite:///{tmp_path}/file/inside/truth.sqlite")


def test_a_damaged_file_is_reported_with_what_to_check(tmp_path: Path) -> None:
    (tmp_path / "truth.sqlite").write_bytes(b"This is no database. " * 100)
    with pytest.raises(ServiceError, match="not a database"):
        sql_library(open_engine(f"sqlite:///{tmp_path}/truth.sqlite")).bases.all()


def test_a_server_that_does_not_answer_is_reported_without_its_password() -> None:
    pytest.importorskip("psycopg")
    engine = open_engine("postgresql://user:secret@127.0.0.1:9/d")
    with pytest.raises(ServiceError, match="cannot be used") as caught:
        sql_library(engine).bases.all()
    assert "secret" not in str(caught.value)


def test_a_writer_that_waits_too_long_is_asked_to_try_again(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    if engine.dialect.name != "sqlite":
        pytest.skip("Postgres waits for rows, not for the database")
    monkeypatch.setattr("core.platform.sql.engine._BUSY_SECONDS", 0)
    impatient = open_engine(url_of(engine))
    with writing(engine), pytest.raises(ServiceError, match="busy") as caught:
        sql_library(impatient).bases.create("B")
    assert caught.value.retryable
    assert isinstance(caught.value.__cause__.__cause__ if caught.value.__cause__ else None, sqlite3.OperationalError)


def test_a_process_that_sleeps_in_a_transaction_keeps_its_locks_for_a_while_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine_module, "_ASLEEP_SECONDS", 1)
    asleep, other = open_engine(url := migrated_postgres()), open_engine(url)
    lock, got = text("SELECT pg_advisory_xact_lock(1)"), Event()

    def sleep() -> None:
        with writing(asleep) as sleeping:
            sleeping.execute(lock)
            with writing(other) as connection:
                connection.execute(text("SET LOCAL lock_timeout = '20s'"))
                connection.execute(lock)
                got.set()
            sleeping.execute(text("SELECT 1"))

    with pytest.raises(RetryableServiceError):
        sleep()
    assert got.is_set(), "the other one waited in vain"
    with writing(asleep) as awake:
        assert awake.execute(text("SELECT 1")).scalar_one() == 1


def test_a_wrong_statement_stays_a_defect(engine: Engine) -> None:
    with pytest.raises(Exception, match="no_such_table") as caught, reading(engine) as connection:
        connection.execute(text("SELECT * FROM no_such_table"))
    assert caught.value.__class__.__module__.startswith(("sqlalchemy", "core"))


def test_a_server_that_is_away_may_be_back_soon() -> None:
    """So documents under way are tried again, and programs are told to ask again."""
    gone = open_engine("postgresql+psycopg://nobody@127.0.0.1:1/nothing")
    with pytest.raises(RetryableServiceError, match="cannot be used"), reading(gone):
        pass
    gone.dispose()


def test_a_machine_that_is_gone_without_a_word_is_not_waited_for_by_the_network_alone() -> None:
    url = make_url(migrated_postgres()).update_query_dict({"tcp_user_timeout": "7000"})
    with open_engine(url.render_as_string(hide_password=False)).connect() as connection:
        options = cast(Any, connection.connection.driver_connection).info.get_parameters()
    assert (int(options["tcp_user_timeout"]), int(options["keepalives_idle"])) == (7_000, 10), "the URL comes first"
