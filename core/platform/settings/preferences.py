"""Changes made on the Settings page: files in the data folder, readable only by its owner."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from core.platform.errors import ConfigurationError, InputError
from core.platform.files.atomic_file import write_atomically

FIXED = frozenset({"GRAPHTALK_DATA", "DATABASE_URL", "CHROMA_URL", "FILES_URL", "SETTINGS_KEY", "LEASE_SECONDS"})
"""Settings that say where the data is and how processes share it, which cannot be stored in the data."""
PRICES_FILE, TERMS_FILE = "prices.json", "sensitive_terms.txt"
LISTS = (PRICES_FILE, TERMS_FILE)
"""Settings with files of their own in the data folder; where processes share settings, they have these names."""
MOST_TERMS, LONGEST_TERM = 2_000, 100
_NAME = "settings.json"
_LARGEST = 1_000_000


class PreferenceStore(Protocol):
    """Store of the changes made in the app."""

    def read(self) -> dict[str, str]:
        """Values by environment variable name. Raises ConfigurationError if they cannot be read."""

    def write(self, changes: Mapping[str, str | None]) -> None:
        """Changes these values only; None removes one, so that the environment's applies again."""

    def stamp(self) -> int:
        """A number that differs after a change by any process."""


class FilePreferences:
    """PreferenceStore of a data folder."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._file = data / _NAME

    def read(self) -> dict[str, str]:
        try:
            if not self._file.is_file():
                return {}
            if self._file.stat().st_size > _LARGEST:
                raise ValueError("too large")
            found = json.loads(self._file.read_text(encoding="utf-8"))
            return {str(name): str(value) for name, value in dict(found).items() if name not in FIXED}
        except (OSError, ValueError, TypeError) as error:
            raise ConfigurationError("settings.file_unreadable", path=str(self._file)) from error

    def write(self, changes: Mapping[str, str | None]) -> None:
        for name in changes.keys() & set(LISTS):
            if (content := changes[name]) is None:
                (self._data / name).unlink(missing_ok=True)
            else:
                write_private(self._data / name, content)
        if others := {name: value for name, value in changes.items() if name not in LISTS}:
            kept = {name: value for name, value in {**self.read(), **others}.items() if value is not None}
            write_private(self._file, json.dumps(kept, ensure_ascii=False, indent=2))

    def stamp(self) -> int:
        """Changes with the file; 0 if there is none."""
        try:
            return self._file.stat().st_mtime_ns
        except OSError:
            return 0


def read_list(data: Path, name: str) -> str | None:
    """None without such a file. Raises ConfigurationError if it cannot be read."""
    path = data / name
    try:
        return path.read_text(encoding="utf-8-sig", errors="replace") if path.is_file() else None
    except OSError as error:
        raise ConfigurationError("settings.file_unreadable", path=str(path)) from error


def share_missing(data: Path, store: PreferenceStore) -> None:
    """Copies changes of this data folder that the store does not have. Raises ConfigurationError."""
    here: dict[str, str | None] = {**FilePreferences(data).read(), **{name: read_list(data, name) for name in LISTS}}
    known = store.read()
    if missing := {name: value for name, value in here.items() if value is not None and name not in known}:
        store.write(missing)


def terms_text(terms: Sequence[str]) -> str:
    """The sensitive terms, one per line. Raises InputError."""
    wanted = dict.fromkeys(" ".join(term.split()) for term in terms)
    lines = [term for term in wanted if term]
    if len(lines) > MOST_TERMS or max(map(len, lines), default=0) > LONGEST_TERM:
        raise InputError("settings.terms.too_many", limit=MOST_TERMS, length=LONGEST_TERM)
    return "".join(f"{term}\n" for term in lines)


def write_private(path: Path, content: str) -> None:
    """Written whole or not at all, readable only by its owner. Raises ConfigurationError."""
    try:
        write_atomically(path, content.encode())
    except OSError as error:
        raise ConfigurationError("settings.file_unwritable", path=str(path)) from error
