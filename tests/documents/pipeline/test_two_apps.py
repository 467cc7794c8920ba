"""Two apps on one data folder share its ingestion process, and when that is killed with its app the other goes on."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core.app.services import Services
from core.documents.model import DocumentStatus
from core.platform.settings.settings import load_settings
from tests.documents.pipeline.test_worker import logged_processes

_SECONDS = 150


def _wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def _ready(services: Services, document_id: str) -> bool:
    return services.library.documents.get(document_id).status is DocumentStatus.READY


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_documents_of_both_are_read_also_after_the_working_process_was_killed(data_folder: Path) -> None:
    del data_folder
    with Services(load_settings()) as one, Services(load_settings()) as other:
        base = one.library.bases.create("Tides")
        first, _ = one.lifecycle.intake.add(base.id, "north.md", b"# North\n\nThe tide at North is 4.2 metres high.\n")
        second, _ = other.lifecycle.intake.add(base.id, "south.md", b"# South\n\nThe tide at South is 3.1 metres.\n")
        with one.ingestion.running():
            _wait_for(lambda: one.ingestion.supervisor.was_ready and bool(logged_processes(one.settings.data)))
            (working,) = logged_processes(one.settings.data)
            with other.ingestion.running():
                _wait_for(lambda: _ready(one, first.id) and _ready(other, second.id))
                assert other.ingestion.fault is None
                os.kill(working, signal.SIGKILL)
                third, _ = other.lifecycle.intake.add(base.id, "west.md", b"# West\n\nThe tide at West is 2 metres.\n")
                _wait_for(lambda: _ready(one, third.id))
        assert len(one.library.documents.of_base(base.id)) == 3
