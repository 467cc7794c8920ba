"""A question that was sent with files waits until they are read, whatever happens meanwhile, and is then answered."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from core.documents.model import Stage
from core.platform.clock import utc_now
from core.runs.events import AttachmentsRead, Event, RunFinished, RunStopped
from core.runs.execution.attachments import READ_ATTACHMENTS
from core.runs.execution.worker import MAX_THREADS, Hooks, RunWorker
from core.runs.history.view import fold
from core.runs.model import AttachedFile, Attachment, AttachmentStatus, RunOptions, RunRequest, RunStatus
from tests.fakes.runs import FakeRunLog
from tests.fakes.samples import BASE
from tests.runs.test_run_worker import Office, wait_for

FILE = AttachedFile("report.pdf", "f" * 64)
READING = Attachment("report.pdf", AttachmentStatus.RUNNING, 0.4, Stage.PARSE)
READY = Attachment("report.pdf", AttachmentStatus.READY)
FAILED = replace(READY, status=AttachmentStatus.FAILED, error_key="ingest.error.empty")


class Shelf:
    """Where the test puts how far the file has come."""

    def __init__(self) -> None:
        self.state = READING
        self.looked = threading.Event()

    def look(self, base_id: str, files: Sequence[AttachedFile]) -> tuple[Attachment, ...]:
        assert (base_id, files) == (BASE, (FILE,))
        self.looked.set()
        return (self.state,)


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def desk(tmp_path: Path, shelf: Shelf) -> Iterator[Office]:
    """An app on a single desk."""
    office = Office(tmp_path)
    office.worker.close()
    office.log = FakeRunLog(now=utc_now())
    office.log.threads = office.threads
    office.worker = office.hire(Hooks(serves=True, attachments=shelf.look))
    yield office
    office.worker.close()


def ask(worker: RunWorker) -> str:
    return worker.start(RunRequest("Who developed KelpNet?", BASE, options=RunOptions(attached=(FILE,))))


def events_of(worker: RunWorker, run_id: str) -> list[Event]:
    return [event for _, event in worker.follow(run_id)]


def shown(worker: RunWorker, run_id: str) -> tuple[Attachment, ...]:
    view = worker.view(run_id)
    return view.attachments if view else ()


def test_it_tells_how_far_the_file_is_and_answers_when_it_is_read(desk: Office, shelf: Shelf) -> None:
    run_id = ask(desk.worker)
    wait_for(lambda: shown(desk.worker, run_id) == (READING,))
    assert desk.log.get(run_id).status is RunStatus.RUNNING
    shelf.state = replace(READING, share=0.8)
    wait_for(lambda: shown(desk.worker, run_id) == (shelf.state,))
    shelf.state = READY
    events = events_of(desk.worker, run_id)
    assert len([event for event in events if isinstance(event, AttachmentsRead)]) == 3, "only what is new is logged"
    view = fold(events)
    assert (view.steps[0].node, view.steps[0].outcome, view.attachments) == (READ_ATTACHMENTS, "read", (READY,))
    assert view.steps[1].node == "guard"
    assert "Lena Vogt" in desk.log.get(run_id).answer


def test_a_file_that_cannot_be_read_says_why_and_the_rest_is_asked(desk: Office, shelf: Shelf) -> None:
    shelf.state = FAILED
    run_id = ask(desk.worker)
    view = fold(events_of(desk.worker, run_id))
    assert (view.steps[0].outcome, view.attachments) == ("not_read", (FAILED,))
    assert "Lena Vogt" in desk.log.get(run_id).answer


def test_a_stop_ends_the_waiting(desk: Office, shelf: Shelf) -> None:
    run_id = ask(desk.worker)
    assert shelf.looked.wait(60)
    assert desk.worker.stop(run_id)
    events = events_of(desk.worker, run_id)
    assert isinstance(events[-1], RunStopped)
    assert [step.outcome for step in fold(events).steps] == ["stopped"]


def test_after_the_limit_the_question_is_asked_of_what_is_there(
    desk: Office, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.runs.execution.attachments.WAIT_LIMIT", -timedelta(hours=1))
    view = fold(events_of(desk.worker, ask(desk.worker)))
    assert (view.status, view.steps[0].outcome, view.attachments) == (RunStatus.DONE, "not_read", (READING,))


def test_others_are_answered_while_questions_wait(desk: Office) -> None:
    for _ in range(MAX_THREADS + 1):
        ask(desk.worker)
    assert isinstance(desk.events(desk.ask())[-1], RunFinished)


@pytest.mark.parametrize("end", ["closed", "drained"])
def test_an_app_that_ends_leaves_the_question_to_the_next_one(desk: Office, shelf: Shelf, end: str) -> None:
    run_id = ask(desk.worker)
    assert shelf.looked.wait(60)
    if end == "drained":
        desk.worker.drain(0)
    desk.worker.close()
    assert desk.log.get(run_id).status is RunStatus.RUNNING
    command = desk.hire()
    command.recover()
    command.close()
    assert desk.log.get(run_id).status is RunStatus.RUNNING, "a command is no app: it neither answers nor ends it"
    shelf.state = READY
    desk.worker = desk.hire(Hooks(serves=True, attachments=shelf.look))
    assert desk.worker.recover() == [run_id]
    assert isinstance(events_of(desk.worker, run_id)[-1], RunFinished)
    assert "Lena Vogt" in desk.log.get(run_id).answer


def test_nobody_is_answered_a_day_later(desk: Office, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = ask(desk.worker)
    assert shelf.looked.wait(60)
    desk.worker.close()
    later = desk.log.get(run_id).started_at + timedelta(days=1)
    monkeypatch.setattr("core.runs.execution.recovery.utc_now", lambda: later)
    desk.worker = desk.hire(Hooks(serves=True, attachments=shelf.look))
    desk.worker.recover()
    assert desk.log.get(run_id).status is RunStatus.INTERRUPTED
