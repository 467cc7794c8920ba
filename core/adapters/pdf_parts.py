"""A PDF in parts of so many pages, each a file of its own: services read no more at a time. A limited child cuts it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.adapters.isolated import ChildEndedError, Isolated
from core.errors import CancelledError, InputError, ServiceError
from core.ports import Cancel

_SECONDS = 180.0
_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Part:
    path: Path
    first: int
    """0-based page of the whole document."""
    pages: int


def pdf_parts(path: Path, name: str, most: int, folder: Path, cancel: Cancel) -> list[Part]:
    """One part, the file itself, where it is short enough.

    Raises InputError for one that cannot be opened, ServiceError when it makes the child fail, CancelledError.
    """
    arguments = [str(path.resolve()), name, str(most), str(folder.resolve())]
    child = Isolated("core.adapters.pdf_parts_process", arguments)
    try:
        message = _answer(child, name, cancel)
    except ChildEndedError as error:
        raise ServiceError("ingest.error.parser_failed", name=name) from error
    finally:
        child.stop()
    if "error" in message:
        raise InputError(str(message["error"]), **message.get("params", {}))
    return [Part(Path(file), first, pages) for file, first, pages in message["parts"]]


def _answer(child: Isolated, name: str, cancel: Cancel) -> Mapping[str, Any]:
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        if cancel.requested():
            raise CancelledError("error.cancelled")
        message = child.receive(_POLL_SECONDS)
        if message is not None:
            return message
    raise ServiceError("ingest.error.parser_failed", name=name)
