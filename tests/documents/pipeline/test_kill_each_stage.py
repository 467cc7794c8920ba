"""The real ingestion process with the real parser, extractor, database and indexes, killed within every stage.

Where the test has put a pipe called `<stage>.tmp` that nobody reads, the process waits for it before it writes the
result of the stage: it stays within the stage for as long as the test wants, and can be killed there whatever the
machine is doing.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest

from core.app.ingestion_process import main
from core.app.services import Services
from core.documents.model import DocumentStatus, Stage
from core.documents.pipeline import artefacts
from core.documents.pipeline.artefacts import WorkFolder
from core.platform.files.atomic_file import write_atomically, write_replaceable
from core.platform.settings.settings import load_settings
from tests.canonical_dump import canonical_dump
from tests.documents import made_files
from tests.documents.pipeline.test_worker import FORKS
from tests.fakes.ingestion import is_in_stage

_SECONDS = 100

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")


def live(data: Path, parent: Connection) -> None:
    """One life of the ingestion process; it ends when the other end of the connection is closed."""
    sys.stdin = os.fdopen(os.dup(parent.fileno()))
    for write in (write_atomically, write_replaceable):
        vars(artefacts)[write.__name__] = partial(_wait_and_write, write)
    os._exit(main(["--data", str(data)]))


def _wait_and_write(write: Callable[[Path, bytes], None], path: Path, data: bytes) -> None:
    pipe = path.with_suffix(".tmp")
    if pipe.exists():
        pipe.open("wb")
    write(path, data)


class Plant:
    """A data folder with one document, and the process that works on it."""

    def __init__(self, data: Path, file: bytes = b"") -> None:
        """file: of the document, where the folder does not hold it yet."""
        self.data = data
        self.services = Services(load_settings(data))
        library = self.services.library
        if file:
            self.services.lifecycle.intake.add(library.bases.create("Tides").id, "Tide gauges.pdf", file)
        (self.base,) = library.bases.all()
        (document,) = library.documents.of_base(self.base.id)
        self.id = document.id
        self.work = WorkFolder(data / "work", self.id)
        self.process: ForkServerProcess | None = None

    def start(self) -> None:
        self.watched, ours = FORKS.Pipe()
        self.process = FORKS.Process(target=live, args=(self.data, self.watched))
        self.process.start()
        self.ours = ours

    def kill(self) -> None:
        if self.process:
            self.process.kill()
            self.process.join()
            self.process = None

    def close(self) -> None:
        self.kill()
        self.services.close()

    def finish(self) -> None:
        """Lets a process, which is begun for it, work until nothing is left to do."""
        self.start()
        self.wait_for(self.is_visible)
        self.wait_for(lambda: not self.work.folder.exists())
        self.kill()

    def hold(self, name: str) -> Path:
        """Whoever writes this result waits."""
        self.work.folder.mkdir(parents=True, exist_ok=True)
        pipe = self.work.folder / f"{name}.tmp"
        os.mkfifo(pipe)
        return pipe

    def wait_for(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _SECONDS
        while not condition():
            assert time.monotonic() < deadline, "it did not happen in time"
            assert self.process
            assert self.process.is_alive(), "the process ended on its own"
            time.sleep(0.02)

    def is_visible(self) -> bool:
        document = self.services.library.documents.get(self.id)
        assert not document.error_key, document.error_params
        return document.status is DocumentStatus.READY

    def results(self) -> dict[str, tuple[int, int]]:
        """Which files the finished stages left, and when."""
        paths = [self.work.folder / f"{stage}.json" for stage in Stage]
        return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in paths if path.exists()}

    def contents(self) -> tuple[object, ...]:
        counts = [self.services.search.lexical_index.count(self.base.id, level) for level in ("chunks", "summaries")]
        version = self.services.library.bases.get(self.base.id).index_version
        return canonical_dump(self.services.storage.engine, self.base.id), counts, version


@pytest.fixture
def plants(tmp_path: Path) -> Iterator[tuple[Plant, Plant]]:
    """One that is left in peace and one that is not."""
    file = made_files.report(4)
    calm, rough = Plant(tmp_path / "calm", file), Plant(tmp_path / "rough", file)
    yield calm, rough
    for plant in (calm, rough):
        plant.close()


@pytest.mark.slow
@pytest.mark.usefixtures("plain_main")
@pytest.mark.timeout(400)
def test_killed_within_every_stage_it_goes_on_to_the_same_knowledge_base(plants: tuple[Plant, Plant]) -> None:
    calm, rough = plants
    known: dict[str, tuple[int, int]] = {}
    for number, stage in enumerate(Stage):
        pipe = rough.hold(stage)
        rough.start()
        rough.wait_for(lambda at=stage: is_in_stage(rough.work, at))  # type: ignore[misc]
        rough.kill()
        pipe.unlink()
        left = rough.results()
        assert set(left) == {f"{done}.json" for done in list(Stage)[:number]}
        assert {name: left[name] for name in known} == known, "a finished stage was repeated"
        assert not rough.is_visible()
        known = left
    pipe = rough.hold(f"{Stage.INDEX}.progress")
    rough.start()
    rough.wait_for(rough.is_visible)
    rough.kill()  # between publishing and the note that it was done
    pipe.unlink()
    for plant in (rough, calm):
        plant.finish()
    assert rough.contents() == calm.contents()
