"""Connections: one engine per database URL, read and write transactions, batches that every database accepts."""

import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, TypeVarTuple
from weakref import WeakKeyDictionary

from sqlalchemy import (
    URL,
    BindParameter,
    Connection,
    Engine,
    Row,
    RowMapping,
    Select,
    Table,
    bindparam,
    create_engine,
    event,
    func,
    make_url,
    select,
)
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    InterfaceError,
    InternalError,
    NoSuchModuleError,
    OperationalError,
    TimeoutError,
)

from core.platform.errors import AppError, ConfigurationError, RetryableServiceError
from core.platform.files.disk import disk_errors
from core.platform.files.sqlite_file import failure, first_line, is_kept_from_writing, open_for_reading
from core.platform.sql.columns import to_json

_BUSY_SECONDS = 30
"""Time that a writer waits for another one; publishing a large document takes a few seconds."""
_ASLEEP_SECONDS = 60
"""Time after which Postgres ends a transaction that writes and of which nothing comes, and lets others have its locks:
its machine sleeps or is gone, which the network notices after two hours.
"""
_NETWORK_LIMITS = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 30_000,
}
"""Options of libpq: a connection to a machine that is gone without a word ends within half a minute. The network alone
would notice after a quarter of an hour, or after two hours where an answer is awaited.
"""
_MIGRATION_LOCK = 4_711_280
"""A number of our own among Postgres' advisory locks."""
_WRITES = "graphtalk_writes"
"""Option of a connection that writes: whether its transactions wait for the disk."""
_READ_KILOBYTES, _WRITE_KILOBYTES = 2_000, 16_000
"""Sizes of SQLite's cache; with the smaller one it takes half as long again to write 150,000 mentions."""
_TURNS: WeakKeyDictionary[Engine, Lock] = WeakKeyDictionary()
_TURNS_MADE = Lock()
_SNAPSHOT = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


def open_engine(url: str, is_brief: bool = False) -> Engine:
    """An engine for SQLite (a file) or Postgres; connects lazily. Raises ConfigurationError for other URLs.

    is_brief: for a command, which may read a file that cannot be written to as if nobody else changed it.
    """
    parsed = _parsed(url)
    if parsed.get_backend_name() == "sqlite":
        file = Path(parsed.database or "")
        return _read_sqlite(parsed, file) if is_brief and is_kept_from_writing(file) else _open_sqlite(parsed)
    try:
        return create_engine(parsed, pool_pre_ping=True, json_serializer=to_json, connect_args=network_limits(parsed))
    except ImportError as error:
        raise ConfigurationError("storage.driver_missing") from error


def network_limits(url: URL) -> dict[str, int]:
    """Options of a connection to Postgres, without those that the URL sets itself."""
    return {name: limit for name, limit in _NETWORK_LIMITS.items() if name not in url.query}


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """One consistent view of the database. Raises ServiceError if it cannot be read."""
    options: dict[str, Any] = {} if engine.dialect.name == "sqlite" else _SNAPSHOT
    with translated(engine), engine.connect().execution_options(**options) as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine, *, durable: bool = True) -> Iterator[Connection]:
    """One transaction, committed whole or not at all. On SQLite it holds the write lock from the start.

    durable: whether a commit waits until the disk of SQLite has it, which takes up to 10 ms. What can be made anew, and
    the log of a run, need not; after a power loss their last half minute may be gone.
    """
    with (
        translated(engine),
        _in_turn(engine),
        engine.connect().execution_options(**{_WRITES: durable}) as connection,
        connection.begin(),
        _large_cache(connection),
    ):
        if not is_sqlite(engine):
            connection.exec_driver_sql(f"SET LOCAL idle_in_transaction_session_timeout = '{_ASLEEP_SECONDS}s'")
        yield connection


def keep_others_from_writing(connection: Connection, table: Table) -> None:
    """Until the end of the transaction, for tables that change seldom; on SQLite it is so from the start."""
    if not is_sqlite(connection.engine):
        connection.exec_driver_sql(f"LOCK TABLE {table.name} IN SHARE ROW EXCLUSIVE MODE")


def lock_row(connection: Connection, table: Table, id: str, *, against_deletion: bool = False) -> bool:
    """Whether the row is there; until the end of the transaction nobody else changes or deletes it.

    against_deletion: it may be changed, so that nobody waits who does.
    """
    this = select(table.c.id).where(table.c.id == id)
    return connection.execute(this.with_for_update(read=against_deletion, key_share=True)).first() is not None


@contextmanager
def _large_cache(connection: Connection) -> Iterator[None]:
    """A cache for SQLite in which a large transaction need not write the pages of its indexes again and again."""
    if connection.dialect.name != "sqlite":
        yield
        return
    cursor = connection.connection.cursor()
    cursor.execute(f"PRAGMA cache_size = -{_WRITE_KILOBYTES}")
    try:
        yield
    finally:
        with suppress(sqlite3.Error):  # the failure of the transaction is the one to report
            cursor.execute(f"PRAGMA cache_size = -{_READ_KILOBYTES}")


def check_before_statements(connection: Connection, check: Callable[[], None]) -> None:
    """Calls check before every statement; an exception of it ends the transaction."""

    def before(*_: object) -> None:
        check()

    event.listen(connection, "before_cursor_execute", before)


