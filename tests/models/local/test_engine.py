"""The engine's process with a stand-in for the runtime: start, waiting, sharing, kills, pauses, end."""

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.models.chat.endpoint_config import EndpointConfig
from core.models.chat.llm import ChatLlm
from core.models.local import engine as engine_module
from core.models.local.engine import LocalEngine
from core.models.local.engine_client import BASE_URL, PLACES, asking, is_asked, one_at_a_time, open_engine_client
from core.models.local.engine_process import RECORD
from core.models.local.engine_record import EngineOrder, EngineRecord, read_record, write_record
from core.models.local.ports import EngineLimits, EngineState
from core.models.meter import ModelPhase
from core.platform.errors import AppError, CancelledError, InputError, ServiceError
from core.platform.processes.isolated_process import python_path
from core.runs.events import Event, ModelProgress
from tests.fakes.models import FakeMeter
from tests.models.chat.examples import JUDGE, REQUEST, WRITE, example_prompts
from tests.models.local.made_gguf import write_gguf

__all__ = ["example_prompts"]
STAND_IN = "tests.models.local.stand_in_engine"
IN_ANOTHER_PROCESS = """
import sys, time
from pathlib import Path
from core.models.local.engine import LocalEngine
from core.models.local.engine_record import EngineOrder
order = EngineOrder.from_json(sys.argv[2])
engine = LocalEngine(Path(sys.argv[1]), lambda: order, Path(sys.argv[1]) / "log", "tests.models.local.stand_in_engine")
print(engine.ready(lambda: False).pid, flush=True)
sys.stdin.read()
engine.close()
"""


def going_on() -> bool:
    return False


def until(true: Callable[[], Any]) -> None:
    ends = time.monotonic() + 30
    while not true():
        assert time.monotonic() < ends, "it never came true"
        time.sleep(0.02)


def exists(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


class Desk:
    """A data folder with a model."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.model = write_gguf(folder / "model.gguf")
        self.idle_seconds = 600
        self.engines: list[LocalEngine] = []

    def order(self) -> EngineOrder:
        return EngineOrder.of(self.model, "tiny", EngineLimits(1024, 1, 1_000_000, self.idle_seconds))

    def engine(self) -> LocalEngine:
        made = LocalEngine(self.folder, self.order, self.folder / "engine.log", STAND_IN)
        self.engines.append(made)
        return made

    def starts(self) -> list[int]:
        """Process ids of the engines that were started."""
        file = self.folder / "starts.txt"
        return [int(line) for line in file.read_text().split()] if file.exists() else []

    def program(self) -> "subprocess.Popen[str]":
        """Another process that uses the engine until its standard input closes; it says the engine's process id."""
        return subprocess.Popen(
            [sys.executable, "-c", IN_ANOTHER_PROCESS, str(self.folder), self.order().to_json()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": python_path()},
        )


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "desk")
    yield made
    for each in made.engines:
        each.close()
    for pid in filter(exists, made.starts()):  # it would wait for another user for seconds
        os.kill(pid, signal.SIGKILL)


def ask(engine: LocalEngine, text: str, **turn: Any) -> str:
    body = {"model": "tiny", "messages": [{"role": "user", "content": text}]}
    with open_engine_client(engine, **turn) as client:
        answer = client.post(f"{BASE_URL}/chat/completions", json=body, timeout=30)
    return str(answer.json()["choices"][0]["message"]["content"])


def test_the_first_need_starts_it_and_threads_share_it(desk: Desk) -> None:
    engine = desk.engine()
    assert engine.status().state is EngineState.OFF
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: ask(engine, f"question {n}"), range(8)))
    (pid,) = desk.starts()
    assert answers == [f"{pid} heard question {n}" for n in range(8)]
    assert engine.status().state is EngineState.READY
    assert engine.status().megabytes > 0


def test_all_processes_of_a_data_folder_share_it_and_it_ends_with_the_last(desk: Desk) -> None:
    programs = [desk.program() for _ in range(3)]
    pids = {int(each.stdout.readline()) for each in programs if each.stdout}
    assert list(pids) == desk.starts()
    for each in programs[:2]:
        each.kill()
        each.wait()
    engine = desk.engine()
    assert engine.ready(going_on).pid in pids
    engine.close()
    (pid,) = pids
    programs[2].communicate("")
    until(lambda: not exists(pid))
    assert not (desk.folder / RECORD).exists()


def test_it_ends_although_the_app_was_killed(desk: Desk) -> None:
    program = desk.program()
    assert program.stdout
    pid = int(program.stdout.readline())
    program.send_signal(signal.SIGKILL)
    program.wait()
    until(lambda: not exists(pid))


