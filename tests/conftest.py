"""What every test stands on: no network but loopback, no settings of the machine, a data folder of its own."""

import gc
import logging
import os
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from filelock import BaseFileLock
from pydantic import AliasChoices, SecretStr

from core.models.embedding.encoder.sentence_encoder import UniversalSentenceEncoder
from core.platform.files.file_lock import try_lock
from core.platform.settings.settings import Settings


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Without the collector, which would look through all modules and tests again and again, then and in every test."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files would come last by name, and one of two processes would wait for the other."""
    items.sort(key=lambda item: "systems" not in item.path.parts)


def _is_local(address: object) -> bool:
    if not isinstance(address, tuple):
        return True  # a Unix socket
    try:
        return ip_address(str(address[0]).split("%")[0]).is_loopback
    except ValueError:
        return bool(address[0] == "localhost")


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    """Connections leave this machine in no test; a test that tries fails where it tries."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def guarded(self: socket.socket, address: object) -> None:
        if not _is_local(address):
            raise AssertionError(f"a test tried to reach {address}")
        connect(self, address)  # type: ignore[arg-type]

    def guarded_ex(self: socket.socket, address: object) -> int:
        if not _is_local(address):
            raise AssertionError(f"a test tried to reach {address}")
        return connect_ex(self, address)  # type: ignore[arg-type]

    patch = pytest.MonkeyPatch()
    patch.setattr(socket.socket, "connect", guarded)
    patch.setattr(socket.socket, "connect_ex", guarded_ex)
    yield
    patch.undo()


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """GRAPHTALK_DATA of the test; no .env and no key of the machine is seen."""
    for field in Settings.model_fields.values():
        if isinstance(field.validation_alias, AliasChoices):
            for name in field.validation_alias.choices:
                monkeypatch.delenv(str(name), raising=False)
    folder = tmp_path / "data"
    monkeypatch.setenv("GRAPHTALK_DATA", str(folder))
    return folder


@pytest.fixture(autouse=True)
def _log_is_heard() -> Iterator[None]:
    """A parser silences the log of its process, which in tests is that of others."""
    yield
    logging.disable(logging.NOTSET)


def _lock(path: Path) -> BaseFileLock:
    """For what one of the suite's processes makes for all."""
    lock = try_lock(path, 500)
    assert lock is not None, f"another process has held {path.name} for 500 seconds"
    return lock


@pytest.fixture(scope="session")
def suite_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The temporary folder that all processes of the suite share."""
    root = tmp_path_factory.getbasetemp()
    return root.parent if "PYTEST_XDIST_WORKER" in os.environ else root


@pytest.fixture(scope="session")
def loaded_encoder_once(suite_folder: Path) -> Callable[[], Any]:
    @cache
    def loaded() -> Any:
        from core.models.embedding.encoder.encoder_cache import loaded_encoder

        with _lock(suite_folder / "encoder.lock"):
            return loaded_encoder(suite_folder / "encoder", "shared")

    return loaded


@pytest.fixture(autouse=True)
def _one_encoder(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, loaded_encoder_once: Callable[[], Any]
) -> None:
    """Loading it takes a second; only tests of the loading do so themselves."""
    if not request.node.get_closest_marker("loads_encoder"):
        monkeypatch.setattr(UniversalSentenceEncoder, "_loaded", lambda self: loaded_encoder_once())


@pytest.fixture(scope="session")
def sample_library(suite_folder: Path) -> Callable[[Path], None]:
    """Fill a data folder with the sample library, read and indexed once for all processes of the suite."""
    made, part = suite_folder / "sample-library", suite_folder / "sample-library.part"

    def fill(folder: Path) -> None:
        with _lock(suite_folder / "sample-library.lock"):
            if not made.exists():
                shutil.rmtree(part, ignore_errors=True)
                _make_sample_library(part)
                part.rename(made)
        shutil.copytree(made, folder, dirs_exist_ok=True)

    return fill


def _make_sample_library(folder: Path) -> None:
    from benchmarks.answers import load_samples
    from core.app.services import Services

    changes = {"data": folder, "database_url": "", "chroma_url": "", "llm_base_url": "", "llm_api_key": SecretStr("")}
    with Services(Settings().model_copy(update=changes)) as services:
        load_samples(services)


@pytest.fixture
def plain_main(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes begun within do not run the main script again: page tests leave a temporary one behind as it."""
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real documents and evaluation sets; tests that need it skip where it is absent."""
    folder = Path(os.environ.get("GRAPHTALK_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the development data is not on this machine")
    return folder
