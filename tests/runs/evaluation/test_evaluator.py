"""The evaluator: asks what has no result yet, stores each as it comes, and goes on after a stop or a crash."""

import shutil
import threading
import time
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.interfaces.cli import evaluate
from core.platform.errors import BudgetError, InputError, NotFoundError, RetryableServiceError
from core.platform.sql.engine import open_engine
from core.runs.evaluation.evaluator import Evaluator
from core.runs.evaluation.model import Case, CaseResult, Evaluation, EvaluationStatus
from core.runs.evaluation.question_files import cases_of
from core.runs.model import RunPurpose
from core.runs.store.evaluations import SqlEvaluations
from tests.fakes import BASE
from tests.runs.test_run_worker import Held, Office, held, office
from tests.store.databases import migrated_file

__all__ = ["held", "migrated_file", "office"]
QUESTIONS = (
    b"question,document,answer\nWho developed KelpNet?,handbook.pdf,Lena Vogt\nWhat is KelpNet?,handbook,neural\n"
)


class Room:
    """An evaluator with a store in SQL over a worker with everything around it."""

    def __init__(self, office: Office, path: Path) -> None:
        self.office = office
        self.engine = open_engine(f"sqlite:///{path}")
        self.store = SqlEvaluations(self.engine)
        self.evaluator = Evaluator(self.store, office.worker, office.log, office.threads)
        self.list_id = self.store.keep_list("Kelp", cases_of(QUESTIONS)).id

    def begin(self, *workflows: str) -> Evaluation:
        return self.evaluator.begin(self.list_id, BASE, workflows or ("adaptive",))


@pytest.fixture
def room(office: Office, migrated_file: Path, tmp_path: Path) -> Iterator[Room]:
    made = Room(office, Path(shutil.copy(migrated_file, tmp_path / "truth.sqlite")))
    yield made
    made.evaluator.close()
    made.engine.dispose()


def test_every_case_is_asked_by_every_workflow_on_its_own(room: Room) -> None:
    told: list[CaseResult] = []
    done = room.evaluator.work(room.begin("adaptive", "planner").id, told.append)
    assert done.status is EvaluationStatus.DONE
    assert [result.workflow for result in told] == ["adaptive", "planner"] * 2
    assert {(result.right_page, result.ending) for result in told if result.workflow == "adaptive"} == {
        (True, "answered")
    }
    assert told[0].right_answer
    runs = room.office.log.of_thread(done.thread_id)
    assert [run.purpose for run in runs] == [RunPurpose.EVALUATION] * 4
    assert len(room.store.results(done.id)) == 4


def test_what_a_dead_process_left_is_gone_on_with(room: Room) -> None:
    begun = room.begin()
    first = CaseResult(begun.cases[0].id, "adaptive", "r0", "built-in", "answered")
    room.store.add_result(begun.id, first)
    room.store.mark(begun.id, EvaluationStatus.RUNNING, "a-process-that-died")
    told: list[CaseResult] = []
    done = room.evaluator.work(begun.id, told.append)
    assert [result.case_id for result in told] == [begun.cases[1].id]
    assert (done.status, done.owner) == (EvaluationStatus.DONE, "")


def test_a_stop_keeps_what_came_and_asks_the_rest_later(room: Room, held: Held) -> None:
    begun = room.begin()
    room.evaluator.start(begun.id)
    assert held.spoke.wait(30)
    assert room.evaluator.is_under_way(room.store.get(begun.id))
    with pytest.raises(InputError, match="under way"):
        room.evaluator.work(begun.id)
    room.evaluator.stop(begun.id)
    held.released.set()
    settled = threading.Event()
    while room.evaluator.is_under_way(room.store.get(begun.id)):
        settled.wait(0.02)
    stopped = room.store.get(begun.id)
    assert stopped.status is EvaluationStatus.STOPPED
    assert room.store.results(begun.id) == []
    assert room.evaluator.work(begun.id).status is EvaluationStatus.DONE