@contextmanager
def _in_turn(engine: Engine) -> Iterator[None]:
    """Threads of this process queue for SQLite's lock, which is only polled otherwise."""
    with _TURNS_MADE:
        turn = _TURNS.setdefault(engine, Lock())
    came = is_sqlite(engine) and turn.acquire(timeout=_BUSY_SECONDS)
    try:
        yield
    finally:
        if came:
            turn.release()


@contextmanager
def restructuring(engine: Engine) -> Iterator[Connection]:
    """A transaction for migrations, one process at a time.

    SQLite changes a table by copying it; foreign keys are off meanwhile, or dropping it would empty its children.
    """
    with translated(engine), engine.connect().execution_options(**{_WRITES: True}) as connection:
        if not is_sqlite(engine):
            with connection.begin():
                connection.execute(select(func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
                yield connection
            return
        _set_foreign_keys(connection, "OFF")
        try:
            with connection.begin():
                yield connection
        finally:
            _set_foreign_keys(connection, "ON")


def _set_foreign_keys(connection: Connection, state: str) -> None:
    """Outside any transaction, the only place where the pragma works."""
    connection.connection.cursor().execute(f"PRAGMA foreign_keys = {state}")


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url.replace("postgres://", "postgresql://", 1) if url.startswith("postgres://") else url)
        backend = parsed.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise ConfigurationError("storage.url_unusable") from error
    if backend == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise ConfigurationError("storage.url_without_file")
    if backend not in ("sqlite", "postgresql"):
        raise ConfigurationError("storage.url_unusable")
    return parsed


def _open_sqlite(url: URL) -> Engine:
    folder = Path(url.database or "").parent
    try:
        with disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError("storage.folder_unwritable", folder=folder, reason=error.strerror) from error
    engine = create_engine(
        url,
        max_overflow=30,
        pool_use_lifo=True,  # the connection that wrote last has its pages still; the others read theirs anew
        json_serializer=to_json,
        connect_args={"timeout": _BUSY_SECONDS},
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "connect", _read_any_bytes)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _read_sqlite(url: URL, file: Path) -> Engine:
    """An engine that refuses every write with the error of a read-only folder."""

    def connect() -> sqlite3.Connection:
        return open_for_reading(file, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)

    engine = create_engine(url, creator=connect, json_serializer=to_json)
    event.listen(engine, "connect", _read_any_bytes)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # transactions begin in _begin_sqlite
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")
    _use_write_ahead_log(connection)


def _read_any_bytes(connection: Any, _record: object) -> None:
    """One text with flipped bytes must not keep all others from being read; `doctor --full` tells where it is."""
    connection.text_factory = _decoded


def _decoded(stored: bytes) -> str:
    return stored.decode("utf-8", "replace")


def _use_write_ahead_log(connection: Any) -> None:
    """A new database can change its journal mode only while nobody reads; the busy timeout does not apply to that."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
        time.sleep(0.02)


def _begin_sqlite(connection: Connection) -> None:
    """Immediate, because a deferred transaction that starts to write fails at once if another one wrote."""
    durable = connection.get_execution_options().get(_WRITES)
    if durable is not None:
        connection.exec_driver_sql(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.connection.cursor().execute("BEGIN")  # cannot fail, and the way around is half of a short read


def is_sqlite(engine: Engine) -> bool:
    return engine.dialect.name == "sqlite"


@contextmanager
def translated(engine: Engine) -> Iterator[None]:
    """Converts failures of the database itself to AppError; an invalid statement stays a programming error."""
    try:
        yield
    except TimeoutError as error:
        raise RetryableServiceError("storage.busy") from error
    except sqlite3.DatabaseError as error:  # of a read that goes around SQLAlchemy
        raise failure(Path(engine.url.database or ""), error) from error
    except (OperationalError, InterfaceError, InternalError) as error:
        if "locked" in str(error.orig):
            raise RetryableServiceError("storage.busy") from error
        raise _failure(engine, error) from error
    except DatabaseError as error:
        if type(error) is not DatabaseError:
            raise
        raise _failure(engine, error) from error


def _failure(engine: Engine, error: DatabaseError | InterfaceError) -> AppError:
    if is_sqlite(engine):
        return failure(Path(engine.url.database or ""), error.orig)
    return RetryableServiceError("storage.unavailable", reason=first_line(error.orig))  # a server comes back


def all_rows(engine: Engine, statement: Select[*tuple[object, ...]], **values: object) -> Sequence[RowMapping]:
    """All rows of one statement, read in a transaction of its own."""
    with reading(engine) as connection:
        return connection.execute(statement, values).mappings().all()


Item = TypeVar("Item")
Columns = TypeVarTuple("Columns")

SIZE = 500
ASKED: BindParameter[str] = bindparam("asked", expanding=True)
"""What a statement for rows_of() looks up."""


def rows_of(
    connection: Connection, statement: Select[*Columns], asked: Collection[str], **values: object
) -> Iterator[Row[*Columns]]:
    """Rows of a statement that looks up ASKED, in batches that every database accepts."""
    for batch in batches(list(asked)):
        yield from connection.execute(statement, {"asked": batch, **values})


def batches(items: Sequence[Item], size: int = SIZE) -> Iterator[Sequence[Item]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
