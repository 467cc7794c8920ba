"""Writing events: in order, in few batches, the answer's pieces joined, failures not swallowed."""

from concurrent.futures import Executor, ThreadPoolExecutor

import pytest

from core.models.meter import ModelPhase
from core.platform.errors import ServiceError
from core.runs.events import AnswerDelta, AnswerReset, Event, ModelProgress, NodeStarted, RunFinished
from core.runs.execution.writer import ChangeSignal, RunWriter, coalesced
from core.runs.history.model_failure import as_ended
from core.runs.history.view import apply
from core.runs.model import Run, RunRequest, RunStatus, Usage
from tests.fakes import BASE, FakeRunLog

END = RunFinished("answered", 1.0, Usage())


def started(log: FakeRunLog) -> Run:
    return log.start(RunRequest("Why?", BASE), "t1", "built-in")


def finish(writer: RunWriter) -> None:
    writer.end(as_ended(writer.run, apply(writer.view, END)), END)


def test_neighbouring_pieces_are_joined_and_nothing_else() -> None:
    events: list[Event] = [AnswerDelta("a"), AnswerDelta("b"), AnswerReset("x"), AnswerDelta("c")]
    assert coalesced(events) == [AnswerDelta("ab"), AnswerReset("x"), AnswerDelta("c")]


def test_of_steps_of_progress_in_a_row_the_last_one_is_kept() -> None:
    read = [ModelProgress(ModelPhase.READING, percent) for percent in (10, 20, 30)]
    assert coalesced([*read, AnswerDelta("a")]) == [read[-1], AnswerDelta("a")]


def test_everything_is_written_in_order_and_the_run_is_stored_before_its_last_event() -> None:
    log = FakeRunLog()
    with ThreadPoolExecutor(1) as executor:
        writer = RunWriter(started(log), log, ChangeSignal(), executor)
        for word in ("one", "two", "three", "four"):
            writer.emit(NodeStarted(word, 1))
            for letter in word:
                writer.emit(AnswerDelta(letter))
        finish(writer)
    events = [event for _, event in log.events("r1", 0)]
    assert "".join(event.text for event in events if isinstance(event, AnswerDelta)) == "onetwothreefour"
    assert [event.node for event in events if isinstance(event, NodeStarted)] == ["one", "two", "three", "four"]
    assert events[-1] == END
    assert log.get("r1").status is RunStatus.DONE
    assert log.get("r1").answer == "onetwothreefour"


def test_many_pieces_take_few_writes() -> None:
    log = FakeRunLog()
    with ThreadPoolExecutor(1) as executor:
        writer = RunWriter(started(log), log, ChangeSignal(), executor)
        for _ in range(2000):
            writer.emit(AnswerDelta("x"))
        finish(writer)
    assert len(log.appends) < 100


def test_a_short_run_is_written_once_with_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.runs.execution.writer.FIRST_SECONDS", 60.0)
    log = FakeRunLog()
    with ThreadPoolExecutor(1) as executor:
        writer = RunWriter(started(log), log, ChangeSignal(), executor)
        writer.emit(NodeStarted("a", 1))
        writer.emit(NodeStarted("b", 1))
        finish(writer)
    assert log.appends == [3]


def test_more_of_an_answer_waits_for_something_else_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.runs.execution.writer.INTERVAL_SECONDS", 0.0)
    monkeypatch.setattr("core.runs.execution.writer.ANSWER_SECONDS", 60.0)
    log, bell = FakeRunLog(), ChangeSignal()
    with ThreadPoolExecutor(1) as executor:
        writer = RunWriter(started(log), log, bell, executor)
        writer.emit(AnswerDelta("a"))
        bell.wait(since=0, seconds=60)
        writer.emit(AnswerDelta("b"))
        bell.wait(since=1, seconds=0.1)
        writer.emit(AnswerDelta("c"))
        assert bell.rung == 1
        writer.emit(NodeStarted("check", 1))
        bell.wait(since=1, seconds=30)
        assert [event for _, event in log.events("r1", 0)] == [
            AnswerDelta("a"),
            AnswerDelta("bc"),
            NodeStarted("check", 1),
        ]
        finish(writer)


def test_who_listens_is_told_of_every_event_and_sees_it_ahead_of_the_log() -> None:
    log, heard = FakeRunLog(), list[str]()
    with ThreadPoolExecutor(1) as executor:
        writer = RunWriter(started(log), log, ChangeSignal(), executor)

        def listen() -> None:
            heard.append(writer.view.answer)

        writer.listen(listen)
        writer.emit(AnswerDelta("a"))
        writer.emit(AnswerDelta("b"))
        writer.unlisten(listen)
        writer.emit(AnswerDelta("c"))
        finish(writer)
    assert heard == ["a", "ab"]
    assert writer.view.status is RunStatus.DONE


def settle(executor: Executor) -> None:
    """Returns when a pool of one thread has done what was submitted so far."""
    executor.submit(lambda: None).result()


def test_what_comes_after_the_end_is_dropped() -> None:
    log = FakeRunLog()
    with ThreadPoolExecutor(1) as executor:
        writer = RunWriter(started(log), log, ChangeSignal(), executor)
        finish(writer)
        writer.emit(AnswerDelta("late"))
    assert [event for _, event in log.events("r1", 0)] == [END]


def test_a_log_that_cannot_be_written_stops_the_run() -> None:
    log = FakeRunLog()
    with ThreadPoolExecutor(1) as executor:
        writer = RunWriter(started(log), log, ChangeSignal(), executor)
        log.failure = ServiceError("llm.timeout")
        writer.emit(NodeStarted("a", 1))
        settle(executor)
        with pytest.raises(ServiceError):
            writer.emit(NodeStarted("b", 1))
        with pytest.raises(ServiceError):
            finish(writer)


def test_followers_are_woken_by_every_write() -> None:
    log, bell = FakeRunLog(), ChangeSignal()
    with ThreadPoolExecutor(1) as executor:
        writer = RunWriter(started(log), log, bell, executor)
        writer.emit(NodeStarted("a", 1))
        bell.wait(since=0, seconds=60)
        assert bell.rung == 1
        finish(writer)
    assert bell.rung == 2
