"""Workers that share a database, on a real Postgres, a real Chroma server and a double of an object store.

`kills [N]`: one of two workers is killed N times at random moments; what they make of the documents must be what an
undisturbed desk makes of them. `workers`: how many documents a second 1, 2 and 4 workers read.
"""

import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from core.bootstrap.ingestion_process import stage_deps
from core.bootstrap.services import Services
from core.domain.documents import DocumentStatus
from core.ingest.pipeline.pipeline import Pipeline
from core.settings.settings import load_settings
from tests.canonical_dump import canonical_dump
from tests.loopback.object_store import ObjectStoreServer
from tests.processes.installation import (
    Installation,
    all_ended,
    chroma_server,
    environment_of,
    own_postgres,
    texts,
    wait_for,
)

_EACH = 4
"""Documents added before each kill, so that there is always work."""
_LONGEST = 9.0
"""Seconds between two kills at most; a worker needs some of them to start."""
_SHARING = ("DATABASE_URL", "CHROMA_URL", "FILES_URL")
_MEASURED = 48
"""Documents read for a figure."""


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["workers"]:
        for number in (1, 2, 4):
            _measure(number)
        return 0
    return _kill(int(arguments[1]) if len(arguments) > 1 else 50)


def _kill(kills: int) -> int:
    chance = random.Random(20261122)
    files = list(texts(kills * _EACH).items())
    with _installation() as made, made.services("app") as app:
        base = app.library.bases.create("Reports")
        for number in (1, 2):
            made.start(number)
        began = time.monotonic()
        for kill in range(kills):
            for name, data in files[kill * _EACH : (kill + 1) * _EACH]:
                app.lifecycle.intake.add(base.id, name, data)
            time.sleep(chance.uniform(0.0, _LONGEST))
            number = chance.choice((1, 2))
            made.kill(number)
            made.start(number)
            counts = app.library.documents.counts(base.id)
            print(f"kill {kill + 1}: worker {number}, {counts.get(DocumentStatus.READY, 0)} ready", flush=True)
        wait_for(lambda: all_ended(app, base.id), 600.0)
        seconds = time.monotonic() - began
        counts = app.library.documents.counts(base.id)
        shared = canonical_dump(app.storage.engine, base.id)
        words = app.search.lexical_index.count(base.id, "chunks")
        left = app.storage.blobs.names("work/") if app.storage.blobs else []
    alone = _undisturbed(files)
    print(f"{kills} kills, {len(files)} documents, {seconds:.0f} s: {dict(counts)}, {words} chunks by words")
    print(f"canonical dump equal to that of an undisturbed desk: {shared == alone}; results left behind: {len(left)}")
    for line in sorted({*shared.splitlines()} ^ {*alone.splitlines()})[:6]:
        print(f"  {line[:300]}")
    return 0 if shared == alone else 1


def _undisturbed(files: Sequence[tuple[str, bytes]]) -> str:
    for name in _SHARING:
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as folder, Services(load_settings(Path(folder))) as services:
        base = services.library.bases.create("Reports")
        pipeline = Pipeline(stage_deps(services), Path(folder) / "work")
        for name, data in files:
            pipeline.run(services.lifecycle.intake.add(base.id, name, data)[0].id)
        return canonical_dump(services.storage.engine, base.id)


def _measure(workers: int) -> None:
    with _installation() as made, made.services("app") as app:
        base = app.library.bases.create("Reports")
        for number in range(workers):
            made.start(number)
        wait_for(lambda: len([each for each in app.storage.processes() if each.kind == "worker"]) == workers)
        first = app.lifecycle.intake.add(base.id, "first.md", b"# First\n\nTo load what is needed.\n")[0]
        wait_for(lambda: app.library.documents.get(first.id).ready_at is not None)
        began = time.monotonic()
        for name, data in texts(_MEASURED).items():
            app.lifecycle.intake.add(base.id, name, data)
        added = time.monotonic() - began
        wait_for(lambda: all_ended(app, base.id), 600.0)
        seconds = time.monotonic() - began
    load = os.getloadavg()[0]
    print(
        f"{workers} workers: {_MEASURED} documents in {seconds:.1f} s ({_MEASURED / seconds:.2f} a second; "
        f"adding them took {added:.1f} s); load {load:.1f}",
        flush=True,
    )


@contextmanager
def _installation() -> Iterator[Installation]:
    with tempfile.TemporaryDirectory() as place, ObjectStoreServer() as store:
        folder = Path(place)
        (folder / "vectors").mkdir()
        with chroma_server(folder / "vectors") as chroma:
            environment: Mapping[str, str] = environment_of(own_postgres(), chroma.url, store.url, lease_seconds=5)
            os.environ.update(environment)
            made = Installation(folder, environment)
            try:
                yield made
            finally:
                made.stop()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
