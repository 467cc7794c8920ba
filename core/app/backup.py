"""Backups: a data folder in one file, with a consistent copy of the database while the app runs, and back."""

import json
import os
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Set
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from core.app.lazy import Configuration
from core.app.models import Models
from core.app.storage import Storage, check_shared, shared_settings
from core.documents.lifecycle.base_removal import deleted_bases
from core.documents.lifecycle.trash import Trash
from core.platform.errors import ConfigurationError, InputError, NotFoundError
from core.platform.files.atomic_file import move_into_place, temporary_file
from core.platform.files.disk import RESERVE_MEGABYTES, disk_errors, out_of_space
from core.platform.files.file_lock import try_lock
from core.platform.files.sqlite_file import damaged, failure, flaw_of, is_kept_from_writing, open_for_reading
from core.platform.settings.preferences import share_missing
from core.platform.settings.settings import SQL_FILE, Settings
from core.platform.sql.data_folder import take_over as assign
from core.platform.sql.engine import open_engine
from core.platform.sql.migrate import migrate

FOLDERS = ("files", "trash", "versions", "held", "models")
FILES = ("settings.json", "prices.json", "sensitive_terms.txt", "folder.id")
MANIFEST = "graphtalk-backup.json"
FORMAT = 1
_PIECE = 1 << 20
_WORKSHOP, _LOCK = ".backup-", "lock"


def write_backup(settings: Settings, target: Path) -> int:
    """Writes a backup and returns the number of its files. The target appears whole or not at all, mode 0600.

    Raises AppError, also where the database is damaged: a backup of it would replace a good one.
    """
    source = _database(settings)
    if not source.is_file():
        raise NotFoundError("backup.nothing", folder=settings.data)
    if target.is_dir():
        raise InputError("backup.is_folder", folder=target)
    with _workshop(target.absolute().parent) as place, temporary_file(place) as file:
        copy = place / SQL_FILE
        # a file that was written while the clock was wrong may have a time that zip does not know
        with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=1, strict_timestamps=False) as archive:
            names = _added(archive, settings.data)
            with disk_errors(place):
                _copy_database(source, copy)
            if flaw := flaw_of(copy, thorough=True):
                raise damaged(source, flaw)
            archive.write(copy, SQL_FILE)
            names |= _added(archive, settings.data, names)
            note = {"format": FORMAT, "made_at": datetime.now(UTC).isoformat(), "files": len(names) + 1}
            archive.writestr(MANIFEST, json.dumps(note))
        move_into_place(file, target.absolute())
    return len(names) + 1


def restore_backup(settings: Settings, backup: Path) -> None:
    """Into the data folder, which must be empty: it is filled whole or not at all. Raises AppError."""
    data = settings.data.absolute()
    if settings.database_url:
        raise ConfigurationError("backup.elsewhere")
    if data.exists() and any(data.iterdir()):
        raise InputError("backup.folder_in_use", folder=data)
    try:
        with _opened(backup) as file, ZipFile(file) as archive, disk_errors(data.parent):
            entries = _checked(archive, backup)
            _fill(data, archive, entries)
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise InputError("backup.unreadable", name=backup.name) from error


def _opened(backup: Path) -> IO[bytes]:
    try:
        return backup.open("rb")
    except OSError as error:
        raise InputError("backup.closed", name=backup, reason=error.strerror) from error


@contextmanager
def _workshop(folder: Path) -> Iterator[Path]:
    """A temporary folder of a backup. Those of killed backups, which nobody locks, are deleted first."""
    for left in folder.glob(f"{_WORKSHOP}*/{_LOCK}"):
        with suppress(FileNotFoundError):  # it has just been deleted by its owner
            if lock := try_lock(left):
                shutil.rmtree(left.parent, ignore_errors=True)
                lock.release()
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        place, release = _locked_place(folder)
    try:
        yield place
    finally:
        release()
        shutil.rmtree(place, ignore_errors=True)


def _locked_place(folder: Path) -> tuple[Path, Callable[[], None]]:
    """Another one where a second backup has deleted it as left behind before it was locked."""
    while True:
        place = Path(mkdtemp(dir=folder, prefix=_WORKSHOP))
        with suppress(FileNotFoundError):
            if (lock := try_lock(place / _LOCK)) and (place / _LOCK).exists():
                return place, lock.release


def _database(settings: Settings) -> Path:
    if not settings.sql_url.startswith("sqlite:///"):
        raise ConfigurationError("backup.server")
    return Path(settings.sql_url.removeprefix("sqlite:///"))


