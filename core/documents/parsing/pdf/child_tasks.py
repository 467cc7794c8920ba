"""Untrusted PDFs measured, split and unlocked by a limited child process, which ends after one file."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.documents.estimating.text_size import Extent, extent_of_file
from core.documents.reading.formats import PDF
from core.documents.reading.inspection import inspect_file
from core.models.meter import Cancel, Uncancelled, stop_if_requested
from core.platform.errors import InputError, ServiceError
from core.platform.processes.isolated_process import ChildEndedError, Isolated
from core.platform.type_adapters import adapter

_MEASURE_SECONDS, _SPLIT_SECONDS, _UNLOCK_SECONDS = 40, 180, 150
_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class PdfPart:
    path: Path
    first: int
    """0-based page of the whole document."""
    pages: int


def measure_file(path: Path, name: str) -> Extent:
    """The size of a file's content, of any format. Raises InputError if it cannot be read, ServiceError."""
    form = inspect_file(path, name)
    if form != PDF:
        return extent_of_file(path, name, form)
    answer = _answer(["measure", str(path.resolve()), name], name, _MEASURE_SECONDS)
    try:
        extent: Extent = adapter(Extent).validate_python(answer)
    except ValidationError as error:
        raise ServiceError("ingest.error.parser_failed", name=name) from error
    return extent


def pdf_parts(path: Path, name: str, most: int, folder: Path, cancel: Cancel) -> list[PdfPart]:
    """Files of at most that many pages; a single part, the file itself, if it is short enough.

    Raises InputError if the file cannot be opened, ServiceError if it makes the child fail, CancelledError.
    """
    arguments = ["split", str(path.resolve()), name, str(most), str(folder.resolve())]
    answer = _answer(arguments, name, _SPLIT_SECONDS, cancel=cancel)
    return [PdfPart(Path(file), first, pages) for file, first, pages in answer["parts"]]


def unlocked_pdf(path: Path, name: str, password: str, target: Path) -> None:
    """Writes a copy without the password, which is not stored. Raises InputError for a wrong one, ServiceError."""
    arguments = ["unlock", str(path.resolve()), name, str(target.resolve())]
    _answer(arguments, name, _UNLOCK_SECONDS, {"password": password})


def _answer(
    arguments: Sequence[str],
    name: str,
    seconds: int,
    request: Mapping[str, object] | None = None,
    cancel: Cancel | None = None,
) -> Mapping[str, Any]:
    """Raises InputError for what the child reports about the file, ServiceError when it ended or took too long.

    request: sent through standard input, where no other process can read it.
    """
    child = Isolated("core.documents.parsing.pdf.pdf_process", arguments)
    try:
        if request is not None:
            child.send(request)
        message = _received(child, seconds, cancel or Uncancelled())
    except ChildEndedError as error:
        raise error.failure(name) from error
    finally:
        child.stop()
    if message is None:
        raise ServiceError("ingest.error.not_prepared", name=name, seconds=seconds)
    if "error" in message:
        raise InputError(str(message["error"]), **message["params"])
    return message


def _received(child: Isolated, seconds: float, cancel: Cancel) -> Mapping[str, Any] | None:
    """None when the time is over. Raises CancelledError, ChildEndedError."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        stop_if_requested(cancel)
        if message := child.receive(_POLL_SECONDS):
            return message
    return None
