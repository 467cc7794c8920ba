"""The engine in the flesh: structured output, two at once, stopped, killed, damaged, without memory or disk."""

import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from core.models.chat.llm import ChatLlm
from core.models.local.engine import LocalEngine
from core.models.local.engine_client import BASE_URL, open_engine_client
from core.models.local.ports import EngineState
from core.models.local.sizing import limits_for
from core.platform.errors import ServiceError
from core.platform.http.guarded_client import stoppable
from core.platform.processes.isolated_process import python_path
from tests.fakes.models import FakeMeter
from tests.models.chat.examples import REQUEST, WRITE, example_prompts
from tests.models.local.conftest import PATIENT_SECONDS, WANTED, alive, order_of, until

__all__ = ["example_prompts"]
pytestmark = [pytest.mark.real_model, pytest.mark.timeout(2 * PATIENT_SECONDS)]


def first_words(llm: ChatLlm, meter: FakeMeter) -> str:
    pieces = llm.stream(WRITE, REQUEST, meter)
    return next(pieces).strip() + next(pieces).strip()


def test_a_stop_frees_the_place_of_the_request(real_engine: LocalEngine) -> None:
    """All requests of a question are streamed; of one that waits for a whole reply the engine misses the end."""
    record, stop = real_engine.ready(lambda: False), threading.Event()
    asked = {"role": "user", "content": "Count from one to ten thousand."}
    long = {"messages": [asked], "max_tokens": 3000, "stream": True}
    with open_engine_client(real_engine) as client, ThreadPoolExecutor(1) as pool:

        def is_busy() -> bool:
            slots = json.loads(client.get(f"{BASE_URL.removesuffix('/v1')}/slots", timeout=60).content)
            return any(slot["is_processing"] for slot in slots)

        def stop_when_busy() -> None:
            until(is_busy)
            stop.set()

        pool.submit(stop_when_busy)
        with (
            stoppable(stop.is_set),
            pytest.raises(httpx2.ReadError, match="stopped"),
            client.stream("POST", f"{BASE_URL}/chat/completions", json=long, timeout=60) as answer,
        ):
            answer.read()
        until(lambda: not is_busy())
    assert alive(record.pid)


def test_it_decides_in_the_form_that_is_asked_for(real_engine: LocalEngine) -> None:
    colours = {"type": "object", "properties": {"colour": {"enum": ["red", "blue"]}}, "required": ["colour"]}
    form = {"type": "json_schema", "json_schema": {"name": "colour", "schema": colours, "strict": True}}
    body = {"messages": [{"role": "user", "content": "Of what colour is the sky?"}], "response_format": form}
    with open_engine_client(real_engine) as client:
        answer = client.post(f"{BASE_URL}/chat/completions", json={**body, "max_tokens": 40}, timeout=60).json()
    assert json.loads(answer["choices"][0]["message"]["content"])["colour"] in {"red", "blue"}
    status = real_engine.status()
    assert status.state is EngineState.READY
    assert 300 < status.megabytes < 1_400


def test_two_at_once_are_both_answered(real_llm: ChatLlm) -> None:
    meters = [FakeMeter(seconds=PATIENT_SECONDS), FakeMeter(seconds=PATIENT_SECONDS)]
    with ThreadPoolExecutor(2) as pool:
        assert all(pool.map(lambda meter: first_words(real_llm, meter), meters))
    assert [meter.degradations for meter in meters] == [[], []]


def test_a_kill_in_the_middle_of_an_answer_is_a_sentence_and_the_next_one_is_written(
    real_engine: LocalEngine, real_llm: ChatLlm
) -> None:
    meter = FakeMeter(seconds=PATIENT_SECONDS)
    pieces = real_llm.stream(WRITE, REQUEST, meter)
    next(pieces)
    os.kill(real_engine.ready(lambda: False).pid, signal.SIGKILL)
    with pytest.raises(ServiceError):
        list(pieces)
    assert first_words(real_llm, meter)
    assert meter.degradations == []


def test_a_damaged_file_is_a_sentence_and_the_app_lives(real_file: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.gguf"
    with real_file.open("rb") as whole:
        damaged.write_bytes(whole.read(20_000_000))
    engine = LocalEngine(tmp_path, order_of(damaged), tmp_path / "engine.log")
    with pytest.raises(ServiceError, match="could not be started"):
        engine.ready(lambda: False)
    engine.close()


def test_too_little_memory_ends_the_engine_and_not_the_app(real_file: Path, tmp_path: Path) -> None:
    """The engine may take a gigabyte more than what is estimated for it."""
    little = replace(limits_for(real_file, WANTED), memory=-950_000_000)
    engine = LocalEngine(tmp_path, order_of(real_file, little), tmp_path / "engine.log")
    with pytest.raises(ServiceError, match="could not be started"):
        engine.ready(lambda: False)
    engine.close()


def test_on_a_full_disk_neither_a_fetch_nor_an_engine_begins(real_file: Path, tmp_path: Path) -> None:
    apart = ["unshare", "--user", "--map-root-user", "--mount"]
    if sys.platform != "linux" or subprocess.run([*apart, "true"], check=False, capture_output=True).returncode:
        pytest.skip("a small disk can only be made where a namespace of its own is allowed")
    script = f'mount -t tmpfs -o size=4m tmpfs "$1" && exec {sys.executable} -m tests.models.local.full_disk "$1" "$2"'
    said = subprocess.run(
        [*apart, "sh", "-c", script, "sh", str(tmp_path), str(real_file)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": python_path()},
    ).stdout
    assert said.count("OutOfSpaceError(") + said.count("ServiceError(") == 2
    assert said.startswith("OutOfSpaceError(")
