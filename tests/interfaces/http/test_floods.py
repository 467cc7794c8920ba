"""A hundred requests at once: none is lost, those beyond a limit are told so, and others are served meanwhile."""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

import httpx2
import pytest

from core.app.services import Services
from core.people.api_keys import KeyScope
from core.platform.texts import text
from core.runs.execution import worker
from tests.loopback.answers import KeepAlives
from tests.loopback.openai_server import MODEL, OpenAiServer

AT_ONCE = 100
VAGUE = "What is the upkeep of buoys about?"
"""For which a model has to decide."""
PATIENCE = 100.0
SOON = 4.0
"""Seconds in which what is small is answered on a busy machine: less than a question waits for its turn."""
Ask = Callable[[], httpx2.Response]


@pytest.fixture
def clients(server: str, secrets: dict[KeyScope, str]) -> Iterator[tuple[httpx2.Client, httpx2.Client]]:
    """Programs with two keys."""
    limits = httpx2.Limits(max_connections=2 * AT_ONCE)
    open_to = partial(httpx2.Client, base_url=server, timeout=PATIENCE, limits=limits)
    one, other = ({"Authorization": f"Bearer {secrets[scope]}"} for scope in (KeyScope.READ, KeyScope.ADMIN))
    with open_to(headers=one) as flooding, open_to(headers=other) as another:
        yield flooding, another


@contextmanager
def flood(ask: Ask) -> Iterator[list[httpx2.Response]]:
    """Asks many times at once; inside these are under way, afterwards the list has their answers."""
    answers: list[httpx2.Response] = []
    with ThreadPoolExecutor(AT_ONCE) as senders:
        sent = [senders.submit(ask) for _ in range(AT_ONCE)]
        time.sleep(1)
        yield answers
        answers += [each.result() for each in sent]


@pytest.fixture
def stop_all(services: Services, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Stops what is under way, with a model that ends no question; one waits a few seconds for its turn."""

    def stop() -> None:
        for run in services.runs.running():
            services.worker.stop(run.id)

    monkeypatch.setattr(worker, "QUEUE_SECONDS", 5.0)
    with OpenAiServer(lambda _: KeepAlives()) as model:
        services.configuration.keep({"LLM_BASE_URL": model.base_url, "LLM_MODEL": MODEL})
        yield stop
        services.configuration.keep({"LLM_BASE_URL": None, "LLM_MODEL": None})


def asked(client: httpx2.Client, question: str = "Who described BERT?") -> httpx2.Response:
    return client.post("/api/v1/ask", json={"question": question, "base": "Papers"})


def called(client: httpx2.Client, tool: str = "ask", **arguments: Any) -> httpx2.Response:
    call = {"name": tool, "arguments": {"base": "Papers", **arguments}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    return client.post("/mcp", json=body, headers={"Accept": "application/json, text/event-stream"})


def result(answer: httpx2.Response) -> dict[str, Any]:
    """Of a call of a tool."""
    found: dict[str, Any] = json.loads(answer.text.partition("data: ")[2] or answer.text)["result"]
    return found


def seconds_of(ask: Ask) -> float:
    started = time.monotonic()
    answer = ask()
    assert (answer.status_code, 'isError":true' in answer.text) == (200, False)
    return time.monotonic() - started


@pytest.mark.slow
def test_a_hundred_questions_at_once_are_all_answered(clients: tuple[httpx2.Client, httpx2.Client]) -> None:
    flooding, another = clients
    assert asked(flooding).status_code == 200  # loads what it needs
    with flood(lambda: asked(flooding)) as answers:
        assert seconds_of(lambda: another.get("/api/v1/health")) < SOON
    assert [answer.status_code for answer in answers] == [200] * AT_ONCE
    assert {answer.json()["outcome"] for answer in answers} == {"answered"}


@pytest.mark.slow
def test_questions_that_wait_for_a_slow_model_keep_nobody_else_waiting(
    clients: tuple[httpx2.Client, httpx2.Client], services: Services, stop_all: Callable[[], None]
) -> None:
    flooding, another = clients
    with flood(lambda: asked(flooding, VAGUE)) as answers:
        assert seconds_of(lambda: another.get("/api/v1/health")) < SOON
        assert seconds_of(lambda: another.get("/api/v1/bases")) < SOON
        time.sleep(worker.QUEUE_SECONDS)
        stop_all()
    taken = [answer for answer in answers if answer.status_code == 200]
    refused = [answer for answer in answers if answer.status_code == 503]
    assert (len(taken), len(refused)) == (worker.MAX_ACTIVE, AT_ONCE - worker.MAX_ACTIVE)
    assert {answer.json()["type"] for answer in refused} == {"urn:graphtalk:run.busy"}
    assert services.runs.running() == []


@pytest.mark.slow
def test_calls_of_mcp_that_wait_for_a_slow_model_keep_nobody_else_waiting(
    clients: tuple[httpx2.Client, httpx2.Client], services: Services, stop_all: Callable[[], None]
) -> None:
    flooding, another = clients
    with flood(lambda: called(flooding, question=VAGUE)) as answers:
        assert seconds_of(lambda: another.get("/api/v1/health")) < SOON
        assert seconds_of(lambda: called(another, "search_documents", query="BERT")) < SOON
        time.sleep(worker.QUEUE_SECONDS)
        stop_all()
    results = [result(answer) for answer in answers]
    refused = [each for each in results if each.get("isError")]
    assert len(refused) == AT_ONCE - worker.MAX_ACTIVE
    said = text("run.busy", "en", count=worker.MAX_ACTIVE)
    assert {each["content"][0]["text"] for each in refused} == {said}
    assert services.runs.running() == []
