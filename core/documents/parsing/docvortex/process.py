"""The parser's child process: `python -m ...docvortex.process FILE NAME SUFFIX RESULT OCR KEPT SECONDS`.

It reads one untrusted file and writes its blocks as JSON into RESULT; any failure of a parser stays in this process.
KEPT is a folder for the text of pictures, with which a later process goes on.

Without arguments it reads plain texts one after another, each requested by a line of JSON on standard input: text needs
no library that a file could leave in disorder.
"""

import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from core.documents.model import TEXT_READER
from core.documents.parsing.docvortex.read_options import ReadOptions
from core.documents.ports.parsing import Parsed, ignore_progress
from core.documents.reading.blocks import clean_blocks
from core.documents.reading.formats import FORMATS, IMAGES, FileFormat
from core.documents.reading.inspection import OcrMode
from core.documents.reading.normalise import one_line
from core.documents.reading.plain_text import decode, text_blocks
from core.documents.reading.sheets import DELIMITERS, csv_blocks
from core.platform.errors import AppError, InputError
from core.platform.processes.isolated_process import die_with_parent, limit_process, lower_priority, open_channel, tell
from core.platform.type_adapters import adapter

MEMORY_BYTES = 3_500_000_000
"""Limit of address space, of which OCR maps much and uses little: at most 0.9 GB are resident."""
TEXTS_CPU_SECONDS = 3_600
"""For all plain texts of one process; the next process continues."""
IDLE_SECONDS = 30.0


def main(arguments: Sequence[str]) -> int:
    *asked, seconds = arguments or [str(TEXTS_CPU_SECONDS)]
    channel = open_channel()
    limit_process(MEMORY_BYTES, int(seconds))
    lower_priority()
    if not asked:
        return _read_texts(channel)
    die_with_parent()
    return read_into(asked, channel)


def _read_texts(channel: TextIO) -> int:
    """Ends after an idle time."""
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), name="parent watch", daemon=True).start()
    while True:
        try:
            request = json.loads(requests.get(timeout=IDLE_SECONDS))
        except queue.Empty:
            return 0
        if status := _answer(request, channel):
            return status


def _listen(requests: "queue.SimpleQueue[str]") -> None:
    """The end of the input is the parent's end, whatever is being read."""
    for line in sys.stdin:
        requests.put(line)
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def _answer(request: Mapping[str, Any], channel: TextIO) -> int:
    if "files" in request:
        return read_several(request["files"], Path(request["result"]), channel)
    return read_into(request["arguments"], channel)


def read_into(arguments: Sequence[str], channel: TextIO) -> int:
    """FILE NAME SUFFIX RESULT OCR KEPT; 0 if another file may be read after this one."""
    path, name, suffix, result, ocr, kept = arguments
    options = ReadOptions(lambda done, total: tell(channel, done=done, total=total), OcrMode(ocr), Path(kept))
    try:
        parsed = _tidy(path, name, suffix, options)
    except AppError as error:
        tell(channel, error=error.key, params=error.params)
        return 0
    except MemoryError:
        tell(channel, error="ingest.error.parser_failed", params={"name": name})
        return 1
    Path(result).write_bytes(adapter(Parsed).dump_json(parsed))
    tell(channel, finished=True)
    return 0


def read_several(files: Sequence[Sequence[str]], result: Path, channel: TextIO) -> int:
    """As read_into(), plain texts only: FILE NAME SUFFIX of each."""
    options = ReadOptions(ignore_progress, OcrMode.OFF, result.parent)
    answers: list[Parsed | dict[str, object]] = []
    for path, name, suffix in files:
        try:
            answers.append(_tidy(path, name, suffix, options))
        except AppError as error:
            answers.append({"error": error.key, "params": error.params})
    result.write_bytes(adapter(list[Parsed | dict[str, Any]]).dump_json(answers))
    tell(channel, finished=True)
    return 0


def _tidy(path: str, name: str, suffix: str, options: ReadOptions) -> Parsed:
    """Raises InputError for a file without text, too."""
    form = next(form for form in FORMATS if form.suffix == suffix)
    parsed = _read(Path(path), name, form, options)
    if not any(block.text.strip() for block in parsed.blocks):
        raise InputError("ingest.error.no_text", name=name)
    return replace(parsed, blocks=clean_blocks(parsed.blocks), title=one_line(parsed.title))


def _read(path: Path, name: str, form: FileFormat, options: ReadOptions) -> Parsed:
    if form.suffix in ("md", "txt"):
        return Parsed(tuple(text_blocks(decode(path.read_bytes()), form.suffix == "md")), 0, TEXT_READER)
    if form.suffix in DELIMITERS:
        blocks = csv_blocks(path.read_bytes(), DELIMITERS[form.suffix], name)
        return Parsed(tuple(blocks), 0, TEXT_READER)
    if form.suffix == "pdf":
        from core.documents.parsing.docvortex.pdf_reading import read_pdf

        return read_pdf(path, name, options)
    if form in IMAGES:
        from core.documents.parsing.docvortex.recognising import read_image

        return read_image(path, name, options.report, options.engine())
    from core.documents.parsing.docvortex.office_reading import read_office

    return read_office(path, name, form, options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