def _copy_database(source: Path, copy: Path) -> None:
    """Copies one state of the database by SQLite's online backup, even if others write meanwhile."""
    try:
        connect = open_for_reading if is_kept_from_writing(source) else sqlite3.connect
        with closing(connect(source, timeout=30)) as found, closing(sqlite3.connect(copy)) as made:
            found.backup(made, pages=4096)
    except sqlite3.Error as error:
        raise failure(source, error) from error


def _contents(data: Path) -> Iterator[tuple[str, Path]]:
    for name in FILES:
        yield name, data / name
    for folder in FOLDERS:
        for path in sorted((data / folder).rglob("*")):
            if path.suffix != ".tmp" and path.is_file():
                yield path.relative_to(data).as_posix(), path


def _added(archive: ZipFile, data: Path, known: Set[str] = frozenset()) -> set[str]:
    """Adds the files that are not known yet; returns their names.

    Before the database is copied: no document of the copy lacks a file that is deleted meanwhile. And after it, for
    documents that were added meanwhile.
    """
    return {name for name, path in _contents(data) if name not in known and _add(archive, path, name)}


def _add(archive: ZipFile, path: Path, name: str) -> bool:
    """Adds a file; False if it does not exist any more. Uploaded files are mostly compressed already."""
    try:
        archive.write(path, name, ZIP_STORED if name.startswith("files/") else ZIP_DEFLATED)
    except FileNotFoundError:
        return False
    except PermissionError as error:
        raise InputError("error.file_unreadable", name=path, reason=error.strerror) from error
    return True


def _checked(archive: ZipFile, backup: Path) -> list[ZipInfo]:
    """What is to be unpacked. Raises InputError for anything but a backup of ours."""
    entries = archive.infolist()
    names = [entry.filename for entry in entries]
    if not {MANIFEST, SQL_FILE} <= set(names) or not all(map(_is_ours, names)) or len(set(names)) < len(names):
        raise InputError("backup.unreadable", name=backup.name)
    note = json.loads(archive.read(MANIFEST))
    if not isinstance(note, dict):
        raise InputError("backup.unreadable", name=backup.name)
    if note.get("format") != FORMAT:
        raise InputError("backup.newer", name=backup.name)
    return [entry for entry in entries if entry.filename != MANIFEST]


def _is_ours(name: str) -> bool:
    parts = PurePosixPath(name).parts
    if name in (MANIFEST, SQL_FILE, *FILES):
        return True
    return len(parts) > 1 and parts[0] in FOLDERS and ".." not in parts and "\\" not in name and not name.endswith("/")


def _fill(data: Path, archive: ZipFile, entries: list[ZipInfo]) -> None:
    """Unpacks next to the data folder, then renames in one step."""
    data.parent.mkdir(parents=True, exist_ok=True)
    needed = sum(entry.file_size for entry in entries)
    if shutil.disk_usage(data.parent).free < needed + RESERVE_MEGABYTES * 1_000_000:
        raise out_of_space(data.parent)
    beside = Path(mkdtemp(dir=data.parent, prefix=f".{data.name}-"))
    with ExitStack() as undo:
        undo.callback(shutil.rmtree, beside, ignore_errors=True)
        for entry in entries:
            _unpack(archive, entry, beside / entry.filename)
        if flaw := flaw_of(beside / SQL_FILE, thorough=True):
            raise damaged(beside / SQL_FILE, flaw)
        if data.exists():
            data.rmdir()
        beside.replace(data)
        undo.pop_all()


def _unpack(archive: ZipFile, entry: ZipInfo, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (
        archive.open(entry) as packed,
        os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file,
    ):
        while piece := packed.read(_PIECE):
            file.write(piece)


def take_over(settings: Settings) -> None:
    """Assigns the database to this data folder, or to the files that several share, and shares what is here."""
    check_shared(settings)
    storage = Storage(Models(Configuration(settings)))
    engine = open_engine(settings.sql_url)
    migrate(engine)
    _share_files(storage)
    if settings.is_shared:
        share_missing(settings.data, shared_settings(engine, settings))
    assign(engine, lambda: storage.owner)
    engine.dispose()


def _share_files(storage: Storage) -> None:
    """What the data folder alone has so far."""
    data, blobs = storage.settings.data, storage.blobs
    if blobs is None:
        return
    storage.files.share()
    for name in ("trash", "versions"):
        Trash(data / name, shared=blobs).store.share()
    deleted_bases(data / "trash", blobs).share()
