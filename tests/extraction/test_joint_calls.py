"""Who asks a model for whom when several short documents are read at the same time."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.extraction.joint_calls import JointCalls


def unheard() -> None:
    """Nobody cancels."""


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing begins before it is full."""
    monkeypatch.setattr("core.extraction.joint_calls.GATHER_SECONDS", 60.0)
    monkeypatch.setattr("core.extraction.joint_calls.MOST_SECONDS", 60.0)


def test_one_that_is_alone_asks_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.extraction.joint_calls.GATHER_SECONDS", 0.0)
    with JointCalls[str](10).turn("a", 3, unheard) as parts:
        assert parts == ["a"]


def test_a_full_call_is_asked_for_by_one_and_the_others_get_nothing_to_ask(patient: None) -> None:
    calls = JointCalls[int](4)

    def take(number: int) -> list[int]:
        with calls.turn(number, 1, unheard) as parts:
            return parts

    with ThreadPoolExecutor(8) as pool:
        asked = list(pool.map(take, range(8)))
    assert sorted(len(parts) for parts in asked) == [0, 0, 0, 0, 0, 0, 4, 4]
    assert sorted(number for parts in asked for number in parts) == list(range(8))
    assert all(parts[0] == number for number, parts in enumerate(asked) if parts)


def test_others_wait_while_a_call_is_under_way_and_go_on_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.extraction.joint_calls.GATHER_SECONDS", 0.0)
    calls = JointCalls[str](10)
    taken: list[list[str]] = []
    with ThreadPoolExecutor(2) as pool:
        with calls.turn("first", 1, unheard):
            later = [pool.submit(_note, calls, name, taken) for name in ("second", "third")]
            while len(calls._waiting) < 2:
                threading.Event().wait(0.01)
        for each in later:
            each.result(30)
    assert sorted(map(sorted, taken)) == [[], ["second", "third"]]


def _note(calls: JointCalls[str], name: str, taken: list[list[str]]) -> None:
    with calls.turn(name, 1, unheard) as parts:
        taken.append(list(parts))


def test_one_that_is_cancelled_while_it_waits_is_left_out(patient: None) -> None:
    class StoppedError(Exception):
        pass

    def stop() -> None:
        raise StoppedError

    calls = JointCalls[str](2)
    with pytest.raises(StoppedError), calls.turn("gone", 1, stop):
        pass
    with calls.turn("large", 2, unheard) as parts:
        assert parts == ["large"]


def test_a_call_that_fails_frees_those_that_it_was_made_for(patient: None) -> None:
    calls = JointCalls[str](2)

    def take(name: str) -> str:
        try:
            with calls.turn(name, 1, unheard) as parts:
                if parts:
                    raise RuntimeError(name)
                return "free"
        except RuntimeError:
            return "failed"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(take, "ab")) == ["failed", "free"]


def test_where_documents_come_slowly_it_waits_longer_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.extraction.joint_calls.GATHER_SECONDS", 0.01)
    monkeypatch.setattr("core.extraction.joint_calls.GAPS", 1_000)
    calls = JointCalls[str](2)
    taken: list[list[str]] = []
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(_note, calls, "first", taken)
        first.result(30)
        waiting = [pool.submit(_note, calls, "second", taken)]
        threading.Event().wait(0.2)
        assert taken == [["first"]]
        waiting.append(pool.submit(_note, calls, "third", taken))
        for each in waiting:
            each.result(30)
    assert sorted(map(sorted, taken)) == [[], ["first"], ["second", "third"]]
