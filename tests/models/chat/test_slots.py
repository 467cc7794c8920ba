"""The model as documents share it: a bounded number of calls at a time, whatever they are for."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.models.agent_ports import Agent
from core.models.chat import slots
from core.models.chat.slots import SlottedLlm
from core.models.meter import CountingMeter, Meter
from core.models.ports import Pace
from core.models.tasks import Output, Request, Task, TextTask
from core.platform.errors import CancelledError
from tests.fakes.models import RuleLlm
from tests.models.chat.examples import JUDGE, REQUEST

LIMIT_SECONDS = 60.0


class Never:
    def requested(self) -> bool:
        return False


class Stop:
    def __init__(self) -> None:
        self.wanted = threading.Event()

    def requested(self) -> bool:
        return self.wanted.is_set()


class Interrupted(RuleLlm):
    """Writes until it is stopped, the first time; a question comes meanwhile."""

    def __init__(self, asked: threading.Event) -> None:
        super().__init__("interrupted")
        self._asked = asked
        self.begun = 0

    def answer_json(self, task: str, prompt: str, max_tokens: int, meter: Meter) -> str:
        self.begun += 1
        if self.begun == 1:
            self._asked.set()
            assert meter.cancelled()
            threading.Timer(0.1, self._asked.clear).start()
            raise CancelledError("error.cancelled")
        return prompt


class Busy:
    """Lets a call end when `many` are under way, and counts how many there were at most."""

    engine = "busy"

    def __init__(self, many: int) -> None:
        self._together = threading.Barrier(many)
        self._lock = threading.Lock()
        self._now = 0
        self.most = 0

    def run(self, task: Task[Request, Output], request: Request, meter: Meter) -> Output:
        self._call()
        return task.rule(request)

    def answer_json(self, task: str, prompt: str, max_tokens: int, meter: Meter) -> str:
        self._call()
        return prompt

    def stream(self, task: TextTask[Request], request: Request, meter: Meter) -> Iterator[str]:
        self._call()
        yield from task.rule(request)

    def agent(self) -> Agent | None:
        return None

    def pause(self) -> None:
        return None

    def resume(self) -> None:
        return None

    def _call(self) -> None:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        self._together.wait(LIMIT_SECONDS)
        with self._lock:
            self._now -= 1


def test_calls_of_all_kinds_share_the_slots_and_fill_them() -> None:
    busy = Busy(3)
    llm = SlottedLlm(busy, Pace(in_flight=3))
    meter = CountingMeter(Never())
    with ThreadPoolExecutor(12) as pool:
        judged = [pool.submit(llm.run, JUDGE, REQUEST, meter) for _ in range(6)]
        listed = [pool.submit(llm.answer_json, "extract", str(number), 1_000, meter) for number in range(6)]
        assert [each.result() for each in judged] == [JUDGE.rule(REQUEST)] * 6
        assert [each.result() for each in listed] == [str(number) for number in range(6)]
    assert busy.most == 3


@pytest.fixture(autouse=True)
def _in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(slots, "QUIET_SECONDS", 0.05)


def test_a_call_gives_way_to_a_question_and_is_begun_again_when_nobody_asks() -> None:
    asked = threading.Event()
    model = Interrupted(asked)
    llm = SlottedLlm(model, Pace(in_flight=1), asked.is_set)
    assert llm.answer_json("extract", "names", 1_000, CountingMeter(Never())) == "names"
    assert (model.begun, asked.is_set()) == (2, False)


def test_no_call_begins_while_somebody_asks_and_the_wait_can_be_cancelled() -> None:
    stop = Stop()
    llm = SlottedLlm(Busy(1), Pace(in_flight=1), lambda: True)
    threading.Timer(0.1, stop.wanted.set).start()
    with pytest.raises(CancelledError):
        llm.answer_json("extract", "names", 1_000, CountingMeter(stop))


def test_a_cancelled_call_is_not_begun_again() -> None:
    stop, asked = Stop(), threading.Event()
    model = Interrupted(asked)
    stop.wanted.set()
    with pytest.raises(CancelledError):
        SlottedLlm(model, Pace(in_flight=1), asked.is_set).answer_json("extract", "", 9, CountingMeter(stop))
    assert model.begun == 1
