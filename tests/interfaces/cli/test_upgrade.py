"""What an earlier release has kept opens, is complete and can be used.

data_folder_of_0.1.0.zip is a backup that the code of 24 November 2026 wrote: one document, one question, one memory and
one edit of the graph.
"""

from pathlib import Path

import pytest

from core.app.services import Services
from core.platform.settings.settings import load_settings
from core.runs.model import RunRequest
from tests.interfaces.cli.test_command_line import graphtalk

FOLDER = Path(__file__).with_name("data_folder_of_0.1.0.zip")


@pytest.fixture
def upgraded(tmp_path: Path) -> Path:
    done = graphtalk(tmp_path / "data", "restore", str(FOLDER))
    assert done.returncode == 0, done.stderr
    return tmp_path / "data"


@pytest.mark.timeout(300)
def test_everything_of_an_earlier_release_is_there_and_answers(upgraded: Path) -> None:
    with Services(load_settings(upgraded)) as services:
        base = services.library.bases.named("Sample")
        assert base
        assert [document.name for document in services.library.documents.of_base(base.id)] == [
            "joint-working-group-2025.md"
        ]
        assert [memory.text for memory in services.memories.find()] == ["The user works at the Qingyu Marine Station."]
        assert [logged.edit.text for logged in services.graph_edits.log(base.id, 10)] == ["Dr. Vogt"]
        (thread,) = services.threads.find()
        (before,) = services.runs.of_thread(thread.id)
        assert before.question == "How often does the Qingyu Marine Station calibrate?"
        run_id = services.worker.start(RunRequest(before.question, base.id))
        list(services.worker.follow(run_id))
        assert "every 60 days" in services.runs.get(run_id).answer


@pytest.mark.timeout(300)
def test_the_checks_find_nothing_wrong_with_it(upgraded: Path) -> None:
    done = graphtalk(upgraded, "doctor", "--full")
    assert done.returncode == 0, done.stdout
