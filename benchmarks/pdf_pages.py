"""`python -m benchmarks pdf_pages`: PDF pages a second, beside plain docvortex on the same file in the same run.

The real ingestion process reads each file from the upload to the published document, with the built-in engine and OCR
as by default; docvortex alone reads it in a process of its own, in turn. Processor time is that of all processes.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import docvortex
from loguru import logger

from benchmarks.output import say
from benchmarks.small_documents import wait_for_all
from core.app.services import Services
from core.documents.model import Stage
from core.platform.settings.settings import Settings

Found = TypeVar("Found")
FILES = (
    "2023.acl-long.386.pdf",
    "en_two_column_paper.pdf",
    "en_dense_table.pdf",
    "en_long_table_16p.pdf",
    "zh_tables_standard.pdf",
)


def main(data: Path) -> None:
    say("| | pages | docvortex, pages/s | ours | parse, share of s | docvortex, processor s | ours | ratio |\n")
    say("|---|---|---|---|---|---|---|---|\n")
    _, start, _ = _measured(lambda: _ingested("note.txt", b"A note of nothing."))
    for name in FILES:
        content = (data / "pdfs" / name).read_bytes()
        _, plain, plain_seconds = _measured(partial(_plain, data / "pdfs" / name))
        (pages, parse, seconds), whole, _ = _measured(partial(_ingested, name, content))
        speeds, own = f"{pages / plain_seconds:.2f} | {pages / seconds:.2f}", whole - start
        say(f"| {name} | {pages} | {speeds} | {parse / seconds:.2f} | {plain:.2f} | {own:.2f} | {own / plain:.2f} |\n")


def _plain(path: Path) -> None:
    subprocess.run([sys.executable, "-m", __spec__.name, str(path)], check=True, stderr=subprocess.DEVNULL)


def _ingested(name: str, content: bytes) -> tuple[int, float, float]:
    """(pages, seconds of parsing, seconds of all stages)."""
    with TemporaryDirectory() as folder:
        values = {"data": Path(folder), "database_url": "", "chroma_url": "", "extraction": "built-in"}
        with Services(Settings().model_copy(update=values)) as services:
            base_id = services.library.bases.create("PDF").id
            services.lifecycle.intake.add(base_id, name, content)
            with services.ingestion.running():
                wait_for_all(services, base_id)
            (document,) = services.library.documents.of_base(base_id)
            seconds = {row.stage: row.seconds for row in services.library.ingest_records.stages(document.id)}
            return document.pages, seconds[Stage.PARSE], max(sum(seconds.values()), 0.01)


def _measured(do: Callable[[], Found]) -> tuple[Found, float, float]:
    """(what it gives, seconds of processor of the processes that it starts, seconds)."""
    before, began = os.times(), time.perf_counter()
    found = do()
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return found, spent, time.perf_counter() - began


def _read(arguments: Sequence[str]) -> None:
    logger.remove()
    docvortex.parse(Path(arguments[0]).read_bytes(), file_suffix="pdf")


if __name__ == "__main__":
    _read(sys.argv[1:])
