"""What keeps documents from being read is told, no document is lost, and the work goes on once it can."""

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from core.documents.lifecycle.intake import Intake
from core.documents.model import DocumentStatus, Stage
from core.documents.pipeline import supervisor, worker
from core.documents.pipeline.dbos_engine import DbosEngine
from core.documents.pipeline.pipeline import Pipeline
from core.documents.pipeline.spool import SpoolQueue
from core.documents.pipeline.supervisor import Supervisor
from core.documents.pipeline.worker import serve
from core.documents.store.publications import SqlPublications
from core.platform.errors import AppError, DamagedError, OutOfSpaceError, RetryableServiceError, ServiceError
from core.platform.files.disk import out_of_space
from core.platform.files.sqlite_file import damaged, failure
from core.platform.sql.engine import open_engine, reading, writing
from tests.documents.pipeline.test_worker import Plant, has_ended, wait_for
from tests.fakes.extraction import FakeExtractor
from tests.fakes.ingestion import FakeIndex, open_library, tools_of
from tests.fakes.parsing import FakeParser

ROOT = Path(__file__).parents[3]
TEXT = "Graphs\n\nAnn is here.\n\nBob is there."
SLOW = pytest.mark.slow


@pytest.fixture
def plant(tmp_path: Path, plain_main: None) -> Iterator[Plant]:
    made = Plant(tmp_path / "data", 0.0)
    yield made
    made.kill()


def _no_database(file: Path) -> None:
    file.write_bytes(b"This is no database. " * 500)


def _torn(file: Path) -> None:
    """A page within the file was overwritten, as by a failing disk."""
    raw = bytearray(file.read_bytes())
    raw[4096 : 4096 * 3] = os.urandom(4096 * 2)
    file.write_bytes(raw)


def _other_tables(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TABLE workflow_status")


@pytest.mark.timeout(400)
@pytest.mark.parametrize("harm", [_torn, *(pytest.param(harm, marks=SLOW) for harm in (_no_database, _other_tables))])
def test_a_damaged_queue_file_is_set_aside_and_nothing_is_lost(plant: Plant, harm: Callable[[Path], None]) -> None:
    first, _ = plant.intake.add(plant.base.id, "a.txt", TEXT.encode())
    plant.start()
    wait_for(lambda: has_ended(plant, first))
    plant.kill()
    queue = plant.data / "dbos.sqlite"
    with sqlite3.connect(queue) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    harm(queue)
    second, _ = plant.intake.add(plant.base.id, "b.txt", f"{TEXT} Again.".encode())
    plant.start()
    if harm is _other_tables:  # found only when it is used: the next process has a new one
        plant.processes[-1].join(60)
        plant.start()
    wait_for(lambda: has_ended(plant, second))
    for document in (first, second):
        assert plant.library.documents.get(document.id).status is DocumentStatus.READY
    assert (plant.data / "dbos.damaged.sqlite").exists()


class _Refusing(FakeIndex):
    """An index on a disk that takes nothing more."""

    def __init__(self, error: AppError) -> None:
        super().__init__()
        self.error = error

    def upsert(self, *_: object) -> None:
        raise self.error


class _Engine:
    """Runs every stage at once, in the order of enqueuing."""

    def start(self, runner: Pipeline) -> None:
        self.runner = runner

    def enqueue(self, document_id: str) -> None:
        for stage in Stage:
            try:
                if not self.runner.run(document_id, stage):
                    return
            except AppError:
                return

    def ended(self) -> list[str]:
        return []

    def standing(self, _: str) -> str:
        return "ended"


@pytest.mark.parametrize("error", [out_of_space(Path("d")), damaged(Path("d/graphtalk.sqlite"), "torn")])
def test_a_full_disk_is_no_fault_of_the_document(tmp_path: Path, error: AppError) -> None:
    library = open_library(tmp_path)
    tools = tools_of(tmp_path, FakeParser(), FakeExtractor(), _Refusing(error))
    base = library.bases.create("Base")
    intake = Intake(library.documents, tools.files, SpoolQueue(tmp_path / "spool", library.ingest_records))
    document, _ = intake.add(base.id, "a.txt", TEXT.encode())
    with pytest.raises(type(error)):
        serve(tools, _Engine(), tmp_path, threading.Event())  # type: ignore[arg-type]
    left = library.documents.get(document.id)
    assert left.status in (DocumentStatus.QUEUED, DocumentStatus.RUNNING)
    assert not left.error_key
    assert Pipeline(tools_of(tmp_path), tmp_path / "work").run(document.id, Stage.INDEX)
    assert library.documents.get(document.id).status is DocumentStatus.READY


def test_nothing_is_begun_on_a_disk_that_is_as_good_as_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.platform.files.disk.RESERVE_MEGABYTES", 10**9)
    with pytest.raises(OutOfSpaceError, match="Free some space"):
        serve(tools_of(tmp_path), _Engine(), tmp_path, threading.Event())  # type: ignore[arg-type]


def test_the_supervisor_learns_what_is_wrong_and_forgets_it_when_it_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "_FIRST_PAUSE", 0.05)
    (tmp_path / "script").write_text("fault\nfault\nwork\n")
    monkeypatch.chdir(ROOT)
    keeper = Supervisor(tmp_path, "tests.documents.faulty_process")
    keeper.start()
    try:
        wait_for(lambda: keeper.fault is not None)
        assert keeper.fault
        assert "is full" in keeper.fault.sentence("en")
        wait_for(lambda: supervisor.stored(tmp_path) is not None)
        wait_for(lambda: keeper.was_ready)
        wait_for(lambda: supervisor.stored(tmp_path) is None)
        assert keeper.fault is None
    finally:
        keeper.stop()


