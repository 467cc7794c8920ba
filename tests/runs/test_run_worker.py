"""The worker: starts, stops, settles; every run ends with a last event and what it wrote is kept."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from core.agents.state import Deps
from core.models.meter import Cancel, Meter
from core.models.tasks import Output, Request, Task, TextTask
from core.platform.errors import CancelledError, InputError, NotFoundError, RetryableServiceError
from core.platform.identity import SYSTEM
from core.platform.processes.leases import ProcessLease
from core.runs.events import (
    END_EVENTS,
    AnswerDelta,
    AnswerReady,
    Event,
    ModelCalled,
    NodeFinished,
    NodeStarted,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
)
from core.runs.execution import worker as worker_module
from core.runs.execution.recovery import MAX_BEGINNINGS, MAX_PROCESSES
from core.runs.execution.runner import Emit
from core.runs.execution.worker import MAX_ACTIVE, MAX_THREADS, Hooks, RunWorker
from core.runs.history.follow import follow
from core.runs.history.view import INTERRUPTED, fold
from core.runs.model import Run, RunRequest, RunStatus, Turn, Usage
from tests.fakes import BASE, NOW, FakeMeter, FakeRunLog, FakeThreads, World

SHARED = Hooks(asker=lambda run: SYSTEM)
"""Of a process beside others, which go on with what it leaves."""


class Held:
    """A model that says one word and then waits for the test, as one that hangs would."""

    engine = "held"

    def __init__(self) -> None:
        self.spoke, self.released = threading.Event(), threading.Event()

    def run(self, task: Task[Request, Output], request: Request, meter: Meter) -> Output:
        return task.rule(request)

    def stream(self, task: TextTask[Request], request: Request, meter: Meter) -> Iterator[str]:
        yield "KelpNet "
        self.spoke.set()
        self.released.wait(60)
        yield "late words"

    def agent(self) -> None:
        return None

    def pause(self) -> None:
        return None

    def resume(self) -> None:
        return None


class Stoppable(Held):
    """A model whose answer is given up in the middle."""

    def stream(self, task: TextTask[Request], request: Request, meter: Meter) -> Iterator[str]:
        yield "KelpNet "
        raise CancelledError("error.cancelled")


class Office:
    """A worker with everything around it."""

    def __init__(self, folder: Path) -> None:
        self.world = World()
        self.world.library.add(
            "handbook.pdf", "KelpNet is a neural network. It was developed by Lena Vogt at Westhaven."
        )
        self.log, self.threads = FakeRunLog(), FakeThreads()
        self.log.threads = self.threads
        self.folder = folder
        self.worker = self.hire()

    def hire(self, hooks: Hooks | None = None) -> RunWorker:
        lease = ProcessLease(self.folder / "workers")
        return RunWorker(self.deps, lambda wanted: "built-in", self.log, self.threads, lease, hooks)

    def deps(self, request: RunRequest, emit: Emit, cancel: Cancel) -> Deps:
        self.world.meter = FakeMeter(stopped=cancel.requested)
        return self.world.deps(emit)

    def ask(self, question: str = "Who developed KelpNet?", thread_id: str = "") -> str:
        return self.worker.start(RunRequest(question, BASE, thread_id=thread_id))

    def events(self, run_id: str) -> list[Event]:
        return [event for _, event in self.worker.follow(run_id)]


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = Office(tmp_path)
    yield made
    made.worker.close()


@pytest.fixture
def held(office: Office) -> Iterator[Held]:
    model = Held()
    office.world.llm = model  # type: ignore[assignment]
    yield model
    model.released.set()


def test_a_question_is_answered_in_the_background_and_stored(office: Office) -> None:
    run_id = office.ask()
    events = office.events(run_id)
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunFinished)
    run = office.log.get(run_id)
    assert (run.status, run.outcome) == (RunStatus.DONE, "answered")
    assert "Lena Vogt" in run.answer
    assert run.citations[0].document_name == "handbook.pdf"


def test_a_new_thread_is_named_after_its_question_and_goes_on(office: Office) -> None:
    first = office.ask("Who developed   KelpNet, and\nwhen?" + " and where" * 20)
    office.events(first)
    thread_id = office.log.get(first).thread_id
    assert office.threads.get(thread_id).title == "Who developed KelpNet"
    assert len(office.threads.get(thread_id).title) <= 60
    second = office.ask("hello", thread_id)
    office.events(second)
    assert office.log.get(second).thread_id == thread_id


def test_the_conversation_so_far_is_known_to_the_run(office: Office) -> None:
    office.threads.create("t", BASE, "adaptive")
    office.threads.turns["t1"] = [Turn("user", "What is KelpNet?"), Turn("assistant", "A network [1].")]
    run_id = office.ask("Who developed it?", "t1")
    office.events(run_id)
    assert "Lena Vogt" in office.log.get(run_id).answer


def test_a_stop_ends_a_hanging_model_and_keeps_what_was_written(office: Office, held: Held) -> None:
    run_id = office.ask()
    assert held.spoke.wait(30)
    assert office.worker.stop(run_id)
    events = office.events(run_id)
    assert isinstance(events[-1], RunStopped)
    run = office.log.get(run_id)
    assert (run.status, run.answer) == (RunStatus.STOPPED, "KelpNet")
    held.released.set()
    assert all("late" not in event.text for event in events if isinstance(event, AnswerDelta | AnswerReady))


def test_a_step_that_gives_up_because_of_a_stop_is_logged_as_stopped(office: Office) -> None:
    office.world.llm = Stoppable()  # type: ignore[assignment]
    events = office.events(office.ask())
    assert isinstance(events[-1], RunStopped)
    assert [event.outcome for event in events if isinstance(event, NodeFinished)][-1] == "stopped"


def test_a_run_that_waits_for_its_turn_can_be_stopped(office: Office, held: Held) -> None:
    for _ in range(MAX_THREADS):
        office.ask()
    waiting = office.ask()
    assert office.worker.stop(waiting)
    assert office.events(waiting) == [office.log.events(waiting, 0)[-1][1]]
    assert office.log.get(waiting).status is RunStatus.STOPPED


def test_a_run_under_way_is_seen_and_heard_here_and_no_other(office: Office, held: Held) -> None:
    run_id, heard = office.ask(), threading.Event()
    with office.worker.listening(run_id, heard.set):
        held.spoke.wait(60)
        wait_for(lambda: "KelpNet" in getattr(office.worker.view(run_id), "answer", ""))
        held.released.set()
        assert heard.wait(60)
        office.events(run_id)
    wait_for(lambda: office.worker.view(run_id) is None)
    with office.worker.listening("unknown", heard.set):
        assert office.worker.view("unknown") is None


def test_stopping_what_is_over_does_nothing(office: Office) -> None:
    run_id = office.ask()
    office.events(run_id)
    wait_for(lambda: not office.worker.stop(run_id))
    assert not office.worker.stop("unknown")


def test_closing_ends_every_run_with_a_last_event(office: Office, held: Held) -> None:
    run_id = office.ask()
    assert held.spoke.wait(30)
    office.worker.close()
    assert isinstance(office.log.events(run_id, 0)[-1][1], RunStopped)
    assert office.log.get(run_id).status is RunStatus.STOPPED


def test_bad_requests_start_nothing(office: Office) -> None:
    with pytest.raises(NotFoundError, match="adaptive"):
        office.worker.start(RunRequest("Why?", BASE, workflow="unknown"))
    with pytest.raises(NotFoundError):
        office.ask(thread_id="gone")
    with pytest.raises(InputError, match="document"):
        office.ask("x" * 200_000)
    assert office.log.kept == {}


def test_too_many_at_once_are_refused_with_a_sentence(
    office: Office, held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module, "QUEUE_SECONDS", 0.05)
    for _ in range(MAX_ACTIVE):
        office.ask()
    with pytest.raises(RetryableServiceError, match=str(MAX_ACTIVE)):
        office.ask()


def test_a_question_beyond_those_under_way_waits_for_room(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "QUEUE_SECONDS", 100.0)
    with ThreadPoolExecutor(40) as sessions:
        asked = list(sessions.map(lambda _: office.ask(), range(40)))
    last = [office.events(run_id)[-1] for run_id in asked]
    assert {type(event) for event in last} == {RunFinished}


def test_a_question_with_bytes_that_are_no_text_is_answered(office: Office) -> None:
    run_id = office.ask("Who developed KelpNet\udcff?")
    assert isinstance(office.events(run_id)[-1], RunFinished)
    assert office.log.get(run_id).question == "Who developed KelpNet\ufffd?"


def test_a_knowledge_base_that_is_gone_fails_with_a_sentence(office: Office) -> None:
    run_id = office.worker.start(RunRequest("What is the capital of France?", "gone"))
    last = office.events(run_id)[-1]
    assert isinstance(last, RunFailed)
    assert "knowledge base" in office.log.get(run_id).error
    assert office.log.get(run_id).seconds == last.seconds > 0


def test_a_thread_deleted_under_way_ends_quietly(office: Office, held: Held) -> None:
    run_id = office.ask()
    assert held.spoke.wait(30)
    office.log.kept.pop(run_id)
    office.log.logged.pop(run_id)
    held.released.set()
    assert not [event for event in office.events(run_id) if isinstance(event, END_EVENTS)]
    assert list(follow(office.log, run_id)) == []


def test_runs_of_a_dead_process_are_interrupted_and_its_partial_answer_kept(office: Office) -> None:
    dead = f"{office.worker._owner.id.rsplit('-', 2)[0]}-1-dead"
    run = office.log.start(RunRequest("Why?", BASE), "t1", "built-in", dead)
    begun: list[Event] = [
        RunStarted("Why?", "adaptive", "built-in", dead),
        NodeStarted("plan", 1),
        AnswerDelta("Half"),
    ]
    office.log.append(run.id, begun)
    assert office.worker.recover() == [run.id]
    assert office.log.get(run.id).status is RunStatus.INTERRUPTED
    assert office.log.get(run.id).answer == "Half"
    assert "Ask again" in office.log.get(run.id).error
    assert office.events(run.id)[-1] == RunFailed(INTERRUPTED)
    assert office.worker.recover() == []


def test_a_run_of_a_version_that_named_no_process_is_interrupted(office: Office) -> None:
    run = office.log.start(RunRequest("Why?", BASE), "t1", "built-in")
    assert office.worker.recover() == [run.id]


def test_runs_of_a_living_process_are_left_alone(office: Office, held: Held) -> None:
    run_id = office.ask()
    assert held.spoke.wait(30)
    other = office.hire()
    assert other.recover() == []
    assert office.worker.recover() == []
    assert other.is_alive(run_id, office.worker._owner.id)
    other.close()
    assert office.log.get(run_id).status is RunStatus.RUNNING


def test_a_run_is_stopped_from_another_process(office: Office, held: Held, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.runs.execution.active_runs.LOOK_SECONDS", 0.01)
    run_id = office.ask()
    assert held.spoke.wait(30)
    other = office.hire()
    assert other.stop(run_id)
    assert isinstance([event for _, event in other.follow(run_id, poll_seconds=0.01)][-1], RunStopped)
    assert (office.log.get(run_id).status, office.log.get(run_id).answer) == (RunStatus.STOPPED, "KelpNet")
    assert not other.stop(run_id)
    other.close()


def test_who_is_about_to_end_answers_what_was_asked_and_takes_nothing_more(office: Office, held: Held) -> None:
    run_id = office.ask()
    assert held.spoke.wait(30)
    draining = threading.Thread(target=office.worker.drain, args=(60,))
    draining.start()
    wait_for(lambda: office.worker.is_closing)
    with pytest.raises(RetryableServiceError, match="restarted"):
        office.ask()
    held.released.set()
    draining.join(60)
    assert not draining.is_alive()
    assert office.log.get(run_id).status is RunStatus.DONE


def test_on_a_desk_what_is_not_answered_in_time_is_interrupted(office: Office, held: Held) -> None:
    run_id = office.ask()
    assert held.spoke.wait(30)
    office.worker.drain(0)
    run = office.log.get(run_id)
    assert (run.status, run.answer) == (RunStatus.INTERRUPTED, "KelpNet")


@pytest.fixture
def left(office: Office, held: Held, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run that its process could not end in time, and that the next process finds a second later."""
    leaving = office.hire(SHARED)
    run_id = leaving.start(RunRequest("Who developed KelpNet?", BASE))
    assert held.spoke.wait(30)
    leaving.drain(0)
    leaving.close()
    assert office.log.get(run_id).status is RunStatus.RUNNING
    office.world.llm = World().llm
    later = office.log.get(run_id).started_at + timedelta(seconds=1)
    monkeypatch.setattr("core.runs.execution.recovery.utc_now", lambda: later)
    return run_id


