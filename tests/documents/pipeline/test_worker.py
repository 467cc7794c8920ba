"""The real ingestion process on DBOS: killed at any stage it goes on, with the same result as an undisturbed one."""

import multiprocessing
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest

from core.app.ingestion import PROCESS
from core.documents.lifecycle.intake import Intake
from core.documents.model import Document, DocumentStatus, Stage
from core.documents.pipeline import supervisor as supervisor_module
from core.documents.pipeline.artefacts import WorkFolder
from core.documents.pipeline.pipeline import Pipeline
from core.documents.pipeline.spool import SpoolQueue
from core.documents.pipeline.stage_notes import StageNotes
from core.documents.pipeline.stage_slots import ATTEMPTS
from core.documents.pipeline.supervisor import Supervisor
from core.platform.files.file_lock import try_lock
from tests.canonical_dump import canonical_dump
from tests.documents import worker_with_fakes
from tests.fakes.ingestion import is_in_stage, open_library, run_all, tools_of

TEXT = "Graphs\n\nAnn is here.\n\nBob is there.\n\nRetrieval\n\nGraphs help Retrieval find Bob."
ROOT = Path(__file__).parents[3]
_SECONDS = 120
FORKS = multiprocessing.get_context("forkserver")
"""A process of the test's own has imported what every ingestion process needs, which takes seconds."""
FORKS.set_forkserver_preload(["core.app.services", "core.search.index.chroma_index", worker_with_fakes.__name__])
EXTRACTING, INDEXING = 1, 2
"""Steps that the doubles count."""


class Plant:
    """A data folder with one knowledge base, and ingestion processes that work on it."""

    def __init__(self, data: Path, seconds: float) -> None:
        self.data = data
        self.seconds = seconds
        self.tools = tools_of(data)
        self.library = open_library(data)
        self.base = self.library.bases.create("Base")
        self.intake = Intake(
            self.library.documents, self.tools.files, SpoolQueue(data / "spool", self.library.ingest_records)
        )
        self.processes: list[ForkServerProcess] = []

    def start(self, *version: str) -> int:
        """Id of the process."""
        process = FORKS.Process(target=worker_with_fakes.main, args=(self.data, self.seconds, *version))
        process.start()
        self.processes.append(process)
        assert process.pid
        return process.pid

    def kill(self) -> None:
        for process in self.processes:
            process.kill()
            process.join()

    def steps(self) -> int:
        log = self.data / "steps.log"
        return len(log.read_text()) if log.exists() else 0


@pytest.fixture
def plants(tmp_path: Path, plain_main: None) -> Iterator[Callable[[str, float], Plant]]:
    made: list[Plant] = []

    def make(name: str, seconds: float = 0.0) -> Plant:
        made.append(Plant(tmp_path / name, seconds))
        return made[-1]

    yield make
    for plant in made:
        plant.kill()


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def has_ended(plant: Plant, document: Document) -> bool:
    ended = (DocumentStatus.READY, DocumentStatus.FAILED, DocumentStatus.CANCELLED)
    return plant.library.documents.get(document.id).status in ended


def is_running(plant: Plant, document: Document, stage: Stage, done: int = 0) -> bool:
    rows = plant.library.ingest_records.stages(document.id)
    return any(row.stage is stage and row.status == "running" and row.done >= done for row in rows)


def contents(plant: Plant, document: Document) -> tuple[object, ...]:
    """Everything that was published, without times."""
    found = plant.library.documents.get(document.id)
    entries = [
        entry
        for level in ("chunks", "summaries")
        for b in plant.library.passages.index_entries(plant.base.id, level)
        for entry in b
    ]
    facts = (found.id, found.status, found.title, found.language, found.pages, found.chunks, found.entities)
    return (
        facts,
        plant.library.passages.blocks(found.id),
        plant.library.passages.chunks(found.id),
        entries,
        plant.library.bases.get(plant.base.id).index_version,
    )


def dump(plant: Plant) -> str:
    return canonical_dump(plant.library.documents.engine, plant.base.id)  # type: ignore[attr-defined]