def test_nobody_else_can_read_address_and_key(desk: Desk) -> None:
    engine = desk.engine()
    record = engine.ready(going_on)
    assert stat.S_IMODE((desk.folder / RECORD).stat().st_mode) == 0o600
    assert record.key not in Path(f"/proc/{record.pid}/cmdline").read_text()
    assert record.key not in (desk.folder / "engine.log").read_text()


def test_the_engine_gets_no_keys_of_the_app(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    record = desk.engine().ready(going_on)
    assert b"sk-secret" not in Path(f"/proc/{record.pid}/environ").read_bytes()


def test_a_request_waits_while_the_model_is_loaded(desk: Desk) -> None:
    write_gguf(desk.model, "slow")
    engine = desk.engine()
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(ask, engine, "hello")
        until(lambda: engine.status().state is EngineState.LOADING)
        until(desk.starts)
        assert not answer.done()
        (desk.folder / "go").touch()
        assert answer.result(30).endswith("heard hello")


def test_the_wait_for_a_loading_model_can_be_stopped(desk: Desk) -> None:
    write_gguf(desk.model, "slow")
    stop = threading.Event()
    engine = desk.engine()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(engine.ready, stop.is_set)
        until(desk.starts)
        stop.set()
        with pytest.raises(CancelledError):
            waiting.result(30)
    (desk.folder / "go").touch()


def test_a_load_without_a_sign_of_life_ends_with_a_sentence(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    write_gguf(desk.model, "slow")
    engine = desk.engine()
    with ThreadPoolExecutor(1) as pool:
        loading = pool.submit(engine.ready, going_on)
        until(lambda: engine.status().state is EngineState.LOADING)
        until(desk.starts)
        monkeypatch.setattr(engine_module, "SILENT_SECONDS", 1.0)  # only now: the process itself may start slowly
        with pytest.raises(ServiceError) as raised:
            loading.result(60)
    assert raised.value.key == "local_model.engine_stuck"
    until(lambda: not exists(desk.starts()[0]))


def test_a_killed_engine_is_started_again_by_the_next_request(desk: Desk) -> None:
    engine = desk.engine()
    first = engine.ready(going_on)
    os.kill(first.pid, signal.SIGKILL)
    until(lambda: engine.status().state is not EngineState.READY)
    assert ask(engine, "hello") == f"{desk.starts()[1]} heard hello"


def test_an_engine_that_ends_again_and_again_is_left_alone_for_a_while(desk: Desk) -> None:
    engine = desk.engine()
    for _ in range(2):
        pid = engine.ready(going_on).pid
        os.kill(pid, signal.SIGKILL)
        until(lambda: engine.status().state is not EngineState.READY)
    with pytest.raises(ServiceError) as raised:
        engine.ready(going_on)
    assert raised.value.key == "local_model.engine_ended"
    assert engine.status().state is EngineState.FAILED
    assert len(desk.starts()) == 2
    until(lambda: engine.status().state is EngineState.OFF)
    assert engine.ready(going_on).pid == desk.starts()[2]


def test_a_file_that_breaks_the_runtime_is_a_sentence_and_another_one_is_tried_at_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.models.local.engine.FIRST_SECONDS", 60.0)
    write_gguf(desk.model, "broken")
    engine = desk.engine()
    for _ in range(3):
        with pytest.raises(ServiceError) as raised:
            engine.ready(going_on)
        assert raised.value.key == "local_model.engine_not_started"
        assert "engine.log" in str(raised.value)
    assert len(desk.starts()) == 1
    desk.model = write_gguf(desk.folder / "other.gguf")
    assert engine.ready(going_on).pid == desk.starts()[-1]


def test_another_model_takes_the_place_of_the_running_one(desk: Desk) -> None:
    engine, other = desk.engine(), desk.engine()
    first = engine.ready(going_on).pid
    desk.model = write_gguf(desk.folder / "other.gguf")
    second = other.ready(going_on).pid
    assert not exists(first)
    assert engine.ready(going_on).pid == second == desk.starts()[-1]


def test_it_is_unloaded_when_nobody_uses_it_and_comes_back(desk: Desk) -> None:
    desk.idle_seconds = 4
    engine = desk.engine()
    first = engine.ready(going_on).pid
    until(lambda: not exists(first))
    until(lambda: engine.status().state is EngineState.OFF)
    assert engine.ready(going_on).pid == desk.starts()[1]


def test_a_record_of_a_dead_engine_leads_nobody_to_whoever_listens_there_now(desk: Desk) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as stranger:
        port = stranger.getsockname()[1]
        stale = EngineRecord(os.getpid(), port, port, "old key", desk.order().digest)
        write_record(desk.folder / RECORD, stale)

        def answer_wrongly() -> None:
            connection, _ = stranger.accept()
            connection.sendall(b"x" * 65)

        threading.Thread(target=answer_wrongly, daemon=True).start()
        assert desk.engine().ready(going_on).port != port


@pytest.mark.parametrize("content", ["", "{}", "null", '{"pid": 1}', "\x00"])
def test_a_damaged_record_is_as_good_as_none(desk: Desk, content: str) -> None:
    (desk.folder / RECORD).write_text(content)
    assert read_record(desk.folder / RECORD) is None
    assert desk.engine().ready(going_on)


def test_too_little_memory_is_a_sentence_before_anything_starts(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "free_memory", lambda: 1_000)
    with pytest.raises(AppError) as raised:
        desk.engine().ready(going_on)
    assert raised.value.key == "local_model.no_memory"
    assert desk.starts() == []


def test_background_work_takes_one_place_and_a_question_another(desk: Desk) -> None:
    engine = desk.engine()
    turn = one_at_a_time(desk.folder)
    with ThreadPoolExecutor(1) as pool:
        with turn():
            waiting = pool.submit(ask, engine, "document", turn=turn)
            assert ask(engine, "question").endswith("question")
            assert not waiting.done()
        assert waiting.result(30).endswith("document")
    assert ask(engine, "again", turn=turn).endswith("again")  # the turn was given back


def chat_llm(engine: LocalEngine, *, tells_progress: bool = False) -> ChatLlm:
    config = EndpointConfig(BASE_URL, "tiny", backoff_seconds=0.01, open_http=lambda: open_engine_client(engine))
    return ChatLlm(replace(config, tells_progress=tells_progress))


def test_for_the_chat_adapter_it_is_an_endpoint_like_any_other(desk: Desk) -> None:
    engine = desk.engine()
    llm, meter = chat_llm(engine), FakeMeter()
    assert "heard" in "".join(llm.stream(WRITE, REQUEST, meter))
    os.kill(engine.ready(going_on).pid, signal.SIGKILL)
    assert "heard" in "".join(llm.stream(WRITE, REQUEST, meter))
    assert meter.degradations == []
    assert len(desk.starts()) == 2
    llm.close()


def test_what_is_asked_hears_how_far_the_model_is_loaded_and_its_prompt_is_read(desk: Desk) -> None:
    write_gguf(desk.model, "slow")
    told: list[Event] = []
    llm, meter = chat_llm(desk.engine(), tells_progress=True), FakeMeter(emit=told.append)
    with ThreadPoolExecutor(1) as pool:
        said = pool.submit(lambda: "".join(llm.stream(WRITE, REQUEST, meter)))
        until(lambda: ModelProgress in map(type, told))
        (desk.folder / "go").touch()
        assert "heard" in said.result(30)
    progress = [event for event in told if isinstance(event, ModelProgress)]
    assert progress[0].phase is ModelPhase.LOADING
    assert progress[-2:] == [ModelProgress(ModelPhase.READING, 50), ModelProgress(ModelPhase.READING, 100)]
    llm.close()


def test_a_decision_hears_it_too(desk: Desk) -> None:
    told: list[Event] = []
    llm = chat_llm(desk.engine(), tells_progress=True)
    llm.run(JUDGE, REQUEST, FakeMeter(emit=told.append))
    assert ModelProgress(ModelPhase.READING, 50) in told
    llm.close()


@pytest.mark.parametrize("error", [InputError("local_model.no_gguf", path="x"), None])
def test_what_the_engine_lacks_is_the_reason_why_the_rules_answered(desk: Desk, error: AppError | None) -> None:
    def wanted() -> EngineOrder:
        if error:
            raise error
        return desk.order()

    write_gguf(desk.model, "broken")
    engine = LocalEngine(desk.folder, wanted, desk.folder / "engine.log", STAND_IN)
    meter = FakeMeter()
    said = "".join(chat_llm(engine).stream(WRITE, REQUEST, meter))
    assert said.startswith("The board runs")
    assert meter.degradations == [("example_write", error.key if error else "local_model.engine_not_started")]


def test_whoever_reads_documents_sees_that_somebody_asks(tmp_path: Path) -> None:
    assert not is_asked(tmp_path)
    with ExitStack() as questions:
        for _ in range(PLACES + 1):
            questions.enter_context(asking(tmp_path)())
            assert is_asked(tmp_path)
    assert not is_asked(tmp_path)
