"""The model as documents share it: a bounded number of calls at a time, whatever they are for."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from core.models.agent_ports import Agent
from core.models.chat.slots import SlottedLlm
from core.models.meter import Meter
from core.models.metering import CountingMeter
from core.models.tasks import Output, Request, Task, TextTask
from tests.models.chat.examples import JUDGE, REQUEST

LIMIT_SECONDS = 10.0


class Never:
    def requested(self) -> bool:
        return False


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
    llm = SlottedLlm(busy, 3)
    meter = CountingMeter(Never())
    with ThreadPoolExecutor(12) as pool:
        judged = [pool.submit(llm.run, JUDGE, REQUEST, meter) for _ in range(6)]
        listed = [pool.submit(llm.answer_json, "extract", str(number), 1_000, meter) for number in range(6)]
        assert [each.result() for each in judged] == [JUDGE.rule(REQUEST)] * 6
        assert [each.result() for each in listed] == [str(number) for number in range(6)]
    assert busy.most == 3