def test_beside_others_it_is_answered_by_another_process(office: Office, held: Held, left: str) -> None:
    other = office.hire(SHARED)
    assert other.recover() == [left]
    events = [event for _, event in other.follow(left)]
    assert [type(event) for event in events].count(RunStarted) == 2
    assert isinstance(events[-1], RunFinished)
    run, view = office.log.get(left), fold(events)
    assert (run.status, run.outcome, run.process) == (RunStatus.DONE, "answered", other.owner_id)
    assert "Lena Vogt" in run.answer
    assert len({(step.node, step.attempt) for step in view.steps}) == len(view.steps), "only the second beginning shows"
    held.released.set()
    assert other.recover() == []
    other.close()
    assert office.log.events(left, 0)[-1][1] == events[-1], "what the first process writes late is refused"


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few seconds after everything in the log."""
    monkeypatch.setattr("core.runs.execution.recovery.utc_now", lambda: NOW + timedelta(seconds=30))


AWAY = RunFailed("storage.unavailable", (("reason", "gone"),))


@pytest.mark.usefixtures("moment")
def test_beside_others_a_failure_of_the_database_does_not_end_it(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = office.hire(SHARED)
    with monkeypatch.context() as away:
        away.setattr("core.runs.execution.worker.execute", lambda execution, emit: emit(AWAY))
        run_id = worker.start(RunRequest("Who developed KelpNet?", BASE))
        wait_for(lambda: worker.view(run_id) is None)
    assert office.log.get(run_id).status is RunStatus.RUNNING
    assert worker.is_alive(run_id, worker.owner_id), "nobody is told that it was given up"
    monkeypatch.setattr(ProcessLease, "leads", lambda self: False)
    assert office.worker.recover() == [], "it is another one's"
    assert worker.recover() == [], "the database may not be back yet"
    monkeypatch.setattr("core.runs.execution.recovery._PAUSES", (0.0,))
    assert worker.recover() == [run_id]
    assert isinstance([event for _, event in worker.follow(run_id)][-1], RunFinished)
    worker.close()


@pytest.mark.usefixtures("moment")
def test_failures_of_a_server_do_not_count_as_deaths_but_are_not_waited_for_without_end(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.runs.execution.recovery._PAUSES", (0.0,))
    worker = office.hire(SHARED)
    monkeypatch.setattr("core.runs.execution.worker.execute", lambda execution, emit: emit(AWAY))
    run_id = worker.start(RunRequest("Who developed KelpNet?", BASE))
    for _ in range(MAX_PROCESSES + 1):
        wait_for(lambda: worker.view(run_id) is None)
        assert worker.recover() == [run_id]
    wait_for(lambda: worker.view(run_id) is None)
    assert office.log.get(run_id).status is RunStatus.RUNNING
    monkeypatch.setattr("core.runs.execution.recovery.OUTAGE_SECONDS", -1.0)
    assert worker.recover() == [run_id]
    wait_for(lambda: office.log.get(run_id).status is RunStatus.FAILED)
    worker.close()


@pytest.mark.usefixtures("moment")
@pytest.mark.parametrize(
    ("times", "status"), [(MAX_BEGINNINGS - 2, RunStatus.RUNNING), (MAX_BEGINNINGS, RunStatus.FAILED)]
)
def test_a_run_whose_server_stays_away_is_begun_so_many_times(
    office: Office, monkeypatch: pytest.MonkeyPatch, times: int, status: RunStatus
) -> None:
    worker = office.hire(SHARED)

    def begun_and_left(_: Any, emit: Callable[[Event], None]) -> None:
        (left,) = office.log.running()
        office.log.append(left.id, [RunStarted("Why?", "adaptive", "built-in", worker.owner_id)] * times)
        emit(AWAY)

    monkeypatch.setattr("core.runs.execution.worker.execute", begun_and_left)
    run_id = worker.start(RunRequest("Who developed KelpNet?", BASE))
    wait_for(lambda: worker.view(run_id) is None)
    assert office.log.get(run_id).status is status
    worker.close()


GONE = RetryableServiceError("storage.unavailable", reason="gone")


def test_a_run_whose_end_could_not_be_stored_is_ended_when_the_database_is_back(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.runs.execution.recovery.AGAIN_SECONDS", 0.05)
    finish, outages = office.log.finish, [GONE, GONE, GONE]

    def finished(*given: Any, **named: Any) -> None:
        if outages:
            raise outages.pop()
        finish(*given, **named)

    monkeypatch.setattr(office.log, "finish", finished)
    run_id = office.ask()
    wait_for(lambda: office.log.get(run_id).status is RunStatus.INTERRUPTED)
    assert office.events(run_id)[-1] == RunFailed(INTERRUPTED)


def test_a_run_that_was_stored_although_the_database_did_not_say_so_is_ended(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.runs.execution.recovery.AGAIN_SECONDS", 0.05)
    begin = office.log.begin

    def begun(*given: Any) -> Run:
        begin(*given)
        raise GONE

    monkeypatch.setattr(office.log, "begin", begun)
    with pytest.raises(RetryableServiceError):
        office.ask()
    wait_for(lambda: not office.log.running())
    (thread,) = office.threads.find()
    assert [run.status for run in office.log.of_thread(thread.id)] == [RunStatus.INTERRUPTED]


def test_a_question_that_is_just_being_stored_is_not_taken_for_left(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker, start, found = office.hire(SHARED), office.log.start, list[str]()

    def stored(*given: Any) -> Run:
        run = start(*given)
        found.extend(worker.recover())
        return run

    monkeypatch.setattr(office.log, "start", stored)
    run_id = worker.start(RunRequest("Who developed KelpNet?", BASE))
    events = [event for _, event in worker.follow(run_id)]
    assert (found, [type(event) for event in events].count(RunStarted)) == ([], 1)
    worker.close()


@pytest.mark.usefixtures("moment")
def test_what_there_is_no_room_for_is_left_for_later(office: Office, held: Held, left: str) -> None:
    other = office.hire(SHARED)
    office.world.llm = held  # type: ignore[assignment]
    asked = [other.start(RunRequest("Who developed KelpNet?", BASE)) for _ in range(MAX_ACTIVE)]
    assert other.recover() == [left]
    run = office.log.get(left)
    assert (run.status, run.process != other.owner_id) == (RunStatus.RUNNING, True)
    held.released.set()
    for run_id in asked:
        list(other.follow(run_id))
    assert other.recover() == [left]
    assert isinstance([event for _, event in other.follow(left)][-1], RunFinished)
    other.close()


def test_what_was_spent_before_a_process_died_is_counted(office: Office, left: str) -> None:
    office.log.append(left, [ModelCalled("plan", "", "", 1.0, Usage(2, 70, 30))])
    other = office.hire(SHARED)
    assert other.recover() == [left]
    finished = [event for _, event in other.follow(left)][-1]
    assert isinstance(finished, RunFinished)
    run = office.log.get(left)
    assert (run.usage, finished.usage) == (Usage(2, 70, 30), Usage(2, 70, 30)), "the built-in engine spends nothing"
    assert fold(event for _, event in office.log.events(left, 0)).usage == run.usage
    other.close()


@pytest.mark.parametrize("why", ["stopped", "too long ago", "too often", "asker gone"])
def test_what_nobody_waits_for_is_not_begun_again(
    office: Office, left: str, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    run = office.log.get(left)
    if why == "stopped":
        office.log.request_stop(left)
    elif why == "too long ago":
        monkeypatch.setattr("core.runs.execution.recovery.utc_now", lambda: run.started_at + timedelta(hours=1))
    elif why == "too often":
        began = [RunStarted("Why?", "adaptive", "built-in", f"dead {number}") for number in range(MAX_PROCESSES - 1)]
        office.log.append(left, [*began, AnswerDelta("KelpNet")])
    other = office.hire(SHARED if why != "asker gone" else Hooks(asker=lambda run: None))
    assert other.recover() == [left]
    assert (office.log.get(left).status, office.log.get(left).answer.strip()) == (RunStatus.INTERRUPTED, "KelpNet")
    other.close()


@pytest.mark.parametrize(
    ("times", "status"), [(MAX_BEGINNINGS - 1, RunStatus.DONE), (MAX_BEGINNINGS, RunStatus.INTERRUPTED)]
)
def test_a_run_is_begun_so_many_times_even_by_one_process(
    office: Office, left: str, times: int, status: RunStatus
) -> None:
    """`left` was begun once."""
    office.log.append(left, [RunStarted("Why?", "adaptive", "built-in", office.worker.owner_id)] * (times - 1))
    other = office.hire(SHARED)
    assert other.recover() == [left]
    list(other.follow(left))
    assert office.log.get(left).status is status
    other.close()


@pytest.mark.usefixtures("moment")
def test_a_run_that_kills_every_process_is_given_up(office: Office, left: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each dies as soon as it works on the run: what it has not stored by then is lost."""
    monkeypatch.setattr("core.runs.execution.writer.FIRST_SECONDS", 60.0)
    died = threading.Event()
    monkeypatch.setattr("core.runs.execution.worker.execute", lambda execution, emit: died.set())
    dead: list[RunWorker] = []
    while office.log.get(left).status is RunStatus.RUNNING and len(dead) < MAX_BEGINNINGS:
        died.clear()
        dead.append(office.hire(SHARED))
        assert dead[-1].recover() == [left]
        assert office.log.get(left).status is RunStatus.INTERRUPTED or died.wait(30)
        dead[-1]._owner.close()
    assert (len(dead), office.log.get(left).status) == (MAX_PROCESSES, RunStatus.INTERRUPTED)
    for process in dead:
        process.close()


def test_what_is_run_here_is_followed_without_polling(office: Office) -> None:
    run_id = office.ask()
    kinds = {type(event) for _, event in office.worker.follow(run_id, poll_seconds=60)}
    assert RunFinished in kinds


def wait_for(condition: Callable[[], bool]) -> None:
    """For what happens right after the last event."""
    ended = threading.Event()
    for _ in range(1200):
        if condition():
            return
        ended.wait(0.05)
    raise AssertionError("it did not happen")


def test_who_follows_a_run_of_this_process_gets_what_the_log_has(office: Office, held: Held) -> None:
    run_id = office.ask()
    assert held.spoke.wait(30)
    followed = office.worker.follow(run_id)
    begun = [next(followed) for _ in range(3)]
    held.released.set()
    events = [*begun, *followed]
    assert events == office.log.events(run_id, 0)
    assert list(office.worker.follow(run_id, 3)) == events[3:]