@pytest.mark.timeout(400)
def test_a_process_killed_at_several_stages_goes_on_with_the_same_result(plants: Callable[[str, float], Plant]) -> None:
    calm, rough = plants("calm", 0.0), plants("rough", 5.0)
    quiet, _ = calm.intake.add(calm.base.id, "a.txt", TEXT.encode())
    assert run_all(Pipeline(calm.tools, calm.data / "work"), quiet.id) == list(Stage)
    disturbed, _ = rough.intake.add(rough.base.id, "a.txt", TEXT.encode())
    for stage in (Stage.PARSE, Stage.EXTRACT):
        rough.start()
        wait_for(lambda at=stage: is_running(rough, disturbed, at))  # type: ignore[misc]
        rough.kill()
    steps, rough.seconds = rough.steps(), 0.0
    rough.start()
    wait_for(lambda: has_ended(rough, disturbed))
    assert contents(rough, disturbed) == contents(calm, quiet)
    wait_for(lambda: not (rough.data / "work" / disturbed.id).exists())
    assert rough.steps() - steps <= EXTRACTING + INDEXING, "parsing was repeated"
    rough.kill()
    _killed_with_several_at_once(calm, rough)


def _killed_with_several_at_once(calm: Plant, rough: Plant) -> None:
    """Of short documents that are read together none is lost, and none is there twice."""
    texts = [f"{TEXT} Note {number}." for number in range(5)]
    for number, text in enumerate(texts):
        calm.intake.add(calm.base.id, f"{number}.txt", text.encode())
        rough.intake.add(rough.base.id, f"{number}.txt", text.encode())
    Pipeline(calm.tools, calm.data / "work").run_together(
        [document.id for document in calm.library.documents.of_base(calm.base.id)]
    )
    steps, rough.seconds = rough.steps(), 60.0
    rough.start()
    wait_for(lambda: rough.steps() > steps)
    rough.kill()
    rough.seconds = 0.0
    rough.start()
    documents = rough.library.documents.of_base(rough.base.id)
    assert len(documents) == 1 + len(texts)
    for document in documents:
        wait_for(lambda at=document: has_ended(rough, at))  # type: ignore[misc]
    assert dump(rough) == dump(calm)
    assert rough.library.bases.get(rough.base.id).index_version == len(documents)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_new_version_reads_what_the_one_before_left_in_its_queue(plants: Callable[[str, float], Plant]) -> None:
    plant = plants("upgraded", 60.0)
    names = ("a.pdf", "b.pdf", "c.txt", "d.txt", "e.txt")
    for name in names:
        plant.intake.add(plant.base.id, name, f"{TEXT} {name}".encode())
    plant.start("earlier")
    wait_for(lambda: plant.steps() == 1 and not list((plant.data / "spool").iterdir()))
    plant.kill()
    plant.seconds = 0.0
    for name in ("later.pdf", "later.txt"):
        plant.intake.add(plant.base.id, name, f"{TEXT} {name}".encode())
    plant.start()
    documents = plant.library.documents.of_base(plant.base.id)
    for document in documents:
        wait_for(lambda at=document: has_ended(plant, at))  # type: ignore[misc]
        assert plant.library.documents.get(document.id).status is DocumentStatus.READY
    assert len(documents) == plant.library.bases.get(plant.base.id).index_version == len(names) + 2
    read = (plant.data / "reading.log").read_text().split()
    assert sorted(read) == sorted(["a.pdf", *(each.name for each in documents)]), (
        "the interrupted one alone is begun again"
    )


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_process_that_was_stopped_goes_on_where_it_was(plants: Callable[[str, float], Plant]) -> None:
    plant = plants("stopped", 0.5)
    document, _ = plant.intake.add(plant.base.id, "a.pdf", TEXT.encode())
    process = plant.start()
    wait_for(lambda: plant.steps() == 2)
    os.kill(process, signal.SIGSTOP)
    time.sleep(4)
    assert plant.steps() == 2
    os.kill(process, signal.SIGCONT)
    wait_for(lambda: has_ended(plant, document))
    assert plant.library.documents.get(document.id).status is DocumentStatus.READY
    assert (plant.data / "reading.log").read_text().split() == ["a.pdf"], "it was begun once"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_documents_are_read_though_the_clock_jumps_meanwhile(plants: Callable[[str, float], Plant]) -> None:
    calm, jumping = plants("calm", 0.0), plants("jumping", 0.2)
    jumping.start()
    for days in (1, -1, 30, 0):
        name, content = f"{days}.pdf", f"{TEXT} {days}".encode()
        document, _ = jumping.intake.add(jumping.base.id, name, content)
        work = WorkFolder(jumping.data / "work", document.id)
        wait_for(lambda at=work: is_in_stage(at, Stage.EXTRACT))  # type: ignore[misc]
        (jumping.data / "clock").write_text(str(days * 86_400))
        wait_for(lambda at=document: has_ended(jumping, at))  # type: ignore[misc]
        run_all(Pipeline(calm.tools, calm.data / "work"), calm.intake.add(calm.base.id, name, content)[0].id)
        assert contents(jumping, document) == contents(calm, document)
    wait_for(lambda: dump(jumping) == dump(calm))
    jumped = [each.ready_at for each in jumping.library.documents.of_base(jumping.base.id) if each.ready_at]
    assert max(jumped) - min(jumped) > timedelta(days=30), "the process knew of the jumps"