def test_a_question_waits_while_others_are_being_answered(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    start, refused = room.office.worker.start, [RetryableServiceError("run.busy", count=16)]

    def sometimes(request: Any) -> str:
        if refused:
            raise refused.pop()
        return start(request)

    monkeypatch.setattr(room.office.worker, "start", sometimes)
    assert room.evaluator.work(room.begin().id).status is EvaluationStatus.DONE


def test_a_stop_ends_the_wait_for_others_without_a_fault(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = room.begin()

    def stopped_meanwhile(request: Any) -> str:
        room.evaluator.stop(begun.id)
        raise RetryableServiceError("run.busy", count=16)

    monkeypatch.setattr(room.office.worker, "start", stopped_meanwhile)
    assert room.evaluator.work(begun.id).status is EvaluationStatus.STOPPED
    assert room.evaluator.fault(begun.id) is None


def test_what_stops_the_work_in_the_background_is_told_until_it_goes_on(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, begun = room.office.worker.start, room.begin()

    def used_up(request: Any) -> str:
        raise BudgetError("people.budget.questions", limit=3, when="tomorrow")

    monkeypatch.setattr(room.office.worker, "start", used_up)
    room.evaluator.start(begun.id)
    ends = time.monotonic() + 30
    while room.evaluator.fault(begun.id) is None:
        assert time.monotonic() < ends
        time.sleep(0.02)
    fault = room.evaluator.fault(begun.id)
    assert fault is not None
    assert fault.key == "people.budget.questions"
    monkeypatch.setattr(room.office.worker, "start", start)
    assert room.evaluator.work(begun.id).status is EvaluationStatus.DONE
    assert room.evaluator.fault(begun.id) is None


def test_a_question_that_is_still_being_answered_has_no_result(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = room.begin()
    monkeypatch.setattr(room.office.worker, "follow", lambda run_id: ())
    monkeypatch.setattr(room.office.worker, "start", lambda request: room.office.log.start(request, "t", "m").id)
    assert room.evaluator.work(begun.id).status is EvaluationStatus.STOPPED
    assert room.store.results(begun.id) == []


def test_what_cannot_be_asked_is_refused(room: Room) -> None:
    with pytest.raises(InputError):
        room.evaluator.begin(room.list_id, BASE, ())
    with pytest.raises(NotFoundError):
        room.begin("no-such-workflow")
    room.store.keep_list("Kelp", [])
    with pytest.raises(InputError):
        room.begin()


def options(file: Path, **changed: object) -> Namespace:
    return Namespace(**{"file": file, "kb": "", "workflow": None, "restart": False, "json": False, **changed})


def test_the_command_measures_compares_and_says_how_it_went(
    room: Room, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = SimpleNamespace(data=tmp_path, prices=None)
    records, answering = SimpleNamespace(evaluations=room.store), SimpleNamespace(evaluator=room.evaluator)
    storage = SimpleNamespace(records=records)
    services: Any = SimpleNamespace(storage=storage, answering=answering, settings=settings, warm=lambda: None)
    monkeypatch.setattr(evaluate, "existing_base", lambda services, name: SimpleNamespace(id=BASE))
    file = tmp_path / "kelp.csv"
    file.write_bytes(QUESTIONS.replace(b"Lena Vogt", b"Somebody else"))
    assert evaluate.run(services, options(file)) == 0
    assert "1/2" in capsys.readouterr().out

    kept = next(one for one in room.store.lists() if one.name == "kelp")
    (before,) = room.store.of_list(kept.id)
    good = room.store.results(before.id)
    for result in good:
        room.store.add_result(before.id, replace(result, right_answer=True))  # as if it had been better then
    assert evaluate.run(services, options(file)) == evaluate.WORSE
    assert "worse: adaptive: Who developed KelpNet?" in capsys.readouterr().out
    assert len(room.store.of_list(kept.id)) == 2

    unfinished = room.evaluator.begin(kept.id, BASE, ["adaptive"])
    room.store.add_result(unfinished.id, good[0])
    assert evaluate.run(services, options(file, json=True)) == 0
    assert unfinished.id in capsys.readouterr().out


def test_a_file_that_is_not_there_is_named(room: Room, tmp_path: Path) -> None:
    services: Any = SimpleNamespace()
    with pytest.raises(InputError, match=r"nowhere\.csv"):
        evaluate.run(services, options(tmp_path / "nowhere.csv"))


def test_cases_of_a_list_have_what_is_expected(room: Room) -> None:
    assert [case.answer for case in room.store.cases(room.list_id)] == ["Lena Vogt", "neural"]
    assert isinstance(room.store.cases(room.list_id)[0], Case)
