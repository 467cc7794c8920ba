"""Splits a PDF into files of limited page count, because services read no more at once. Done in a limited child."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.models.meter import Cancel
from core.platform.errors import CancelledError, InputError, ServiceError
from core.platform.processes.isolated_process import ChildEndedError, Isolated

_SECONDS = 180.0
_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class PdfPart:
    path: Path
    first: int
    """0-based page of the whole document."""
    pages: int


def pdf_parts(path: Path, name: str, most: int, folder: Path, cancel: Cancel) -> list[PdfPart]:
    """A single part, the file itself, if it is short enough.

    Raises InputError if the file cannot be opened, ServiceError if it makes the child fail, CancelledError.
    """
    arguments = [str(path.resolve()), name, str(most), str(folder.resolve())]
    child = Isolated("core.documents.parsing.pdf.parts_process", arguments)
    try:
        message = _answer(child, name, cancel)
    except ChildEndedError as error:
        raise error.failure(name) from error
    finally:
        child.stop()
    if "error" in message:
        raise InputError(str(message["error"]), **message.get("params", {}))
    return [PdfPart(Path(file), first, pages) for file, first, pages in message["parts"]]


def _answer(child: Isolated, name: str, cancel: Cancel) -> Mapping[str, Any]:
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        if cancel.requested():
            raise CancelledError("error.cancelled")
        message = child.receive(_POLL_SECONDS)
        if message is not None:
            return message
    raise ServiceError("ingest.error.parser_failed", name=name)
