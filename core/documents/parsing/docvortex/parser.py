"""The embedded parser: docvortex, MinerU's native engine, in a limited child process. No models, no network."""

import hashlib
import logging
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.documents.parsing.docvortex.read_options import engine_name
from core.documents.parsing.ocr import installed
from core.documents.ports.parsing import READ, Parsed, Progress, SourceFile, ignore_progress
from core.documents.reading.formats import IMAGES, RESULTS, FileFormat
from core.documents.reading.inspection import OcrMode, inspect_file
from core.models.meter import Cancel, Uncancelled, stop_if_requested
from core.platform.errors import AppError, InputError, ServiceError
from core.platform.processes.isolated_process import MOST_IDLE, ChildEndedError, Isolated, WarmChildren
from core.platform.processes.process_tuning import resident_megabytes
from core.platform.type_adapters import adapter

MODULE = "core.documents.parsing.docvortex.process"
TEXTS = ("txt", "md", "csv", "tsv")
_LOG = logging.getLogger(__name__)
_REVISION = 7
"""Increase when the same engine output is converted into different blocks."""
_POLL_SECONDS = 0.2
_SILENT_SECONDS = 600
"""Without progress for this long, the child is stopped; about twenty times what a batch needs on a busy machine."""
_CPU_SECONDS = 12 * 3600
_KEPT_SECONDS = 7 * 24 * 3600
"""How long the OCR results of a file that was never finished are kept."""
_MOST_MEGABYTES = 1500
"""Memory of the child; a page of any real document needs a fraction of it, and a decompression bomb is stopped."""
_MAX_RESULT_BYTES = 1_000_000_000


def _forget(kept: Path) -> None:
    shutil.rmtree(kept, ignore_errors=True)
    with suppress(OSError):  # not there, or it holds what was read of other files
        kept.parent.rmdir()