@pytest.mark.timeout(300)
def test_a_document_that_kills_the_process_is_set_aside(plants: Callable[[str, float], Plant]) -> None:
    plant = plants("poison", 30.0)
    document, _ = plant.intake.add(plant.base.id, "poison.txt", TEXT.encode())
    work = WorkFolder(plant.data / "work", document.id)
    for _ in range(ATTEMPTS - 1):
        work.note_interruption(Stage.PARSE, is_death=True)
    dying = plant.start()
    wait_for(lambda: plant.steps() == 1)
    plant.kill()
    StageNotes(plant.data / "work").count_death(dying)
    plant.start()
    wait_for(lambda: has_ended(plant, document))
    assert plant.library.documents.get(document.id).error_key == "ingest.error.poison"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_power_cuts_in_one_stage_are_held_against_no_document(plants: Callable[[str, float], Plant]) -> None:
    plant = plants("cuts", 60.0)
    document, _ = plant.intake.add(plant.base.id, "a.pdf", TEXT.encode())
    for cut in range(ATTEMPTS + 1):
        plant.start()
        wait_for(lambda at=cut: plant.steps() > at)  # type: ignore[misc]
        plant.kill()
    plant.seconds = 0.0
    plant.start()
    wait_for(lambda: has_ended(plant, document))
    assert plant.library.documents.get(document.id).status is DocumentStatus.READY


@pytest.mark.timeout(300)
@pytest.mark.parametrize("ending", ["txt", pytest.param("pdf", marks=pytest.mark.slow)])
def test_a_document_that_crashes_the_process_is_set_aside_and_those_beside_it_are_read(
    plants: Callable[[str, float], Plant], monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.setattr(supervisor_module, "_FIRST_PAUSE", 0.05)
    plant = plants("crash", 0.0)
    monkeypatch.chdir(ROOT)
    first, crash, last = (
        plant.intake.add(plant.base.id, f"{name}.{ending}", f"{TEXT} {name}".encode())[0]
        for name in ("first", "crash", "last")
    )
    supervisor = Supervisor(plant.data, "tests.documents.crashing_worker")
    supervisor.start()
    try:
        for document in (first, crash, last):
            wait_for(lambda at=document: has_ended(plant, at))  # type: ignore[misc]
    finally:
        supervisor.stop()
    assert plant.library.documents.get(crash.id).error_key == "ingest.error.poison"
    for document in (first, last):
        assert plant.library.documents.get(document.id).status is DocumentStatus.READY
    assert (plant.data / "reading.log").read_text().split().count(crash.name) == ATTEMPTS


def test_only_one_process_works_on_a_data_folder(tmp_path: Path) -> None:
    first = try_lock(tmp_path / "worker.lock")
    assert first is not None
    assert try_lock(tmp_path / "worker.lock") is None
    first.release()
    assert try_lock(tmp_path / "worker.lock") is not None


@pytest.mark.timeout(400)
def test_the_supervisor_starts_a_process_again_and_stops_it(tmp_path: Path) -> None:
    supervisor = Supervisor(tmp_path, PROCESS)
    supervisor.start()
    supervisor.start()
    try:
        wait_for(lambda: len(logged_processes(tmp_path)) == 1)
        os.kill(logged_processes(tmp_path)[0], signal.SIGKILL)
        wait_for(lambda: len(logged_processes(tmp_path)) == 2)
    finally:
        supervisor.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(logged_processes(tmp_path)[1], 0)
    supervisor.stop()


def logged_processes(data: Path) -> list[int]:
    """The ids of the processes that were ready, oldest first."""
    log = data / "logs" / "worker.log"
    return [int(found) for found in re.findall(r"ready, process (\d+)", log.read_text())] if log.exists() else []
