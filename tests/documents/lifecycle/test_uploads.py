"""What is asked about a file on its way in, and what happens after each answer."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from core.documents.estimating.forecast import Forecaster
from core.documents.lifecycle.intake import Intake
from core.documents.lifecycle.pending_uploads import PendingUploads, UploadQuestion
from core.documents.lifecycle.uploads import Uploads
from core.documents.model import Document, DocumentStatus
from core.documents.pipeline.pipeline import Pipeline
from core.documents.pipeline.spool import SpoolQueue
from core.platform.errors import InputError
from tests.fakes.ingestion import run_all, tools_of
from tests.fakes.parsing import fake_measure

TEXT = b"KelpNet reads the Lumen buoys.\n\nIngrid Solheim leads the station."


@dataclass
class House:
    data: Path
    by_model: bool = False
    base_id: str = field(init=False)

    def __post_init__(self) -> None:
        deps = tools_of(self.data)
        self.library = deps.library
        self.base_id = self.library.bases.create("Papers").id
        records = self.library.ingest_records
        intake = Intake(self.library.documents, deps.files, SpoolQueue(self.data / "spool", records))
        pending = PendingUploads(self.data / "held")
        self.pipeline = Pipeline(deps, self.data / "work")
        self.uploads = Uploads(intake, pending, records, self.forecaster)

    def forecaster(self) -> Forecaster:
        return Forecaster(fake_measure, "built-in", self.by_model, 0)

    def read(self, data: bytes = TEXT) -> Document:
        taken = self.uploads.arrive(self.base_id, "a.txt", data)
        assert taken
        run_all(self.pipeline, taken.document.id)
        return self.library.documents.get(taken.document.id)

    def waiting(self) -> list[UploadQuestion]:
        return [held.question for held in self.uploads.pending.entries(self.base_id)]

    def names(self) -> list[str]:
        return [document.name for document in self.library.documents.of_base(self.base_id)]


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def test_a_new_file_is_taken_at_once(house: House) -> None:
    taken = house.uploads.arrive(house.base_id, "a.txt", TEXT)
    assert taken
    assert (taken.is_new, taken.document.name, house.waiting()) == (True, "a.txt", [])


def test_a_changed_file_waits_and_replaces_or_stays_beside(house: House) -> None:
    old = house.read()
    for data in (b"Another text.", b"A third text."):
        assert house.uploads.arrive(house.base_id, "a.txt", data) is None
    assert house.waiting() == [UploadQuestion.CHANGED] * 2
    first, second = house.uploads.pending.entries(house.base_id)
    replacing = house.uploads.answer_changed(first, replacing=True)
    beside = house.uploads.answer_changed(second, replacing=False)
    assert replacing
    assert beside
    assert (replacing.document.replaces, beside.document.replaces, house.waiting()) == (old.id, "", [])


def test_a_file_on_disk_is_recognised_as_changed_and_as_known(house: House, tmp_path: Path) -> None:
    house.read()
    path = tmp_path / "a.txt"
    path.write_bytes(TEXT)
    assert house.uploads.earlier(house.base_id, path.name, path) is None
    assert house.uploads.is_known(house.base_id, path)
    path.write_bytes(b"Another text.")
    earlier = house.uploads.earlier(house.base_id, path.name, path)
    assert earlier
    assert earlier.name == "a.txt"
    assert not house.uploads.is_known(house.base_id, path)


def test_what_a_model_would_read_waits_with_its_estimate_until_it_is_agreed(house: House) -> None:
    house.by_model = True
    assert house.uploads.arrive(house.base_id, "a.txt", TEXT) is None
    (held,) = house.uploads.pending.entries(house.base_id)
    assert held.question is UploadQuestion.START
    assert held.effort
    assert held.effort.model_calls > 0
    assert house.names() == []
    taken = house.uploads.start(held)
    assert taken
    estimate = house.library.documents.get(taken.document.id).estimate
    assert estimate
    assert estimate.agreed
    assert house.uploads.start(held) is None, "it was answered already"


def test_a_changed_file_that_was_answered_in_another_window_is_not_asked_about_again(house: House) -> None:
    house.read()
    house.by_model = True
    house.uploads.arrive(house.base_id, "a.txt", b"Another text.")
    (held,) = house.uploads.pending.entries(house.base_id)
    house.uploads.leave(held)
    assert house.uploads.answer_changed(held, replacing=True) is None


def test_bytes_that_are_there_cost_nothing_and_are_not_asked_about(house: House) -> None:
    house.read()
    house.by_model = True
    taken = house.uploads.arrive(house.base_id, "copy.txt", TEXT)
    assert taken
    assert (taken.is_new, taken.document.status, house.waiting()) == (False, DocumentStatus.READY, [])


def test_the_same_bytes_under_another_name_tell_the_name_that_they_had(house: House) -> None:
    first = house.uploads.arrive(house.base_id, "a.pdf", TEXT)
    waiting = house.uploads.arrive(house.base_id, "a.docx", TEXT)
    assert first
    assert waiting
    assert (first.known_as, waiting.known_as, waiting.document.name) == ("", "a.pdf", "a.pdf")
    house.library.ingest_records.fail(first.document.id, "ingest.error.mislabelled", {"name": "a.pdf"})
    renamed = house.uploads.arrive(house.base_id, "a.docx", TEXT)
    assert renamed
    assert (renamed.known_as, renamed.document.name) == ("a.pdf", "a.docx")


def test_a_refused_file_goes_on_waiting(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.by_model = True
    house.uploads.arrive(house.base_id, "a.txt", TEXT)
    (held,) = house.uploads.pending.entries(house.base_id)
    monkeypatch.setattr("core.documents.lifecycle.file_store.FileStore.save", _refuse)
    with pytest.raises(InputError):
        house.uploads.start(held)
    assert house.waiting() == [UploadQuestion.START]


def _refuse(*_: object) -> None:
    raise InputError("ingest.error.no_text", name="a.txt")
