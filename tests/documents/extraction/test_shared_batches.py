"""Who is asked about with whom, and when, where several short documents are read at the same time."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from core.documents.extraction.shared_batches import JointCalls


@dataclass(eq=False)
class Text:
    name: str
    size: int = 1
    kind: str = "en"
    wanted: bool = True

    def is_wanted(self) -> bool:
        return self.wanted


class Asked:
    """Notes the calls; one about a text that is held up ends when that is let go."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()

    def __call__(self, texts: Sequence[Text]) -> None:
        self.calls.append([text.name for text in texts])
        self.begun.set()
        assert self.go_on.wait(30)
        if any(text.name == "broken" for text in texts):
            raise RuntimeError("broken")

    @property
    def sizes(self) -> list[int]:
        return sorted(map(len, self.calls))


def texts(number: int, size: int = 1, kind: str = "en") -> list[Text]:
    return [Text(f"{kind}{place}", size, kind) for place in range(number)]


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = threading.Event()
    for _ in range(3_000):
        if is_so():
            return
        deadline.wait(0.01)
    raise AssertionError("it never came to that")


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What fills no call does not go on by itself."""
    monkeypatch.setattr("core.documents.extraction.shared_batches.GATHER_SECONDS", 60.0)
    monkeypatch.setattr("core.documents.extraction.shared_batches.MOST_SECONDS", 60.0)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.documents.extraction.shared_batches.GATHER_SECONDS", 0.0)
    monkeypatch.setattr("core.documents.extraction.shared_batches.GAPS", 0)


def test_one_that_is_alone_is_asked_about_by_itself(hasty: None) -> None:
    asked = Asked()
    assert JointCalls(asked, 10, 8).ask_for([Text("a", 3)]) == [None]
    assert asked.calls == [["a"]]


def test_texts_that_come_one_by_one_fill_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.documents.extraction.shared_batches.GATHER_SECONDS", 3.0)
    asked = Asked()
    calls = JointCalls[Text](asked, 10, 8)
    with ThreadPoolExecutor(14) as pool:
        assert list(pool.map(lambda text: calls.ask_for([text]), texts(14))) == [[None]] * 14
    assert sum(asked.sizes) == 14
    assert len(asked.sizes) == 2, "a call begins when it is nearly full"
    assert max(map(len, asked.calls)) >= 7, "with all that wait at that moment"


def test_what_is_there_at_once_is_shared_out_evenly_over_the_slots(patient: None) -> None:
    asked = Asked()
    JointCalls[Text](asked, 100, 4).ask_for(texts(65, 10))
    assert asked.sizes == [8, 8, 8, 8, 8, 8, 8, 9]


def test_texts_of_different_kinds_share_no_call(hasty: None) -> None:
    asked = Asked()
    JointCalls[Text](asked, 10, 4).ask_for([*texts(4), *texts(3, kind="zh")])
    assert sorted(asked.calls) == [["en0", "en1", "en2", "en3"], ["zh0", "zh1", "zh2"]]


def test_nothing_begins_while_texts_are_expected_that_would_change_how_all_are_shared_out(patient: None) -> None:
    asked = Asked()
    calls = JointCalls[Text](asked, 10, 2)
    with ThreadPoolExecutor(1) as pool, calls.expecting() as arrived:
        first = pool.submit(calls.ask_for, texts(15))
        wait_until(lambda: len(calls._waiting) == 15)
        assert not asked.begun.wait(0.2)
        calls.ask_for(texts(5), arrived)
        first.result(30)
    assert asked.sizes == [10, 10]


def test_enough_for_two_rounds_does_not_wait_for_those_expected(patient: None) -> None:
    asked = Asked()
    calls = JointCalls[Text](asked, 10, 2)
    with ThreadPoolExecutor(1) as pool:
        with calls.expecting():
            first = pool.submit(calls.ask_for, texts(45))
            wait_until(lambda: asked.sizes == [10, 10, 10, 10])
            assert not first.done()
        calls.ask_for(texts(2))
        first.result(30)
    assert asked.sizes == [7, 10, 10, 10, 10]


def test_those_expected_that_never_come_are_waited_for_a_while(monkeypatch: pytest.MonkeyPatch, hasty: None) -> None:
    monkeypatch.setattr("core.documents.extraction.shared_batches.MOST_SECONDS", 0.2)
    asked = Asked()
    calls = JointCalls[Text](asked, 10, 2)
    with calls.expecting():
        calls.ask_for(texts(3))
    assert asked.sizes == [3]


def test_few_wait_while_a_call_is_under_way_and_go_on_together(hasty: None) -> None:
    asked = Asked()
    asked.go_on.clear()
    calls = JointCalls[Text](asked, 10, 8)
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(calls.ask_for, [Text("first")])
        assert asked.begun.wait(30)
        later = [pool.submit(calls.ask_for, [Text(name)]) for name in ("second", "third")]
        wait_until(lambda: len(calls._waiting) == 2)
        asked.go_on.set()
        for each in (first, *later):
            each.result(30)
    assert asked.calls[0] == ["first"]
    assert sorted(asked.calls[1]) == ["second", "third"]


def test_what_is_not_wanted_any_more_is_left_out(patient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.documents.extraction.shared_batches.LISTEN_SECONDS", 0.01)
    asked = Asked()
    calls = JointCalls[Text](asked, 10, 8)
    gone = Text("gone", 3)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(calls.ask_for, [gone])
        wait_until(lambda: len(calls._waiting) == 1)
        gone.wanted = False
        assert waiting.result(30) == [None]
    calls.ask_for([Text("large", 10)])
    assert asked.calls == [["large"]]


def test_what_a_call_raises_is_told_for_its_texts_alone(hasty: None) -> None:
    asked = Asked()
    calls = JointCalls[Text](asked, 2, 8)
    first, second = calls.ask_for([Text("broken", 2), Text("sound", 2)])
    assert isinstance(first, RuntimeError)
    assert second is None


def test_where_documents_come_slowly_it_waits_longer_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.documents.extraction.shared_batches.GATHER_SECONDS", 0.01)
    monkeypatch.setattr("core.documents.extraction.shared_batches.GAPS", 1_000)
    asked = Asked()
    calls = JointCalls[Text](asked, 10, 8)
    with ThreadPoolExecutor(2) as pool:
        pool.submit(calls.ask_for, [Text("first")]).result(30)
        waiting = [pool.submit(calls.ask_for, [Text("second")])]
        threading.Event().wait(0.2)
        assert asked.calls == [["first"]]
        waiting.append(pool.submit(calls.ask_for, [Text("third", 9)]))
        for each in waiting:
            each.result(30)
    assert sorted(map(sorted, asked.calls)) == [["first"], ["second", "third"]]
