"""A model for ingestion with a bounded number of concurrent calls across all documents; questions have priority."""

import time
from collections.abc import Callable, Iterator
from threading import BoundedSemaphore
from typing import Any, Protocol, TypeVar, cast

from core.models.agent_ports import Agent
from core.models.meter import Meter, stop_if_cancelled
from core.models.ports import Llm, Pace, Pause
from core.models.tasks import Output, Request, Task, TextTask
from core.platform.errors import CancelledError

Answer = TypeVar("Answer")
QUIET_SECONDS = 3.0
"""Pause after a question before documents continue, since a question takes several calls."""
LOOK_SECONDS = 0.3


class DocumentLlm(Llm, Protocol):
    """A model that also writes long answers; core.models.chat.llm.ChatLlm."""

    def answer_json(self, task: str, prompt: str, max_tokens: int, meter: Meter) -> str:
        """Raises ServiceError or CancelledError."""


def nobody_asks() -> bool:
    """Always false: a service has room for questions besides documents."""
    return False


class SlottedLlm:
    """DocumentLlm. A call waits for its slot before its own time starts; preparation and parsing need no slot."""

    def __init__(self, llm: DocumentLlm, pace: Pace, is_asked: Callable[[], bool] = nobody_asks) -> None:
        """is_asked: whether a question is being answered; calls wait meanwhile, and one under way is repeated."""
        self._llm = llm
        self.pace = pace
        self._free = BoundedSemaphore(pace.in_flight)
        self._is_asked = is_asked

    @property
    def engine(self) -> str:
        return self._llm.engine

    def run(self, task: Task[Request, Output], request: Request, meter: Meter) -> Output:
        return self._between_questions(lambda own: self._llm.run(task, request, own), meter)

    def stream(self, task: TextTask[Request], request: Request, meter: Meter) -> Iterator[str]:
        yield from self._between_questions(lambda own: list(self._llm.stream(task, request, own)), meter)

    def agent(self) -> Agent | None:
        return self._llm.agent()

    def pause(self) -> Pause | None:
        return self._llm.pause()

    def resume(self) -> None:
        self._llm.resume()

    def answer_json(self, task: str, prompt: str, max_tokens: int, meter: Meter) -> str:
        return self._between_questions(lambda own: self._llm.answer_json(task, prompt, max_tokens, own), meter)

    def _between_questions(self, call: Callable[[Meter], Answer], meter: Meter) -> Answer:
        with self._free:
            while True:
                self._wait_for_quiet(meter)
                giving_way = _GivingWay(meter, self._is_asked)
                try:
                    return call(cast("Meter", giving_way))
                except CancelledError:
                    if not giving_way.has_given_way or meter.cancelled():
                        raise

    def _wait_for_quiet(self, meter: Meter) -> None:
        """Raises CancelledError."""
        quiet_since = float("-inf")
        while (is_asked := self._is_asked()) or time.monotonic() - quiet_since < QUIET_SECONDS:
            if is_asked:
                quiet_since = time.monotonic()
            stop_if_cancelled(meter)
            time.sleep(LOOK_SECONDS)


class _GivingWay:
    """The meter of a call that is cancelled as soon as a question is asked."""

    def __init__(self, meter: Meter, is_asked: Callable[[], bool]) -> None:
        self._meter = meter
        self._is_asked = is_asked
        self.has_given_way = False

    def cancelled(self) -> bool:
        self.has_given_way = self.has_given_way or self._is_asked()
        return self.has_given_way or self._meter.cancelled()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._meter, name)
