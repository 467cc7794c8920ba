"""A worker that is started before its Postgres waits for it, says so once, and reads when it is there."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import make_url

from core.app.services import Services
from core.interfaces.cli.main import main
from core.platform.settings.settings import load_settings
from tests.processes.installation import KEY, ROOT, free_port, own_postgres, wait_for


@pytest.mark.timeout(200)
def test_a_worker_waits_for_a_database_that_comes_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there, late = make_url(own_postgres()), tmp_path / "late"
    if "host" not in there.query:
        pytest.skip(
            "SKIPPED: the Postgres listens on no socket in a folder: nothing shows that a late one is waited for"
        )
    settings = {
        "DATABASE_URL": there.update_query_dict({"host": str(late)}).render_as_string(hide_password=False),
        "CHROMA_URL": f"http://127.0.0.1:{free_port()}",
        "FILES_URL": f"file://{tmp_path}/shared",
        "SETTINGS_KEY": KEY,
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "shared").mkdir()
    log = tmp_path / "log"
    command = [sys.executable, "-m", "core", "--data", str(tmp_path / "worker"), "worker"]
    with log.open("wb") as opened:
        worker = subprocess.Popen(command, cwd=ROOT, env=dict(os.environ), stdout=opened, stderr=opened)
    try:
        wait_for(lambda: "Waiting for it" in log.read_text("utf-8"), 60)
        with pytest.raises(subprocess.TimeoutExpired):  # it tries again meanwhile
            worker.wait(8)
        said = Counter(line for line in log.read_text("utf-8").splitlines() if line.strip())
        assert max(said.values()) == 1, said
        late.symlink_to(str(there.query["host"]))
        with Services(load_settings(tmp_path / "app")) as services:
            wait_for(lambda: services.ingestion.fault is None, 90)
        assert main(["--data", str(tmp_path / "app"), "worker", "--check"]) == 0
    finally:
        worker.terminate()
        worker.wait(30)
    assert main(["--data", str(tmp_path / "app"), "worker", "--check"]) == 1
