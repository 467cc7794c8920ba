"""A pause that the endpoint asks one call for holds back all of them; many calls are at it at the same time."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from core.models.chat.deadline import Deadline, RetryAfterGate
from core.models.chat.endpoint_config import EndpointConfig
from core.models.chat.llm import ChatLlm
from core.models.meter import CountingMeter
from core.platform.errors import CancelledError, ServiceError
from tests.loopback.answers import Answer, Failure, Reply
from tests.loopback.openai_server import OpenAiServer

PROMPT = "Answer in json."
ASKED_SECONDS = 1
LIMIT_SECONDS = 20.0


class Never:
    def requested(self) -> bool:
        return False


class Limited:
    """Refuses the first call with a pause; notes when the others came."""

    def __init__(self) -> None:
        self.refused_at = 0.0
        self.came: list[float] = []

    def __call__(self, request: dict[str, Any]) -> Answer:
        del request
        if not self.refused_at:
            self.refused_at = time.monotonic()
            return Failure(429, "Slow down.", headers={"Retry-After": str(ASKED_SECONDS)})
        self.came.append(time.monotonic())
        return Reply("{}")


def asking(server: OpenAiServer) -> Callable[[object], str]:
    llm = ChatLlm(EndpointConfig(server.base_url, "loopback-model", retries=0, longest_wait_seconds=0.01))
    return lambda _: llm.answer_json("extract", PROMPT, 1_000, CountingMeter(Never()))


def test_a_pause_asked_of_one_call_holds_back_all() -> None:
    limited = Limited()
    with OpenAiServer(limited) as server, ThreadPoolExecutor(3) as pool:
        ask = asking(server)
        with pytest.raises(ServiceError, match="busy"):
            ask(0)
        assert list(pool.map(ask, range(3))) == ["{}"] * 3
    assert min(limited.came) >= limited.refused_at + ASKED_SECONDS


def test_as_many_calls_are_at_the_endpoint_as_are_made() -> None:
    many = 24
    together = threading.Barrier(many)

    def answer(request: dict[str, Any]) -> Answer:
        del request
        together.wait(LIMIT_SECONDS)
        return Reply("{}")

    with OpenAiServer(answer) as server, ThreadPoolExecutor(many) as pool:
        assert list(pool.map(asking(server), range(many))) == ["{}"] * many


def test_a_pause_is_not_shortened_and_a_stop_ends_it() -> None:
    hold, stopped = RetryAfterGate(), threading.Event()
    hold.ask(60.0)
    hold.ask(0.0)
    stopped.set()
    with pytest.raises(CancelledError):
        hold.wait(Deadline.after(100.0, stopped.is_set))
