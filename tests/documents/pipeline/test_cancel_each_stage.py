"""A document that is not wanted any more: heard in every stage, and gone on with from there when it is wanted again."""

import os
import time
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import event

from core.documents.lifecycle.intake import Intake
from core.documents.model import DocumentStatus, Stage
from core.documents.pipeline.artefacts import WorkFolder
from core.documents.pipeline.pipeline import Pipeline
from core.documents.pipeline.spool import SpoolQueue
from core.documents.ports.parsing import Parsed, Progress
from core.documents.store.publications import SqlPublications
from core.models.meter import Cancel
from tests.fakes.extraction import FakeExtractor
from tests.fakes.ingestion import FakeIndex, is_in_stage, run_all, tools_of
from tests.fakes.parsing import FakeParser

TEXT = "Graphs\n\nAnn Arbor is a city in Michigan.\n\nRetrieval\n\nGraphs help Retrieval find the right passages."


class MarkingParser(FakeParser):
    """Another parser's reading ends with the mark."""

    mark = ""

    @property
    def identity(self) -> str:
        return f"fake {self.mark}"

    def parse(self, path: Path, name: str, media_type: str, cancel: Cancel, progress: Progress) -> Parsed:
        found = super().parse(path, name, media_type, cancel, progress)
        return replace(found, blocks=tuple(replace(block, text=block.text + self.mark) for block in found.blocks))


class Plant:
    """One document; `stop` is called in the midst of parsing, extracting and indexing."""

    def __init__(self, data: Path) -> None:
        self.parser, self.extractor = MarkingParser(self.stop), FakeExtractor(self.stop)
        self.tools = tools_of(data, self.parser, self.extractor, FakeIndex(self.stop))
        self.library = self.tools.library
        self.queue = SpoolQueue(data / "spool", self.library.ingest_records)
        self.intake = Intake(self.library.documents, self.tools.files, self.queue)
        self.pipeline = Pipeline(self.tools, data / "work", self.queue.cancelling)
        self.stopping: Stage | None = None
        self.id = self.intake.add(self.library.bases.create("Base").id, "a.txt", TEXT.encode())[0].id
        self.work = WorkFolder(data / "work", self.id)

    def stop(self) -> None:
        if self.stopping and is_in_stage(self.work, self.stopping):
            self.stopping = None
            self.intake.cancel(self.id)

    def found(self) -> list[str]:
        """What the words know of the document."""
        hits = self.tools.lexical_index.search(self.library.documents.get(self.id).base_id, "chunks", "Graphs", 9)
        return sorted(id for id, _ in hits)

    def status(self) -> DocumentStatus:
        return self.library.documents.get(self.id).status


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plant:
    monkeypatch.setattr("core.documents.pipeline.progress._SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr("core.documents.pipeline.artefacts.QUICK_BYTES", 0)  # every result is written
    return Plant(tmp_path)


@pytest.mark.parametrize("stage", [Stage.PARSE, Stage.EXTRACT, Stage.INDEX])
def test_a_cancel_in_a_long_stage_ends_there_or_before_the_next(plant: Plant, stage: Stage) -> None:
    plant.stopping = stage
    done = run_all(plant.pipeline, plant.id)
    assert plant.status() is DocumentStatus.CANCELLED
    assert len(done) <= list(Stage).index(stage) + 1
    plant.intake.retry(plant.id)
    assert run_all(plant.pipeline, plant.id) == list(Stage)
    assert plant.status() is DocumentStatus.READY


def test_a_cancel_is_heard_in_the_transaction_that_publishes_though_its_record_has_to_wait_for_it(plant: Plant) -> None:
    assert isinstance(plant.library.publications, SqlPublications)
    person = Thread(target=plant.intake.cancel, args=(plant.id,))

    def cancelled_meanwhile(_: object, __: object, statement: str, *rest: object) -> None:
        if statement.startswith("INSERT INTO chunks") and not person.ident:
            person.start()
            while not plant.queue.cancelling():
                time.sleep(0.01)

    event.listen(plant.library.publications.engine, "before_cursor_execute", cancelled_meanwhile)
    assert Stage.INDEX not in run_all(plant.pipeline, plant.id)
    person.join(30)
    assert plant.status() is DocumentStatus.CANCELLED
    assert not plant.library.passages.chunks(plant.id)
    assert not plant.queue.cancelling()
    plant.intake.retry(plant.id)
    assert run_all(plant.pipeline, plant.id) == list(Stage)
    assert plant.status() is DocumentStatus.READY


def test_a_cancel_that_was_killed_in_the_middle_is_soon_forgotten(plant: Plant, tmp_path: Path) -> None:
    mark = tmp_path / "spool" / f"{plant.id}.cancelling"
    mark.touch()
    assert not run_all(plant.pipeline, plant.id)
    assert plant.queue.waiting() == [plant.id]
    os.utime(mark, (0, 0))
    assert run_all(plant.pipeline, plant.id) == list(Stage)


@pytest.mark.parametrize("stage", list(Stage))
def test_a_cancel_before_a_stage_is_heard_and_finished_stages_are_kept(plant: Plant, stage: Stage) -> None:
    before = list(Stage)[: list(Stage).index(stage)]
    assert all(plant.pipeline.run(plant.id, earlier) for earlier in before)
    calls = plant.parser.calls, plant.extractor.calls
    plant.intake.cancel(plant.id)
    assert not plant.pipeline.run(plant.id, stage)
    assert plant.status() is DocumentStatus.CANCELLED
    assert [earlier for earlier in before if plant.work.has(earlier)] == before
    plant.intake.retry(plant.id)
    assert run_all(plant.pipeline, plant.id) == list(Stage)
    repeated = (plant.parser.calls - calls[0], plant.extractor.calls - calls[1])
    assert repeated == (int(Stage.PARSE not in before), int(Stage.EXTRACT not in before))


@pytest.mark.parametrize("stage", [Stage.PARSE, Stage.EXTRACT, Stage.INDEX])
def test_a_ready_document_that_is_read_again_can_be_cancelled_and_stays_as_it_was(plant: Plant, stage: Stage) -> None:
    run_all(plant.pipeline, plant.id)
    kept = plant.library.passages.chunks(plant.id), plant.found()
    plant.parser.mark = " Read anew."
    plant.intake.parse_again(plant.id, "mineru-server")
    plant.stopping = stage
    assert Stage.INDEX not in run_all(plant.pipeline, plant.id)
    document = plant.library.documents.get(plant.id)
    assert (document.status, document.cancelled) == (DocumentStatus.READY, True)
    assert (plant.library.passages.chunks(plant.id), plant.found()) == kept
