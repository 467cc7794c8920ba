"""Following a run: from a cursor, live and later, and never for ever."""

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from core.runs.events import AnswerDelta, Event, RunFinished, RunStarted, RunStopped
from core.runs.execution.writer import ChangeSignal
from core.runs.history.follow import follow
from core.runs.model import RunRequest, RunStatus, Usage
from tests.fakes import BASE, FakeRunLog

START = RunStarted("Why?", "adaptive", "built-in", "owner")
END = RunFinished("answered", 1.0, Usage())


@pytest.fixture
def log() -> FakeRunLog:
    made = FakeRunLog()
    made.start(RunRequest("Why?", BASE), "t1", "built-in")
    return made


def kinds(events: Iterator[tuple[int, Event]]) -> list[str]:
    return [type(event).__name__ for _, event in events]


def test_a_replay_is_the_whole_log(log: FakeRunLog) -> None:
    log.append("r1", [START, AnswerDelta("a"), END, AnswerDelta("never shown")])
    assert list(follow(log, "r1")) == [(1, START), (2, AnswerDelta("a")), (3, END)]


def test_a_cursor_goes_on_where_it_was(log: FakeRunLog) -> None:
    log.append("r1", [START, AnswerDelta("a"), END])
    assert list(follow(log, "r1", after=2)) == [(3, END)]


def test_live_events_arrive_as_they_are_written(log: FakeRunLog) -> None:
    bell = ChangeSignal()
    followed = follow(log, "r1", poll_seconds=60, bell=bell)
    log.append("r1", [START])
    assert next(followed) == (1, START)

    def write() -> None:
        log.append("r1", [RunStopped(1.0)])
        bell.ring()

    thread = threading.Thread(target=write)
    thread.start()
    assert next(followed) == (2, RunStopped(1.0))
    thread.join()
    assert list(followed) == []


def test_another_process_is_followed_by_polling(log: FakeRunLog) -> None:
    log.append("r1", [START])
    followed = follow(log, "r1", poll_seconds=0)
    next(followed)
    log.append("r1", [END])
    assert kinds(followed) == ["RunFinished"]


def test_a_run_that_vanished_ends(log: FakeRunLog) -> None:
    assert kinds(follow(log, "gone", poll_seconds=0)) == []


def test_a_dead_owner_ends_the_following(log: FakeRunLog) -> None:
    log.append("r1", [START])
    asked: list[tuple[str, str]] = []

    def alive(run_id: str, owner: str) -> bool:
        asked.append((run_id, owner))
        return False

    assert kinds(follow(log, "r1", poll_seconds=0, alive=alive)) == ["RunStarted"]
    assert asked == [("r1", "owner")]


def test_a_run_of_which_nothing_could_be_written_ends_with_its_process() -> None:
    log = FakeRunLog()
    log.start(RunRequest("Why?", BASE), "t1", "built-in", "owner")
    asked: list[tuple[str, str]] = []

    def alive(run_id: str, owner: str) -> bool:
        asked.append((run_id, owner))
        return False

    assert kinds(follow(log, "r1", poll_seconds=0, alive=alive)) == []
    assert asked == [("r1", "owner")]


def test_last_words_of_a_dying_owner_are_not_missed(log: FakeRunLog) -> None:
    log.append("r1", [START])

    def alive(run_id: str, owner: str) -> bool:
        if len(log.events("r1", 0)) == 1:
            log.append("r1", [END])
        return False

    assert kinds(follow(log, "r1", poll_seconds=0, alive=alive)) == ["RunStarted", "RunFinished"]


class Leap:
    """A clock that jumps by a hundred seconds each time it is read."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        self.now += 100
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_a_run_whose_process_is_alive_may_be_silent_for_long(log: FakeRunLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.runs.history.follow.time", Leap())
    log.append("r1", [START])
    looks = 0

    def alive(run_id: str, owner: str) -> bool:
        nonlocal looks
        looks += 1
        if looks == 20:
            log.append("r1", [END])
        return True

    assert kinds(follow(log, "r1", poll_seconds=0, alive=alive)) == ["RunStarted", "RunFinished"]


@pytest.mark.parametrize("status", [RunStatus.RUNNING, RunStatus.DONE])
def test_silence_is_not_waited_for_without_end(
    log: FakeRunLog, status: RunStatus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.runs.history.follow.time", Leap())
    log.kept["r1"] = replace(log.kept["r1"], status=status)
    assert kinds(follow(log, "r1", poll_seconds=0)) == []