class DocvortexParser:
    """DocumentParser for PDF, Office, OpenDocument, EPUB, HTML, CSV, Markdown, text and pictures."""

    def __init__(self, work: Path, ocr: OcrMode = OcrMode.AUTO, texts: WarmChildren | None = None) -> None:
        """work: folder for results from the child. Without its package there is no OCR.

        texts: children that read plain text, one file after another; each file has one of its own if None.
        """
        self._work = work
        self._texts = texts
        self._ocr = ocr if installed.is_installed() else OcrMode.OFF

    @property
    def name(self) -> str:
        return "docvortex"

    @property
    def identity(self) -> str:
        reading = "" if self._ocr is OcrMode.OFF else f" {installed.identity()} {self._ocr}"
        return f"{engine_name()} {_REVISION}{reading}"

    def parse(self, path: Path, name: str, media_type: str, cancel: Cancel, progress: Progress) -> Parsed:
        del media_type  # only a claim; the content decides
        form = inspect_file(path, name)
        if form in RESULTS:
            raise InputError("ingest.error.unsupported", name=name)
        if form in IMAGES and self._ocr is OcrMode.OFF:
            raise InputError("ingest.error.image", name=name)
        self._work.mkdir(parents=True, exist_ok=True)
        kept = self._kept(path)
        with tempfile.TemporaryDirectory(dir=self._work, prefix="parse-") as folder:
            result = Path(folder) / "blocks.json"
            try:
                self._run((path, name, form), result, kept, (cancel, progress))
            except InputError:
                _forget(kept)  # another try would end the same way
                raise
            if result.stat().st_size > _MAX_RESULT_BYTES:
                raise InputError("ingest.error.bomb", name=name)
            parsed: Parsed = adapter(Parsed).validate_json(result.read_bytes())
        _forget(kept)
        return parsed

    def parse_together(self, files: Sequence[SourceFile]) -> list[Parsed | AppError]:
        """Plain texts by one message to a child; other files, which only seem to be text, one by one."""
        found: dict[int, Parsed | AppError] = {}
        texts: dict[int, list[str]] = {}
        for place, file in enumerate(files):
            try:
                form = inspect_file(file.path, file.name)
                if self._texts and form.suffix in TEXTS:
                    texts[place] = [str(file.path.resolve()), file.name, form.suffix]
                else:
                    found[place] = self.parse(file.path, file.name, file.media_type, Uncancelled(), ignore_progress)
            except AppError as error:
                found[place] = error
        if self._texts and texts:
            found |= zip(texts, self._read_together(self._texts, list(texts.values())), strict=True)
        return [found[place] for place in range(len(files))]

    def _read_together(self, children: WarmChildren, files: Sequence[Sequence[str]]) -> list[Parsed | AppError]:
        self._work.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._work, prefix="parse-") as folder:
            result = Path(folder) / "blocks.json"
            message = {"files": files, "result": str(result.resolve())}
            self._read_text(children, files[0][1], message, (Uncancelled(), ignore_progress))
            answers = adapter(list[Parsed | dict[str, Any]]).validate_json(result.read_bytes())
            return [each if isinstance(each, Parsed) else _reported(each) for each in answers]

    def _kept(self, path: Path) -> Path:
        """Folder for OCR results of this content, which is found again after a kill; forgotten folders are deleted."""
        folder = self._work / READ
        for old in folder.iterdir() if folder.is_dir() else ():
            if time.time() - old.stat().st_mtime > _KEPT_SECONDS:
                shutil.rmtree(old, ignore_errors=True)
        with path.open("rb") as file:
            return folder / hashlib.file_digest(file, "sha256").hexdigest()

    def _run(self, file: tuple[Path, str, FileFormat], result: Path, kept: Path, ways: tuple[Cancel, Progress]) -> None:
        """Waits until the child has written the result. Raises what the child reports, or why it was stopped."""
        (path, name, form), (cancel, progress) = file, ways
        places = [str(path.resolve()), name, form.suffix, str(result.resolve())]
        arguments = [*places, self._ocr, str(kept.resolve())]
        if self._texts and form.suffix in TEXTS:
            self._read_text(self._texts, name, {"arguments": arguments}, ways)
            return
        with (result.parent / "stderr.log").open("w+b") as log:
            child = Isolated(MODULE, [*arguments, str(_CPU_SECONDS)], log)
            try:
                _follow(child, name, cancel, progress)
            except ChildEndedError as error:
                log.seek(0)
                said = log.read()[-2000:].decode("utf-8", "replace")
                _LOG.warning("the parser's process ended with %s: %s", error, said)
                raise error.failure(name) from error
            finally:
                child.stop()

    def _read_text(
        self, children: WarmChildren, name: str, message: Mapping[str, object], ways: tuple[Cancel, Progress]
    ) -> None:
        """An idle child may have ended just now; then another one reads the file."""
        for tries_left in reversed(range(MOST_IDLE + 1)):
            used = False
            try:
                with children.one() as (child, used):
                    child.send(message)
                    _follow(child, name, *ways)
                    return
            except ChildEndedError as error:
                if not used or not tries_left:
                    raise error.failure(name) from error


def _follow(child: Isolated, name: str, cancel: Cancel, progress: Progress) -> None:
    deadline = time.monotonic() + _SILENT_SECONDS
    while True:
        stop_if_requested(cancel)
        message = child.receive(_POLL_SECONDS)
        if resident_megabytes(child.process.pid) > _MOST_MEGABYTES:
            raise ServiceError("ingest.error.parser_failed", name=name)
        if message is None:
            if time.monotonic() > deadline:
                raise ServiceError("ingest.error.too_slow", name=name, minutes=_SILENT_SECONDS // 60)
        elif "error" in message:
            raise _reported(message)
        elif "finished" in message:
            return
        else:
            progress(_number(message["done"]), _number(message["total"]))
            deadline = time.monotonic() + _SILENT_SECONDS


def _reported(message: Mapping[str, object]) -> AppError:
    params = message.get("params")
    key = str(message["error"])
    kind = ServiceError if key == "ingest.error.parser_failed" else InputError
    return kind(key, **params) if isinstance(params, dict) else ServiceError(key)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
