"""Reports what keeps the ingestion process from working to its supervisor and to other processes.

The process says it in a line on its standard output, because a full disk takes no file. Its supervisor keeps it in
the data folder as well, where that is possible, so that commands and pages of other processes can show it.
"""

import json
import sys
from contextlib import suppress
from pathlib import Path

from core.platform.errors import AppError
from core.platform.files.atomic_file import write_atomically
from core.platform.texts import known

_FILE = "ingestion-fault.json"
_READY = "ready"


def report(fault: AppError | None) -> None:
    """Called in the ingestion process; None means that it works."""
    with suppress(OSError):  # whoever started it is gone, and so will be this process
        sys.stdout.write(_line(fault) + "\n")
        sys.stdout.flush()


def parse_report(line: bytes) -> tuple[bool, AppError | None]:
    """Parses a line of the process's output, which may also come from a library: (is a report, its fault)."""
    try:
        message = json.loads(line)
    except ValueError:
        return False, None
    if message == _READY:
        return True, None
    fault = _error(message)
    return fault is not None, fault


def store(data: Path, fault: AppError | None) -> None:
    """Stores the fault for other processes, if the disk allows it."""
    with suppress(AppError, OSError):
        if fault:
            write_atomically(data / _FILE, _line(fault).encode())
        else:
            (data / _FILE).unlink(missing_ok=True)


def stored(data: Path) -> AppError | None:
    try:
        return _error(json.loads((data / _FILE).read_bytes()))
    except (OSError, ValueError):
        return None


def _line(fault: AppError | None) -> str:
    return json.dumps({"key": fault.key, "params": fault.params} if fault else _READY)


def _error(message: object) -> AppError | None:
    match message:
        case {"key": str(key), "params": dict(params)} if known(key):
            return AppError(key, **params)
    return None