def test_a_process_that_ends_again_and_again_is_told_with_its_log_and_ever_longer_pauses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(supervisor, "_FIRST_PAUSE", 0.05)
    (tmp_path / "script").write_text("crash\n" * 10)
    monkeypatch.chdir(ROOT)
    keeper = Supervisor(tmp_path, "tests.documents.faulty_process")
    keeper.start()
    try:
        wait_for(lambda: keeper.fault is not None)
    finally:
        keeper.stop()
    assert keeper.fault
    assert keeper.fault.key == "ingest.error.process_ends"
    assert Path(keeper.fault.params["log"]).read_text().count("a traceback") > 1
    pauses = [float(words[-2]) for record in caplog.records if (words := record.getMessage().split())[-1] == "s"]
    assert pauses == sorted(pauses)
    assert pauses[-1] > pauses[0]


def test_a_full_database_says_so(tmp_path: Path) -> None:
    library = open_library(tmp_path)
    library.bases.create("Base")
    engine = open_engine(f"sqlite:///{next(tmp_path.glob('*.sqlite'))}")
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1")
    with pytest.raises(OutOfSpaceError, match="is full"), writing(engine) as connection:
        connection.exec_driver_sql("CREATE TABLE more AS SELECT randomblob(1000000)")


def test_a_damaged_database_says_what_can_be_done(tmp_path: Path) -> None:
    file = tmp_path / "graphtalk.sqlite"
    _no_database(file)
    engine = open_engine(f"sqlite:///{file}")
    with pytest.raises(DamagedError, match="graphtalk restore"), reading(engine):
        pass


def test_a_folder_in_the_place_of_a_database_is_called_one(tmp_path: Path) -> None:
    queue, pipeline = tmp_path / "dbos.sqlite", Pipeline(tools_of(tmp_path / "data"), tmp_path)
    queue.mkdir()
    with pytest.raises(ServiceError, match=r"dbos\.sqlite is a folder"):
        DbosEngine(f"sqlite:///{queue}", 1, 2).start(pipeline)
    (tmp_path / "graphtalk.sqlite").mkdir()
    with pytest.raises(ServiceError, match=r"graphtalk\.sqlite is a folder"):
        open_library(tmp_path)


@pytest.mark.timeout(200)
def test_the_command_on_a_full_disk_ends_and_says_so(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    (tmp_path / "a.md").write_text("# Tides\n\nThe tide is high.\n")
    if not shutil.which("unshare") or subprocess.run(["unshare", "-rm", "true"], check=False).returncode:
        pytest.skip("this machine has no file systems of a process's own")
    steps = f"mount -t tmpfs -o size=30m tmpfs {small} && exec {sys.executable} -m core --data {small}/data ingest "
    command = ["unshare", "-rm", "sh", "-c", f"{steps} {tmp_path}/a.md"]
    began = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=150, check=False)
    assert done.returncode == 1, time.monotonic() - began
    assert "is full. Free some space" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_process_that_has_grown_large_ends_between_two_stages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_LEAST_SECONDS", -1.0)
    monkeypatch.setattr(worker, "resident_megabytes", lambda: 5_000.0)
    assert serve(tools_of(tmp_path), _Engine(), tmp_path, threading.Event())  # type: ignore[arg-type]


def test_a_pause_waits_for_the_stage_that_is_under_way_and_lets_none_begin(tmp_path: Path) -> None:
    pipeline, stop, within, go_on = Pipeline(tools_of(tmp_path), tmp_path), threading.Event(), Event(), Event()

    def stage() -> None:
        with pipeline.slots.spare():
            within.set()
            go_on.wait(30)

    thread = threading.Thread(target=stage)
    thread.start()
    within.wait(30)
    threading.Timer(0.2, go_on.set).start()
    assert pipeline.slots.pause(stop)
    assert go_on.is_set()
    thread.join()
    stop.set()
    assert not pipeline.slots.pause(stop)


def test_a_process_that_makes_room_is_followed_at_once_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "_FIRST_PAUSE", 1_000.0)
    (tmp_path / "script").write_text("recycle\nrecycle\nwork\n")
    monkeypatch.chdir(ROOT)
    keeper = Supervisor(tmp_path, "tests.documents.faulty_process")
    keeper.start()
    try:
        wait_for(lambda: keeper.was_ready)
        assert (keeper.failures, keeper.fault) == (0, None)
    finally:
        keeper.stop()


def test_a_log_that_another_process_recovers_is_busy_and_not_forbidden(tmp_path: Path) -> None:
    error = sqlite3.OperationalError("attempt to write a readonly database")
    error.sqlite_errorcode = sqlite3.SQLITE_READONLY_RECOVERY
    assert isinstance(failure(tmp_path / "a.sqlite", error), RetryableServiceError)
    error.sqlite_errorcode = sqlite3.SQLITE_READONLY
    assert getattr(failure(tmp_path / "a.sqlite", error), "key", "") == "storage.read_only"


def test_a_database_that_refuses_is_told_though_the_vectors_are_away_too(plant: Plant) -> None:
    class Away:
        def __getattr__(self, name: str) -> Callable[..., None]:
            def fail(*_: object) -> None:
                raise RetryableServiceError("retrieval.chroma_unreachable")

            return fail

    class Full(SqlPublications):
        def publish_together(self, *_: object) -> None:
            raise RetryableServiceError("storage.unavailable", reason="No space left on device")

    engine = plant.library.documents.engine  # type: ignore[attr-defined]
    tools = replace(plant.tools, publications=Full(engine), chunk_index=Away())  # type: ignore[arg-type]
    document, _ = plant.intake.add(plant.base.id, "a.txt", TEXT.encode())
    with pytest.raises(RetryableServiceError, match="No space left"):
        Pipeline(tools, plant.data / "work").run(document.id)
