"""A database belongs to the data folder that has the files of its documents."""

import shutil
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine

from core.app.services import Services
from core.interfaces.cli.main import main
from core.platform.blobs.folder import FolderBlobs
from core.platform.errors import ConfigurationError
from core.platform.settings.settings import load_settings
from core.platform.sql.data_folder import Owner, claim, owner_by_blobs, take_over
from core.platform.sql.engine import open_engine


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database outside any data folder."""
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/shared.sqlite")
    with Services(load_settings(tmp_path / "first")) as services:
        services.library.bases.create("Papers")
    return tmp_path


def test_a_second_folder_is_refused_with_the_first_one_named(shared: Path) -> None:
    with Services(load_settings(shared / "second")) as services, pytest.raises(ConfigurationError) as caught:
        services.library.bases.all()
    assert str(shared / "first") in str(caught.value)
    assert "another database" in str(caught.value)


def test_the_first_folder_is_known_again_after_it_was_moved(shared: Path) -> None:
    shutil.move(shared / "first", shared / "moved")
    with Services(load_settings(shared / "moved")) as services:
        assert [base.name for base in services.library.bases.all()] == ["Papers"]


def test_a_folder_takes_over_the_database_of_one_that_is_gone(shared: Path) -> None:
    shutil.rmtree(shared / "first")
    assert main(["--data", str(shared / "second"), "documents", "list", "--kb", "Papers"]) == 1
    assert main(["--data", str(shared / "second"), "take-over"]) == 0
    assert main(["--data", str(shared / "second"), "documents", "list", "--kb", "Papers"]) == 0


class SlowBlobs(FolderBlobs):
    written = 0

    def put(self, name: str, data: bytes | Path) -> None:
        self.written += 1
        time.sleep(0.3)
        super().put(name, data)


@pytest.mark.parametrize("begin", [claim, take_over])
def test_of_processes_that_start_at_once_one_writes_the_id_of_their_shared_files(
    begin: Callable[[Engine, Callable[[], Owner]], None], engine: Engine, tmp_path: Path
) -> None:
    (tmp_path / "files").mkdir()
    blobs = SlowBlobs(tmp_path / "files")

    def start(_: int) -> None:
        own = open_engine(engine.url.render_as_string(hide_password=False))
        begin(own, lambda: owner_by_blobs(blobs))
        own.dispose()

    with ThreadPoolExecutor() as threads:
        list(threads.map(start, range(3)))
    assert blobs.written == 1
