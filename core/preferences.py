"""What was changed on the Settings page: settings.json in the data folder, readable by its owner alone."""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from core.errors import ConfigurationError

FIXED = frozenset({"GRAPHTALK_DATA", "DATABASE_URL", "CHROMA_URL"})
"""Where the data is cannot be said in the data."""
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
    data.mkdir(parents=True, exist_ok=True)
    handle, place = tempfile.mkstemp(prefix=_NAME, dir=data)  # made with mode 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(kept, file, ensure_ascii=False, indent=2)
        Path(place).replace(data / _NAME)
    except OSError as error:
        Path(place).unlink(missing_ok=True)
        raise ConfigurationError("settings.file_unwritable", path=str(data / _NAME)) from error


def preferences_stamp(data: Path) -> int:
    """Changes when the file does; 0 without one."""
    try:
        return (data / _NAME).stat().st_mtime_ns
    except OSError:
        return 0
