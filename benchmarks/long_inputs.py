"""`python -m benchmarks long_inputs`: very long files through the real stages, and how soon a cancel is heard in each.

A cancel comes from another process's connection, as from the page; it is heard when the stage has ended.
"""

import json
import multiprocessing
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.ingest import text_of
from benchmarks.output import say
from core.app.ingestion_process import stage_deps
from core.app.services import Services
from core.documents.model import Document, DocumentStatus, Stage
from core.documents.pipeline.pipeline import Pipeline
from core.documents.pipeline.spool import SpoolQueue
from core.platform.settings.settings import load_settings

REFUSED_BYTES = 46_000_000
CHARACTERS = 9_900_000
"""Just below the limit of a document."""
ENTRIES = 150_000
INTO = (0.3, 0.75)
"""Shares of its time after which a stage is cancelled; the later one of the last stage is within the transaction."""
PATIENCE_SECONDS = 600.0


class Plant:
    def __init__(self, folder: Path) -> None:
        self.services = Services(load_settings(folder))
        self.folder = folder
        queue = SpoolQueue(folder / "spool", self.services.library.ingest_records)
        self.pipeline = Pipeline(stage_deps(self.services), folder / "work", queue.cancelling)
        self.base_id = self.services.library.bases.create("Long").id

    def add(self, name: str, data: bytes) -> Document:
        return self.services.lifecycle.intake.add(self.base_id, name, data)[0]

    def run(self, document: Document) -> Iterator[tuple[Stage, float]]:
        """Seconds of each stage that was done."""
        for stage in Stage:
            began = time.perf_counter()
            if not self.pipeline.run(document.id, stage):
                return
            yield stage, time.perf_counter() - began


def main(data: Path) -> None:
    del data
    say("| | s | processor, s | ends as | pages | chunks |\n|---|---|---|---|---|---|\n")
    for name, content in (
        ("46 MB of text on one line", one_line(REFUSED_BYTES).encode()),
        (f"a content list of {ENTRIES:,} entries", content_list(ENTRIES)),
        (f"{CHARACTERS:,} characters on one line", one_line(CHARACTERS).encode()),
    ):
        with TemporaryDirectory() as folder:
            _measure(Plant(Path(folder)), name, content)


def _measure(plant: Plant, name: str, content: bytes) -> None:
    began, busy = time.perf_counter(), sum(os.times()[:4])
    document = plant.add("long.json" if content.startswith(b"[") else "long.txt", content)
    stages = dict(plant.run(document))
    found = plant.services.library.documents.get(document.id)
    ending = found.error_key or found.status.value
    taken = time.perf_counter() - began, sum(os.times()[:4]) - busy
    say(f"| {name} | {taken[0]:.1f} | {taken[1]:.1f} | {ending} | {found.pages} | {found.chunks} |\n")
    if found.status is DocumentStatus.READY:
        say("\n| stage | s | s from a cancel to its end |\n|---|---|---|\n")
        other = plant.add(f"other{Path(document.name).suffix}", content.replace(b"2", b"3", 1))
        for stage in Stage:
            heard = "; ".join(_cancelled_in(plant, other, stage, stages[stage] * share) for share in INTO)
            say(f"| {stage} | {stages[stage]:.1f} | {heard} |\n")
            plant.pipeline.run(other.id, stage)
    plant.services.close()


def _cancelled_in(plant: Plant, document: Document, stage: Stage, after: float) -> str:
    """Begins the stage, cancels within it, and makes the document ready to begin it again."""
    ended: list[float] = []

    def work() -> None:
        plant.pipeline.run(document.id, stage)
        ended.append(time.time())

    thread = threading.Thread(target=work)
    with _person(plant.folder, document.id) as person:
        thread.start()
        time.sleep(after)
        person.send("cancel")
        asked, waited = person.recv()
    thread.join(PATIENCE_SECONDS)
    status = plant.services.library.documents.get(document.id).status
    plant.services.lifecycle.intake.retry(document.id)
    return f"{ended[0] - asked:.1f} ({status.value}; the person waited {waited:.1f})"


@contextmanager
def _person(folder: Path, document_id: str) -> Iterator[Connection]:
    """Another process with the base open, which cancels when it is told to, and says when and how long that took."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_cancel, args=(folder, document_id, there))
    process.start()
    here.recv()
    yield here
    process.join(PATIENCE_SECONDS)


def _cancel(folder: Path, document_id: str, told: Connection) -> None:
    with Services(load_settings(folder)) as services:
        intake = services.lifecycle.intake
        services.library.documents.get(document_id)
        told.send("ready")
        told.recv()
        asked = time.time()
        intake.cancel(document_id)
        told.send((asked, time.time() - asked))


def one_line(size: int) -> str:
    made: list[str] = []
    written = number = 0
    while written < size:
        made.append(" ".join(text_of(number).split()))
        written, number = written + len(made[-1]) + 1, number + 1
    return " ".join(made)[:size]


def content_list(entries: int) -> bytes:
    """As MinerU writes it, one short paragraph an entry, a hundred a page."""
    made = [{"type": "text", "text": f"Reading {n} was {n % 97} cm.", "page_idx": n // 100} for n in range(entries)]
    return json.dumps(made).encode()


if __name__ == "__main__":
    main(Path())
