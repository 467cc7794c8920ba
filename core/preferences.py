"""What was changed on the Settings page: settings.json in the data folder, readable by its owner alone."""

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.errors import ConfigurationError, InputError

FIXED = frozenset({"GRAPHTALK_DATA", "DATABASE_URL", "CHROMA_URL"})
"""Where the data is cannot be said in the data."""
TERMS_FILE = "sensitive_terms.txt"
MOST_TERMS, LONGEST_TERM = 2_000, 100
_NAME = "settings.json"
_LARGEST = 1_000_000


def read_preferences(data: Path) -> dict[str, str]:
    """Values by the names that the environment uses. Raises ConfigurationError for a file that cannot be read."""
    path = data / _NAME
    try:
        if not path.is_file():
            return {}
        if path.stat().st_size > _LARGEST:
            raise ValueError("too large")
        found = json.loads(path.read_text(encoding="utf-8"))
        return {str(name): str(value) for name, value in dict(found).items() if name not in FIXED}
    except (OSError, ValueError, TypeError) as error:
        raise ConfigurationError("settings.file_unreadable", path=str(path)) from error


def write_preferences(data: Path, changes: Mapping[str, str | None]) -> None:
    """Keeps what is not named; None takes a value back, so that the environment's holds again."""
    kept = {name: value for name, value in {**read_preferences(data), **changes}.items() if value is not None}
    write_private(data / _NAME, json.dumps(kept, ensure_ascii=False, indent=2))


def write_terms(data: Path, terms: Sequence[str] | None) -> None:
    """The sensitive terms, one a line; None goes back to the built-in ones."""
    path = data / TERMS_FILE
    if terms is None:
        path.unlink(missing_ok=True)
        return
    wanted = dict.fromkeys(" ".join(term.split()) for term in terms)
    lines = [term for term in wanted if term]
    if len(lines) > MOST_TERMS or max(map(len, lines), default=0) > LONGEST_TERM:
        raise InputError("settings.terms.too_many", limit=MOST_TERMS, length=LONGEST_TERM)
    write_private(path, "".join(f"{term}\n" for term in lines))


def write_private(path: Path, content: str) -> None:
    """The whole file or nothing, readable by its owner alone. Raises ConfigurationError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, place = tempfile.mkstemp(prefix=path.name, dir=path.parent)  # made with mode 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
        Path(place).replace(path)
    except OSError as error:
        Path(place).unlink(missing_ok=True)
        raise ConfigurationError("settings.file_unwritable", path=str(path)) from error


def preferences_stamp(data: Path) -> int:
    """Changes when the file does; 0 without one."""
    try:
        return (data / _NAME).stat().st_mtime_ns
    except OSError:
        return 0
